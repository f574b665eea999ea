#include "cudnn_setup/package.h"

#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"

cs_status cs_package_manifest(const cs_host *host, const char *path, cs_manifest *out, cs_error *error) {
    if (!path) {
        size_t size = 0;
        const char *bytes = cs_manifest_embedded(0, &size);
        if (!bytes) return cs_fail(error, CS_E_FAILED, "read", "the built-in manifest", "this build has none");
        cs_status status = cs_manifest_parse("the built-in manifest", bytes, size, out, error);
        if (status == CS_OK && out->sample) {
            cs_manifest_free(out);
            status = cs_fail(error, CS_E_FORMAT, "read", "the built-in manifest", "a sample counts only through /manifest");
        }
        return status;
    }
    cs_buffer bytes = {0};
    cs_status status = cs_fs_read_all(host->fs, path, CS_MANIFEST_MAX_BYTES, &bytes, error);
    if (status == CS_OK) status = cs_manifest_parse(path, cs_buffer_string(&bytes), bytes.size, out, error);
    if (status == CS_E_FORMAT && error) {
        char detail[CS_ERROR_DETAIL];
        memcpy(detail, error->detail, sizeof detail);
        cs_fail(error, status, "read", path, "no manifest that can be used: %.700s", detail);
    }
    cs_buffer_free(&bytes);
    if (status != CS_OK) return status;
    char hex[CS_SHA256_HEX + 1];
    cs_hex(out->sha256, CS_SHA256_SIZE, hex);
    cs_emit(host->events, CS_EVENT_NOTE, "manifest", "Manifest: %s, SHA-256 %s, %s %s for CUDA %s%s.", path, hex, out->product,
            out->version, out->cuda, out->sample ? " (sample)" : "");
    return CS_OK;
}

bool cs_package_is_builtin(const uint8_t manifest_sha256[CS_SHA256_SIZE]) {
    uint8_t digest[CS_SHA256_SIZE];
    size_t size = 0;
    const char *bytes;
    for (size_t i = 0; (bytes = cs_manifest_embedded(i, &size)) != NULL; i++)
        if (cs_sha256_bytes(bytes, size, digest, NULL) == CS_OK && memcmp(digest, manifest_sha256, sizeof digest) == 0)
            return true;
    return false;
}

/* ---- finding ---- */

typedef struct zip_list {
    cs_strings *names;
    cs_error *error;
} zip_list;

static bool starts_with_cudnn(const char *name) {
    char start[6] = {0};
    strncpy(start, name, 5);
    return cs_text_equal_ascii_case(start, "cudnn");
}

static cs_status note_zip(void *ctx, const char *name, const cs_file_info *info) {
    zip_list *list = ctx;
    if (info->kind != CS_FILE_REGULAR || !cs_text_ends_with_ascii_case(name, ".zip")) return CS_OK;
    return cs_strings_add(list->names, name, list->error);
}

static bool is_named(const cs_manifest *manifest, const char *name) {
    for (size_t i = 0; i < manifest->archive_names.count; i++)
        if (cs_text_equal_ascii_case(manifest->archive_names.items[i], name)) return true;
    return false;
}

static void sort(cs_strings *list) {
    for (size_t i = 1; i < list->count; i++)
        for (size_t j = i; j && cs_text_compare_ascii_case(list->items[j - 1], list->items[j]) > 0; j--) {
            char *item = list->items[j];
            list->items[j] = list->items[j - 1];
            list->items[j - 1] = item;
        }
}

/* A folder that cannot be listed has nothing for us. */
static cs_status find_in(const cs_host *host, const char *folder, const cs_manifest *manifest, cs_strings *out, cs_error *error) {
    cs_strings names = {0};
    cs_buffer path = {0};
    zip_list list = {.names = &names, .error = error};
    cs_status status = host->fs->list(host->fs->ctx, folder, note_zip, &list, NULL);
    status = status == CS_E_NO_MEMORY ? status : CS_OK;
    sort(&names);
    for (int named = 1; named >= 0 && status == CS_OK; named--)
        for (size_t i = 0; i < names.count && status == CS_OK; i++) {
            bool is = is_named(manifest, names.items[i]);
            if (named ? !is : is || !starts_with_cudnn(names.items[i])) continue;
            status = cs_path_join(&path, host->fs->separator, folder, names.items[i], error);
            if (status == CS_OK) status = cs_strings_add(out, path.data, error);
        }
    cs_strings_free(&names);
    cs_buffer_free(&path);
    return status;
}

static cs_status program_folder(const cs_host *host, cs_buffer *out, cs_error *error) {
    cs_buffer program = {0};
    cs_status status = host->system->program_path(host->system->ctx, &program, error);
    if (status == CS_OK) status = cs_path_parent(out, cs_buffer_string(&program), error);
    cs_buffer_free(&program);
    return status;
}

cs_status cs_package_find(const cs_host *host, const cs_options *options, const cs_manifest *manifest, cs_strings *out,
                          cs_error *error) {
    if (options->archive) return cs_strings_add(out, options->archive, error);
    cs_buffer beside = {0}, downloads = {0};
    bool interactive = options->ui == CS_UI_FULL && !host->system->is_administrator(host->system->ctx);
    cs_status status = program_folder(host, &beside, error);
    if (status == CS_OK) status = find_in(host, cs_buffer_string(&beside), manifest, out, error);
    if (status == CS_OK && interactive && host->system->folder(host->system->ctx, CS_FOLDER_DOWNLOADS, &downloads, NULL) == CS_OK)
        status = find_in(host, cs_buffer_string(&downloads), manifest, out, error);
    if (status == CS_OK && !out->count)
        status = cs_fail(
            error, CS_E_ARCHIVE_OPEN, "look for the archive in", cs_buffer_string(&beside),
            downloads.size ? "no cuDNN archive is there or in %s; name it with /archive:, or put %s beside the program. "
                             "Nothing was changed"
                           : "no cuDNN archive is there%s; name it with /archive:, or put %s beside the program. Nothing "
                             "was changed",
            cs_buffer_string(&downloads), manifest->archive_names.count ? manifest->archive_names.items[0] : "cudnn*.zip");
    cs_buffer_free(&beside);
    cs_buffer_free(&downloads);
    return status;
}

/* ---- opening ---- */

static cs_status try_one(const cs_host *host, const cs_options *options, const cs_manifest *manifest, const char *path,
                         cs_package_fetch fetch, void *ctx, cs_archive **out, cs_trust *trust, cs_error *error) {
    cs_buffer local = {0};
    cs_status status = CS_OK;
    cs_emit(host->events, CS_EVENT_STEP, "archive", "Checking %s", path);
    if (fetch)
        status = fetch(ctx, path, &local, error);
    else
        cs_buffer_text(&local, path);
    if (status == CS_OK) status = cs_buffer_check(&local, error);
    if (status == CS_OK) status = cs_archive_open(host, local.data, out, error);
    if (status == CS_OK) status = cs_archive_judge(*out, manifest, options->unverified_accept, trust, error);
    if (status != CS_OK) {
        cs_archive_close(*out);
        *out = NULL;
    }
    cs_buffer_free(&local);
    return status;
}

static bool ends_search(cs_status status) {
    return status == CS_OK || status == CS_E_CANCELLED || status == CS_E_NO_MEMORY || status == CS_E_NO_SPACE;
}

cs_status cs_package_open(const cs_host *host, const cs_options *options, const cs_manifest *manifest,
                          const cs_strings *candidates, cs_package_fetch fetch, void *ctx, cs_archive **out, cs_trust *trust,
                          cs_error *error) {
    cs_status first = CS_OK;
    for (size_t i = 0; i < candidates->count; i++) {
        cs_error one = {0};
        cs_status status = try_one(host, options, manifest, candidates->items[i], fetch, ctx, out, trust, &one);
        if (ends_search(status)) {
            if (status != CS_OK && error) *error = one;
            return status;
        }
        if (candidates->count > 1) {
            char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 128];
            cs_error_text(&one, text, sizeof text);
            cs_emit(host->events, CS_EVENT_NOTE, "archive.passed-over", "Passed over: %s", text);
        }
        if (first != CS_OK) continue;
        first = status;
        if (error) *error = one;
    }
    return first;
}
