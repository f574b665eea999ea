/* needs.c: what DLLs need by their import tables, and where a new program would find it: the doctor's verb `needs`. Meant for the
 * real files, whose needs nobody has to take on trust. Nothing is loaded. */
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/diagnose.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"
#include "cudnn_setup/search_order.h"
#include "cudnn_setup/text.h"

enum { MAX_FILES = 256 };

typedef struct needs {
    const cs_host *host;
    cs_search_order order;
    cs_strings files; /* full paths */
    cs_buffer *report;
    size_t read, unread, absent, beyond;
    bool zlib;
} needs;

/* ---- which files ---- */

typedef struct listing {
    const char *folder;
    needs *n;
} listing;

static cs_status note_dll(void *ctx, const char *name, const cs_file_info *info) {
    const listing *l = ctx;
    cs_buffer path = {0};
    if (info->kind == CS_FILE_FOLDER || !cs_text_ends_with_ascii_case(name, ".dll")) return CS_OK;
    if (l->n->files.count == MAX_FILES) {
        l->n->beyond++;
        return CS_OK;
    }
    cs_status status = cs_path_join(&path, l->n->host->fs->separator, l->folder, name, NULL);
    if (status == CS_OK) status = cs_strings_add(&l->n->files, path.data, NULL);
    cs_buffer_free(&path);
    return status;
}

static int by_name(const void *a, const void *b) { return cs_text_compare_ascii_case(*(char *const *)a, *(char *const *)b); }

static cs_status find_files(needs *n, const char *path, cs_error *error) {
    const cs_fs *fs = n->host->fs;
    cs_file_info info;
    listing l = {path, n};
    cs_status status = fs->stat(fs->ctx, path, &info, error);
    if (status != CS_OK) return status;
    if (info.kind != CS_FILE_FOLDER) return cs_strings_add(&n->files, path, error);
    status = fs->list(fs->ctx, path, note_dll, &l, error);
    if (status == CS_OK && n->files.count) qsort(n->files.items, n->files.count, sizeof *n->files.items, by_name);
    if (status == CS_OK && !n->files.count) status = cs_fail(error, CS_E_NOT_FOUND, "look at", path, "there is no DLL in it");
    return status;
}

/* ---- one file ---- */

static void put_visible(needs *n, const char *before, const char *text) {
    cs_buffer_text(n->report, before);
    cs_text_visible(n->report, text);
}

/* Names that the loader resolves without a file. Source: Microsoft, "Windows API sets". */
static bool is_api_set(const char *name) {
    return cs_text_starts_with(name, "api-") || cs_text_starts_with(name, "ext-") || cs_text_starts_with(name, "API-") ||
           cs_text_starts_with(name, "EXT-");
}

/* A DLL's own folder is not searched for what it needs, unless the program asks for that. */
static bool is_beside(const needs *n, const char *file, const char *name) {
    cs_buffer folder = {0}, path = {0};
    bool there = cs_path_parent(&folder, file, NULL) == CS_OK &&
                 cs_path_join(&path, n->host->fs->separator, cs_buffer_string(&folder), name, NULL) == CS_OK &&
                 cs_fs_exists(n->host->fs, path.data);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    return there;
}

static void tell_need(needs *n, const char *file, const char *name, const char *when) {
    cs_buffer path = {0};
    const cs_search_place *place = is_api_set(name) ? NULL : cs_search_order_locate(n->host, &n->order, name, &path);
    cs_buffer_format(n->report, "  needs%s ", when);
    cs_text_visible(n->report, name);
    if (is_api_set(name)) {
        cs_buffer_text(n->report, ": Windows itself");
    } else if (place) {
        put_visible(n, ": ", place->path);
        cs_buffer_format(n->report, " (%s)", cs_search_kind_text(place->kind));
    } else {
        cs_buffer_text(n->report, is_beside(n, file, name) ? ": only beside it, in a folder that new programs do not search"
                                                           : ": in no folder that new programs search");
        n->absent++;
    }
    cs_buffer_text(n->report, "\n");
    n->zlib |= cs_text_equal_ascii_case(name, "zlibwapi.dll");
    cs_buffer_free(&path);
}

static const char *machine_text(uint16_t machine) {
    return machine == CS_PE_MACHINE_X64     ? "x64"
           : machine == CS_PE_MACHINE_X86   ? "32-bit"
           : machine == CS_PE_MACHINE_ARM64 ? "ARM64"
                                            : "for another processor";
}

static cs_status tell_file(needs *n, const char *file, cs_error *error) {
    cs_pe pe = {0};
    cs_error why = {0};
    cs_status status = cs_pe_read(n->host->fs, file, CS_PE_VERSION | CS_PE_IMPORTS, &pe, &why);
    put_visible(n, n->read + n->unread ? "\n" : "", file);
    if (status == CS_E_NO_MEMORY) return cs_fail(error, status, NULL, NULL, NULL);
    if (status != CS_OK) {
        put_visible(n, ": ", why.detail[0] ? why.detail : cs_status_text(status));
        cs_buffer_text(n->report, "\n");
        n->unread++;
        return CS_OK;
    }
    n->read++;
    cs_buffer_format(n->report, ": %s", machine_text(pe.machine));
    const uint16_t *v = pe.file_version;
    if (pe.has_version) cs_buffer_format(n->report, ", version %u.%u.%u.%u", v[0], v[1], v[2], v[3]);
    cs_buffer_text(n->report, "\n");
    for (size_t i = 0; i < pe.imports.count; i++) tell_need(n, file, pe.imports.items[i], "");
    for (size_t i = 0; i < pe.delay_imports.count; i++) tell_need(n, file, pe.delay_imports.items[i], " at first use");
    if (!pe.imports.count && !pe.delay_imports.count) cs_buffer_text(n->report, "  needs nothing\n");
    cs_pe_free(&pe);
    return CS_OK;
}

/* ---- the verb ---- */

static void conclude(const needs *n, cs_buffer *out) {
    cs_buffer_format(out, "%zu %s read", n->read, n->read == 1 ? "DLL was" : "DLLs were");
    if (n->unread) cs_buffer_format(out, ", %zu could not be", n->unread);
    if (n->beyond) cs_buffer_format(out, ", %zu more were not looked at", n->beyond);
    if (n->absent)
        cs_buffer_format(out, "; %zu of the files that they need cannot be found by new programs.", n->absent);
    else
        cs_buffer_text(out, !n->read                 ? "."
                            : n->unread || n->beyond ? "; new programs find all that those need that were read."
                                                     : "; new programs find all that they need.");
    if (n->zlib) cs_buffer_text(out, " zlibwapi.dll is needed by cuDNN 8.3 and newer only: this is not 8.0.3.");
}

cs_status cs_show_needs(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    needs n = {.host = host, .report = report};
    cs_status status = cs_search_order_read(host, NULL, &n.order, &outcome->error);
    if (status == CS_OK) status = find_files(&n, options->dll, &outcome->error);
    for (size_t i = 0; i < n.files.count && status == CS_OK; i++) status = tell_file(&n, n.files.items[i], &outcome->error);
    if (status == CS_OK && n.unread && !n.read)
        status = cs_fail(&outcome->error, CS_E_FAILED, "read", options->dll, "%s",
                         n.unread == 1 ? "it is no DLL, or a damaged one" : "no DLL in it can be read");
    if (status == CS_OK) conclude(&n, &outcome->message);
    cs_search_order_free(&n.order);
    cs_strings_free(&n.files);
    outcome->status = status;
    outcome->result = status ? CS_RESULT_FAILED : CS_RESULT_DONE;
    return status;
}
