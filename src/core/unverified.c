/* What an unverified copy has to show before it may be placed; docs/architecture.md, "What an unverified copy must show". */
#include <inttypes.h>
#include <string.h>

#include "cudnn_setup/archive.h"
#include "cudnn_setup/cudnn_header.h"
#include "cudnn_setup/import_library.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"

enum { HEADER_LIMIT = 1024 * 1024 };

static cs_status refuse(cs_error *error, const char *target, const char *why) {
    return cs_fail(error, CS_E_ARCHIVE_BAD, "check", target, "%s; this copy is not what it should be", why);
}

/* A malformed file becomes a refusal of the copy, with the reader's sentence; anything else (no memory, a failing disk) stays. */
static cs_status refuse_malformed(cs_status status, const char *target, cs_error *error) {
    if (status != CS_E_FORMAT) return status;
    char why[CS_ERROR_DETAIL];
    memcpy(why, error->detail, sizeof why);
    return refuse(error, target, why);
}

/* The first three numbers of the manifest's version, whose form the parser has checked. */
static void wanted_version(const cs_manifest *manifest, uint32_t out[3]) {
    const char *at = manifest->version;
    for (size_t i = 0; i < 3; i++) {
        out[i] = 0;
        for (; *at >= '0' && *at <= '9'; at++) out[i] = out[i] * 10 + (uint32_t)(*at - '0');
        if (*at == '.') at++;
    }
}

/* A version resource counts as cuDNN's own numbering only if it starts with the major version. */
static bool contradicts(const uint16_t found[4], const uint32_t wanted[3]) {
    return found[0] == wanted[0] && (found[1] != wanted[1] || found[2] != wanted[2]);
}

static cs_status check_version_resource(const cs_pe *pe, const cs_manifest *manifest, const char *target, cs_error *error) {
    uint32_t wanted[3];
    wanted_version(manifest, wanted);
    if (!pe->has_version) return refuse(error, target, "has no version resource");
    const uint16_t *found = contradicts(pe->file_version, wanted) ? pe->file_version : pe->product_version;
    if (!contradicts(found, wanted)) return CS_OK;
    return cs_fail(error, CS_E_ARCHIVE_BAD, "check", target, "its version resource says %u.%u.%u; this copy is not %s %s",
                   found[0], found[1], found[2], manifest->product, manifest->version);
}

static cs_status check_signature(const cs_host *host, const char *target, const char *path, cs_error *error) {
    cs_signature signature = CS_SIGNATURE_NONE;
    const cs_system *system = host->system;
    cs_status status = system && system->signature ? system->signature(system->ctx, path, &signature, error) : CS_E_UNSUPPORTED;
    if (status == CS_E_UNSUPPORTED) {
        cs_emit(host->events, CS_EVENT_DETAIL, "unverified.no-signature-check", "%s: this system cannot judge signatures",
                target);
        return CS_OK;
    }
    if (status != CS_OK) return status;
    if (signature == CS_SIGNATURE_BROKEN) return refuse(error, target, "its signature is broken");
    if (signature == CS_SIGNATURE_OTHER) return refuse(error, target, "it is signed by somebody other than NVIDIA");
    return CS_OK;
}

static cs_status check_dll(const cs_host *host, const cs_manifest *manifest, const char *target, const char *path,
                           cs_error *error) {
    cs_pe pe = {0};
    cs_status status = cs_pe_read(host->fs, path, CS_PE_ALL, &pe, error);
    if (status != CS_OK) return refuse_malformed(status, target, error);
    if (pe.machine != CS_PE_MACHINE_X64)
        status = refuse(error, target, "it is not for x64");
    else if (!pe.dll)
        status = refuse(error, target, "it is a program, not a DLL");
    else if (pe.exports.count == 0)
        status = refuse(error, target, "it exports nothing");
    else
        status = check_version_resource(&pe, manifest, target, error);
    cs_pe_free(&pe);
    return status == CS_OK ? check_signature(host, target, path, error) : status;
}

static bool is_package_dll(const cs_manifest *manifest, const char *name) {
    for (size_t i = 0; i < manifest->file_count; i++)
        if (manifest->files[i].role == CS_ROLE_DLL && cs_text_equal_ascii_case(cs_path_name(manifest->files[i].target), name))
            return true;
    return false;
}

static cs_status check_library(const cs_host *host, const cs_manifest *manifest, const char *target, const char *path,
                               cs_error *error) {
    cs_strings dlls = {0};
    cs_status status = refuse_malformed(cs_import_library_read(host->fs, path, &dlls, error), target, error);
    for (size_t i = 0; i < dlls.count && status == CS_OK; i++)
        if (!is_package_dll(manifest, dlls.items[i]))
            status = cs_fail(error, CS_E_ARCHIVE_BAD, "check", target, "it imports from %.120s, which is not part of %s",
                             dlls.items[i], manifest->product);
    cs_strings_free(&dlls);
    return status;
}

static cs_status check_version_header(const cs_host *host, const cs_manifest *manifest, const char *target, const char *path,
                                      cs_error *error) {
    cs_buffer text = {0};
    uint32_t found[3], wanted[3];
    wanted_version(manifest, wanted);
    cs_status status = cs_fs_read_all(host->fs, path, HEADER_LIMIT, &text, error);
    if (status == CS_E_TOO_BIG)
        status = refuse(error, target, "it is longer than 1 MiB, and a version header is a few kB");
    else if (status == CS_OK && !cs_cudnn_header_version(cs_buffer_string(&text), text.size, found))
        status = refuse(error, target, "it does not define CUDNN_MAJOR, CUDNN_MINOR and CUDNN_PATCHLEVEL once each");
    else if (status == CS_OK && memcmp(found, wanted, sizeof found) != 0)
        status = cs_fail(error, CS_E_ARCHIVE_BAD, "check", target,
                         "its macros say %" PRIu32 ".%" PRIu32 ".%" PRIu32 "; this copy is not %s %s", found[0], found[1],
                         found[2], manifest->product, manifest->version);
    cs_buffer_free(&text);
    return status;
}

cs_status cs_archive_check_unverified(const cs_host *host, const cs_manifest *manifest, const char *const *staged_paths,
                                      cs_error *error) {
    cs_error own = {0};
    if (!error) error = &own; /* sentences travel in it */
    size_t header = cs_manifest_find_target(manifest, "include/cudnn_version.h");
    if (header == CS_MANIFEST_MAX_FILES)
        return cs_fail(error, CS_E_ARCHIVE_BAD, "check", NULL, "the manifest has no cudnn_version.h that could tell the version");
    cs_status status = check_version_header(host, manifest, manifest->files[header].target, staged_paths[header], error);
    for (size_t i = 0; i < manifest->file_count && status == CS_OK; i++) {
        const cs_manifest_file *file = &manifest->files[i];
        if (file->role == CS_ROLE_DLL) status = check_dll(host, manifest, file->target, staged_paths[i], error);
        if (file->role == CS_ROLE_LIB) status = check_library(host, manifest, file->target, staged_paths[i], error);
    }
    return status;
}
