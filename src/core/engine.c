#include "engine.h"

#include <string.h>

#include "cudnn_setup/path.h"

cs_engine cs_engine_start(cs_session *session, const char *tree_id, const char *tree_path, const char *txid) {
    cs_engine engine = {
        .session = session, .host = session->host, .fs = session->host->fs, .tree_id = tree_id, .tree_path = tree_path};
    if (txid) memcpy(engine.txid, txid, sizeof engine.txid);
    return engine;
}

void cs_engine_end(cs_engine *engine) { cs_engine_unguard_all(engine); }

/* ---- paths ---- */

static cs_status append(cs_buffer *out, char separator, const char *name, cs_error *error) {
    if (!name) return cs_buffer_check(out, error);
    cs_buffer_append(out, &separator, 1);
    size_t start = out->size;
    cs_buffer_text(out, name);
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '/') out->data[i] = separator;
    return cs_buffer_check(out, error);
}

cs_status cs_engine_state_path(const cs_session *session, const char *tree_id, const char *name, cs_buffer *out,
                               cs_error *error) {
    char separator = session->host->fs->separator;
    cs_status status = cs_path_join(out, separator, session->state, tree_id, error);
    return status == CS_OK ? append(out, separator, name, error) : status;
}

cs_status cs_engine_private_path(const cs_host *host, const char *tree_path, const char *txid, const char *name, cs_buffer *out,
                                 cs_error *error) {
    char separator = host->fs->separator;
    cs_status status = cs_path_join(out, separator, tree_path, CS_NAME_PRIVATE, error);
    if (status == CS_OK) status = append(out, separator, txid, error);
    return status == CS_OK ? append(out, separator, name, error) : status;
}

cs_status cs_engine_target_path(const cs_engine *engine, const char *target, cs_buffer *out, cs_error *error) {
    return cs_path_join(out, engine->fs->separator, engine->tree_path, target, error);
}

cs_status cs_blob_path(const cs_host *host, const char *tree_path, const cs_blob *blob, cs_buffer *out, cs_error *error) {
    cs_buffer name = {0};
    cs_buffer_format(&name, "%s/%02u", blob->area == CS_AREA_NEW ? "new" : "old", blob->number);
    cs_status status = cs_buffer_check(&name, error);
    if (status == CS_OK) status = cs_engine_private_path(host, tree_path, blob->txid, name.data, out, error);
    cs_buffer_free(&name);
    return status;
}
