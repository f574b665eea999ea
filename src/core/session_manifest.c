/* The manifests that receipts name, kept beside them: a later repair or verification needs the very same one. */
#include <string.h>

#include "cudnn_setup/hash.h"
#include "engine.h"

static cs_status manifest_path(const cs_session *session, const char *tree_id, const uint8_t sha256[CS_SHA256_SIZE],
                               cs_buffer *out, cs_error *error) {
    char hex[CS_SHA256_HEX + 1], name[CS_SHA256_HEX + 32] = "manifests/";
    cs_hex(sha256, CS_SHA256_SIZE, hex);
    memcpy(name + strlen(name), hex, sizeof hex);
    memcpy(name + strlen(name), ".json", sizeof ".json");
    return cs_engine_state_path(session, tree_id, name, out, error);
}

/* The kept bytes; CS_E_FORMAT if they are not what their name says (a run that ended while it wrote them). */
static cs_status read_kept(const cs_session *session, const char *path, const uint8_t sha256[CS_SHA256_SIZE], cs_buffer *out,
                           cs_error *error) {
    uint8_t digest[CS_SHA256_SIZE];
    cs_status status = cs_fs_read_all(session->host->fs, path, CS_MANIFEST_MAX_BYTES, out, error);
    if (status == CS_OK) status = cs_sha256_bytes(cs_buffer_string(out), out->size, digest, error);
    if (status == CS_OK && memcmp(digest, sha256, sizeof digest) != 0)
        status = cs_fail(error, CS_E_FORMAT, "read", path, "its content is not what its name says");
    return status;
}

static cs_status make_folder(cs_engine *engine, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_make_state(engine, error);
    if (status == CS_OK) status = cs_engine_state_path(engine->session, engine->tree_id, "manifests", &path, error);
    if (status == CS_OK) status = cs_engine_make_folder(engine, path.data, error);
    cs_buffer_free(&path);
    return status == CS_E_EXISTS ? CS_OK : status;
}

static cs_status sync_folder(cs_engine *engine, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_state_path(engine->session, engine->tree_id, "manifests", &path, error);
    if (status == CS_OK) status = engine->fs->sync_folder(engine->fs->ctx, path.data, error);
    if (status == CS_OK) status = cs_engine_sync_state(engine, error);
    cs_buffer_free(&path);
    return status;
}

static cs_status keep(cs_engine *engine, const cs_manifest *manifest, cs_error *error) {
    cs_buffer path = {0}, kept = {0};
    cs_status status = manifest_path(engine->session, engine->tree_id, manifest->sha256, &path, error);
    if (status == CS_OK) status = read_kept(engine->session, path.data, manifest->sha256, &kept, error);
    bool torn = status == CS_E_FORMAT || status == CS_E_TOO_BIG;
    if (torn) status = cs_engine_drop(engine, path.data, NULL, error);
    if (status == CS_E_NOT_FOUND || (torn && status == CS_OK)) {
        status = make_folder(engine, error);
        if (status == CS_OK)
            status = cs_engine_write_file(engine, path.data, manifest->bytes.data, manifest->bytes.size, NULL, error);
        if (status == CS_OK) status = sync_folder(engine, error);
    }
    cs_buffer_free(&path);
    cs_buffer_free(&kept);
    return status;
}

cs_status cs_session_keep_manifest(cs_session *session, const char *tree_id, const cs_manifest *manifest, cs_error *error) {
    cs_error unused = {0};
    cs_engine engine = cs_engine_start(session, tree_id, NULL, NULL);
    cs_status status = keep(&engine, manifest, error ? error : &unused);
    cs_engine_end(&engine);
    return status;
}

cs_status cs_session_kept_manifest(const cs_session *session, const char *tree_id, const uint8_t sha256[CS_SHA256_SIZE],
                                   cs_manifest *out, cs_error *error) {
    cs_buffer path = {0}, bytes = {0};
    *out = (cs_manifest){0};
    cs_status status = manifest_path(session, tree_id, sha256, &path, error);
    if (status == CS_OK) status = read_kept(session, path.data, sha256, &bytes, error);
    if (status == CS_OK) status = cs_manifest_parse(path.data, bytes.data, bytes.size, out, error);
    cs_buffer_free(&path);
    cs_buffer_free(&bytes);
    return status;
}
