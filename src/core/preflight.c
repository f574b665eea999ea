#include "cudnn_setup/preflight.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/cudnn_header.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"

enum { HEADER_LIMIT = 1024 * 1024, NAMES_SHOWN = 4, MODULES_SHOWN = 2 };

/* Room beside the unpacked files: journal, reserve, our programs. */
static const uint64_t spare_bytes = 16 * 1024 * 1024;

cs_status cs_preflight_platform(const cs_host *host, cs_error *error) {
    cs_platform platform = {0};
    host->system->platform(host->system->ctx, &platform);
    if (!platform.windows_10)
        return cs_fail(error, CS_E_PLATFORM, "check", NULL, "this is %s; Windows 10 or later is needed. Nothing was changed",
                       platform.text);
    if (!platform.x64)
        return cs_fail(error, CS_E_PLATFORM, "check", NULL,
                       "this is %s; cuDNN for CUDA 10.1 needs an x64 processor. Nothing was changed", platform.text);
    return CS_OK;
}

cs_status cs_preflight_rights(const cs_host *host, cs_error *error) {
    if (host->system->is_administrator(host->system->ctx)) return CS_OK;
    return cs_fail(error, CS_E_RIGHTS, "check", NULL,
                   "start it from an elevated prompt, or as SYSTEM from your deployment tool. Nothing was changed");
}

cs_status cs_preflight_volume(const cs_host *host, const char *tree_path, bool force, cs_error *error) {
    cs_volume volume = {0};
    cs_status status = host->fs->volume(host->fs->ctx, tree_path, &volume, error);
    if (status != CS_OK) return status;
    if (cs_stage_is_solid(&volume)) {
        if (strcmp(volume.filesystem, "NTFS") != 0)
            cs_emit(host->events, CS_EVENT_WARNING, "volume.refs",
                    "%s is on %s: less is known about a power cut there than on NTFS.", tree_path, volume.filesystem);
        return CS_OK;
    }
    const char *where = volume.local_fixed ? "" : ", not on a fixed disk of this machine";
    if (!force)
        return cs_fail(error, CS_E_UNSUPPORTED, "check the volume of", tree_path,
                       "it is on %s%s: a crash in the middle could not be undone there. /force goes on without that promise. "
                       "Nothing was changed",
                       volume.filesystem[0] ? volume.filesystem : "an unknown file system", where);
    cs_emit(host->events, CS_EVENT_WARNING, "volume.no-promise",
            "%s is on %s%s: a crash or power cut in the middle may leave it half changed.", tree_path,
            volume.filesystem[0] ? volume.filesystem : "an unknown file system", where);
    return CS_OK;
}

cs_status cs_preflight_space(const cs_host *host, const char *tree_path, uint64_t need, cs_error *error) {
    cs_volume volume = {0};
    cs_status status = host->fs->volume(host->fs->ctx, tree_path, &volume, error);
    if (status != CS_OK) return status;
    if (need <= UINT64_MAX - spare_bytes && volume.free_bytes >= need + spare_bytes) return CS_OK;
    return cs_fail(error, CS_E_NO_SPACE, "check the volume of", tree_path,
                   "%" PRIu64 " MB are needed and %" PRIu64 " MB are free. Nothing was changed",
                   (need + spare_bytes) / 1000000 + 1, volume.free_bytes / 1000000);
}

/* ---- versions ---- */

static uint32_t header_version(const cs_host *host, const char *tree_path) {
    cs_buffer path = {0}, text = {0};
    uint32_t version = 0, parts[3];
    if (cs_path_join(&path, host->fs->separator, tree_path, "include/cudnn_version.h", NULL) == CS_OK &&
        cs_fs_read_all(host->fs, path.data, HEADER_LIMIT, &text, NULL) == CS_OK &&
        cs_cudnn_header_version(cs_buffer_string(&text), text.size, parts) && parts[1] < 10 && parts[2] < 100)
        version = parts[0] * 1000 + parts[1] * 100 + parts[2];
    cs_buffer_free(&path);
    cs_buffer_free(&text);
    return version;
}

/* The resource counts as the package's version only if its first part is the major version: some NVIDIA files carry the
 * display driver's numbering instead. */
static uint32_t library_version(const cs_host *host, const char *tree_path, uint32_t major) {
    char name[48];
    snprintf(name, sizeof name, "bin/cudnn64_%u.dll", (unsigned)major);
    cs_buffer path = {0};
    cs_pe pe = {0};
    uint32_t version = 0;
    if (cs_path_join(&path, host->fs->separator, tree_path, name, NULL) == CS_OK &&
        cs_pe_read(host->fs, path.data, CS_PE_VERSION, &pe, NULL) == CS_OK && pe.has_version && pe.file_version[0] == major)
        version = major * 1000 + (uint32_t)pe.file_version[1] * 100 + pe.file_version[2];
    cs_pe_free(&pe);
    cs_buffer_free(&path);
    return version;
}

uint32_t cs_preflight_present_version(const cs_host *host, const char *tree_path, uint32_t cudnn_version) {
    uint32_t major = cudnn_version / 1000;
    uint32_t header = header_version(host, tree_path), library = library_version(host, tree_path, major);
    if (header / 1000 != major) header = 0;
    return header > library ? header : library;
}

cs_status cs_preflight_newer(const cs_host *host, const char *tree_path, const cs_manifest *manifest, bool force,
                             cs_error *error) {
    uint32_t present = cs_preflight_present_version(host, tree_path, manifest->cudnn_version);
    if (present <= manifest->cudnn_version) return CS_OK;
    unsigned major = present / 1000, minor = present % 1000 / 100, patch = present % 100;
    if (!force)
        return cs_fail(error, CS_E_NEWER, "check", tree_path,
                       "it holds %s %u.%u.%u, which is newer than %s. /force replaces it. Nothing was changed", manifest->product,
                       major, minor, patch, manifest->version);
    cs_emit(host->events, CS_EVENT_WARNING, "version.newer",
            "%s holds %s %u.%u.%u, which is newer than %s; replaced because of "
            "/force.",
            tree_path, manifest->product, major, minor, patch, manifest->version);
    return CS_OK;
}

/* ---- programs in the way ---- */

static bool is_library(const char *target) { return cs_text_ends_with_ascii_case(target, ".dll"); }

static bool moves_library(const cs_plan *plan) {
    for (size_t i = 0; i < plan->record.move_count; i++)
        if (is_library(plan->record.moves[i].target)) return true;
    return false;
}

/* Every DLL of the package that stands in the tree now: a program may have loaded one that stays and load a changed one later. */
static cs_status present_libraries(const cs_host *host, const cs_plan *plan, cs_strings *out, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < plan->row_count && status == CS_OK; i++) {
        if (!is_library(plan->rows[i].target)) continue;
        status = cs_path_join(&path, host->fs->separator, plan->record.tree_path, plan->rows[i].target, error);
        if (status == CS_OK && cs_fs_exists(host->fs, path.data)) status = cs_strings_add(out, path.data, error);
    }
    cs_buffer_free(&path);
    return status;
}

static bool seen_before(const cs_holders *holders, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (holders->items[i].pid == holders->items[index].pid) return true;
    return false;
}

/* The DLLs that one program holds, by name; what is not shown is counted. */
static void list_modules(const cs_holders *holders, uint32_t pid, cs_buffer *out) {
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < holders->count; i++) {
        if (holders->items[i].pid != pid) continue;
        if (shown < MODULES_SHOWN)
            cs_buffer_format(out, "%s%s", shown++ ? ", " : "", cs_path_name(holders->items[i].module));
        else
            more++;
    }
    if (more) cs_buffer_format(out, " and %zu more", more);
}

static void list_names(const cs_holders *holders, cs_buffer *out) {
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < holders->count; i++) {
        const cs_holder *holder = &holders->items[i];
        if (seen_before(holders, i)) continue;
        if (shown < NAMES_SHOWN) {
            cs_buffer modules = {0};
            list_modules(holders, holder->pid, &modules);
            if (shown++) cs_buffer_text(out, "; ");
            cs_buffer_format(out, "%s (process %u) with %s", holder->name, (unsigned)holder->pid, cs_buffer_string(&modules));
            if (modules.failed) out->failed = true;
            cs_buffer_free(&modules);
        } else {
            more++;
        }
    }
    if (more) cs_buffer_text(out, "; ");
    if (more) cs_buffer_format(out, "and %zu more programs", more);
}

/* All of them: the sentence for people shows only the first. */
static void log_holders(const cs_host *host, const cs_holders *holders) {
    for (size_t i = 0; i < holders->count; i++)
        cs_emit(host->events, CS_EVENT_NOTE, "in-use", "%s (process %u) holds %s", holders->items[i].name,
                (unsigned)holders->items[i].pid, holders->items[i].module);
}

static cs_status judge_holders(const cs_host *host, const cs_plan *plan, bool aside, const cs_holders *holders, cs_error *error) {
    cs_buffer names = {0};
    if (!holders->count) return CS_OK;
    log_holders(host, holders);
    list_names(holders, &names);
    cs_status status = cs_buffer_check(&names, error);
    if (status == CS_OK && aside)
        cs_emit(host->events, CS_EVENT_WARNING, "in-use.aside",
                "Programs go on with the old files, but what they load from now on is new, so restart them: %s.", names.data);
    else if (status == CS_OK)
        status =
            cs_fail(error, CS_E_IN_USE, "check", plan->record.tree_path,
                    "programs hold files of this tree: %s. Close them and try again, or use /inuse:aside. Nothing was changed",
                    names.data);
    cs_buffer_free(&names);
    return status;
}

cs_status cs_preflight_in_use(const cs_host *host, const cs_plan *plan, bool aside, cs_outcome *outcome, cs_error *error) {
    if (!moves_library(plan)) return CS_OK;
    cs_strings paths = {0};
    cs_error lookup = {0};
    cs_status status = present_libraries(host, plan, &paths, error);
    if (status == CS_OK && paths.count) {
        cs_holders_free(&outcome->in_use);
        if (host->system->holders(host->system->ctx, (const char *const *)paths.items, paths.count, &outcome->in_use, &lookup) !=
            CS_OK)
            cs_emit(host->events, CS_EVENT_WARNING, "in-use.unknown",
                    "Which running programs use the old files could not be found out: %s.", cs_status_text(lookup.status));
        status = judge_holders(host, plan, aside, &outcome->in_use, error);
    }
    cs_strings_free(&paths);
    return status;
}
