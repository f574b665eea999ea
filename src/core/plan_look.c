/* What stands at the targets now. */
#include "cudnn_setup/plan.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/workers.h"
#include "engine.h"

static cs_status look_once(const cs_host *host, const char *path, const char *name, cs_each *each, cs_target *out,
                           cs_error *error) {
    const cs_fs *fs = host->fs;
    *out = (cs_target){0};
    cs_status status = fs->stat(fs->ctx, path, &out->info, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    if (out->info.kind != CS_FILE_REGULAR)
        return cs_fail(error, CS_E_REPARSE, "look at", path, "a folder or a link stands where a file is due");
    cs_file *file = NULL;
    status = fs->open(fs->ctx, path, CS_OPEN_READ, &file, error);
    if (status == CS_OK) status = fs->info(fs->ctx, file, &out->info, error);
    if (status == CS_OK) status = cs_each_sha256(each, name, fs, file, out->sha256, error);
    fs->close(fs->ctx, file);
    out->present = status == CS_OK;
    return status;
}

static cs_status look(const cs_host *host, const char *path, const char *name, cs_each *each, cs_target *out, cs_error *error) {
    cs_error own = {0};
    unsigned tries = 0;
    cs_status status;
    if (!error) error = &own;
    do status = look_once(host, path, name, each, out, error);
    while (cs_engine_again(host, status, error, &tries));
    return status;
}

/* Only letters' case can differ; a short name, or a look that fails, says nothing. */
static void note_spelling(const cs_host *host, const char *path, const char *target, cs_target *out) {
    cs_buffer real = {0};
    const char *wanted = cs_path_name(target);
    if (host->fs->real_path(host->fs->ctx, path, &real, NULL) == CS_OK) {
        const char *name = cs_path_name(cs_buffer_string(&real));
        if (strcmp(name, wanted) != 0 && cs_text_equal_ascii_case(name, wanted))
            snprintf(out->spelled, sizeof out->spelled, "%.*s%s", (int)(wanted - target), target, name);
    }
    cs_buffer_free(&real);
}

const char *cs_plan_spelled(const cs_target *found, const char *target) { return found->spelled[0] ? found->spelled : target; }

static cs_status look_at(const cs_host *host, const char *tree_path, const char *target, cs_each *each, cs_target *out,
                         cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_path_join(&path, host->fs->separator, tree_path, target, error);
    if (status == CS_OK) status = look(host, path.data, target, each, out, error);
    if (status == CS_OK && out->present) note_spelling(host, path.data, target, out);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_plan_look(const cs_host *host, const char *tree_path, const char *target, cs_target *out, cs_error *error) {
    return look_at(host, tree_path, target, NULL, out, error);
}

typedef struct looks {
    const cs_host *host;
    const char *tree_path;
    const char *const *targets;
    cs_target *out;
} looks;

static cs_status look_at_one(void *ctx, size_t index, cs_each *each, cs_error *error) {
    const looks *l = ctx;
    return look_at(l->host, l->tree_path, l->targets[index], each, &l->out[index], error);
}

cs_status cs_plan_look_all(const cs_host *host, const char *tree_path, const char *const *targets, const uint64_t *sizes,
                           size_t count, cs_target *out, cs_error *error) {
    cs_meter meter = {.host = host, .step = "check"};
    looks l = {.host = host, .tree_path = tree_path, .targets = targets, .out = out};
    for (size_t i = 0; i < count; i++) meter.total += sizes[i];
    return cs_workers_each(&meter, count, sizes, look_at_one, &l, error);
}

cs_status cs_plan_look_blob(const cs_host *host, const char *tree_path, const cs_blob *blob, cs_target *out, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_blob_path(host, tree_path, blob, &path, error);
    if (status == CS_OK) status = look(host, path.data, NULL, NULL, out, error);
    cs_buffer_free(&path);
    return status;
}

bool cs_plan_blob_exists(const cs_host *host, const char *tree_path, const cs_blob *blob) {
    cs_buffer path = {0};
    bool there = cs_blob_path(host, tree_path, blob, &path, NULL) == CS_OK && cs_fs_exists(host->fs, path.data);
    cs_buffer_free(&path);
    return there;
}
