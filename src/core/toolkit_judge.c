#include "toolkit_judge.h"

#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "pathlist_names.h"
#include "toolkit_version.h"

/* One look at a folder. Nothing may be concluded from answers that were given without memory. */
typedef struct looking {
    const cs_host *host;
    bool starved;
} looking;

static char separator_of(const cs_host *host) { return host->fs->separator; }

static cs_status seen(looking *l, cs_status status) {
    if (status == CS_E_NO_MEMORY) l->starved = true;
    return status;
}

static cs_status verdict(const looking *l, cs_error *error) {
    return l->starved ? cs_fail(error, CS_E_NO_MEMORY, "find CUDA", NULL, NULL) : CS_OK;
}

const char *cs_toolkit_clean(const cs_host *host, const char *text, cs_buffer *out) {
    cs_buffer_clear(out);
    if (!text[strspn(text, " \t\"")]) return "it is empty";
    if (separator_of(host) == '/') {
        size_t size = strlen(text);
        while (size > 1 && text[size - 1] == '/') size--;
        if (text[0] != '/') return "it is not a full path";
        cs_buffer_append(out, text, size);
        return out->failed ? "there is not enough memory" : NULL;
    }
    if (cs_pathlist_is_network(text)) return "it is a network folder, which is never opened";
    cs_path_canonical(out, text);
    if (out->failed) return "there is not enough memory";
    if (!out->size) return "it is not a full path with a drive letter";
    if (out->size == 3) return "it is a whole drive";
    return NULL;
}

/* The kind of <folder>/<relative>; false if there is none. */
static bool kind_of(looking *l, const char *folder, const char *relative, cs_file_kind *kind) {
    const cs_fs *fs = l->host->fs;
    cs_buffer path = {0};
    cs_file_info info;
    cs_status status = seen(l, cs_path_join(&path, fs->separator, folder, relative, NULL));
    if (status == CS_OK) status = seen(l, fs->stat(fs->ctx, path.data, &info, NULL));
    if (status == CS_OK) *kind = info.kind;
    cs_buffer_free(&path);
    return status == CS_OK;
}

static bool is_file(looking *l, const char *folder, const char *relative) {
    cs_file_kind kind;
    return kind_of(l, folder, relative, &kind) && kind == CS_FILE_REGULAR;
}

static bool is_folder(looking *l, const char *folder, const char *relative) {
    cs_file_kind kind;
    return kind_of(l, folder, relative, &kind) && kind == CS_FILE_FOLDER;
}

/* ---- what is in bin ---- */

typedef struct bin_content {
    bool nvcc;
    char cudart[64]; /* some cudart64_*.dll; "" */
    bool cudnn;      /* some cudnn64_*.dll */
    bool cudart32;
} bin_content;

static bool has_form(const char *name, const char *start, const char *end) {
    char head[32];
    size_t size = strlen(start);
    if (strlen(name) < size || size >= sizeof head) return false;
    memcpy(head, name, size);
    head[size] = '\0';
    return cs_text_equal_ascii_case(head, start) && cs_text_ends_with_ascii_case(name, end);
}

static cs_status see_file(void *ctx, const char *name, const cs_file_info *info) {
    bin_content *content = ctx;
    if (info->kind != CS_FILE_REGULAR) return CS_OK;
    if (cs_text_equal_ascii_case(name, "nvcc.exe")) content->nvcc = true;
    if (has_form(name, "cudnn64_", ".dll")) content->cudnn = true;
    if (has_form(name, "cudart32_", ".dll")) content->cudart32 = true;
    if (has_form(name, "cudart64_", ".dll") && strlen(name) < sizeof content->cudart)
        memcpy(content->cudart, name, strlen(name) + 1);
    return CS_OK;
}

static cs_status look_into_bin(looking *l, const char *path, bin_content *out) {
    const cs_fs *fs = l->host->fs;
    cs_buffer bin = {0};
    *out = (bin_content){0};
    cs_status status = cs_path_join(&bin, fs->separator, path, "bin", NULL);
    if (status == CS_OK) status = fs->list(fs->ctx, bin.data, see_file, out, NULL);
    cs_buffer_free(&bin);
    return seen(l, status);
}

static cs_presence presence(looking *l, const char *path, const char *cudart) {
    const cs_fs *fs = l->host->fs;
    cs_buffer real = {0}, wanted = {0};
    cs_file_info info;
    bin_content content;
    /* Resolving comes first: it is what refuses a drive that is mapped to the network without opening it. */
    cs_status status = seen(l, fs->real_path(fs->ctx, path, &real, NULL));
    cs_buffer_free(&real);
    if (status == CS_OK) status = seen(l, fs->stat(fs->ctx, path, &info, NULL));
    if (status == CS_E_NOT_FOUND || (status == CS_OK && info.kind == CS_FILE_REGULAR)) return CS_PRESENCE_ABSENT;
    if (status != CS_OK) return CS_PRESENCE_UNKNOWN;
    cs_buffer_format(&wanted, "bin/%s", cudart);
    bool found = seen(l, cs_buffer_check(&wanted, NULL)) == CS_OK && is_file(l, path, wanted.data);
    cs_buffer_free(&wanted);
    if (found) return CS_PRESENCE_WANTED;
    status = look_into_bin(l, path, &content);
    if (status == CS_E_NOT_FOUND) return CS_PRESENCE_EMPTY;
    if (status != CS_OK) return CS_PRESENCE_UNKNOWN;
    return content.nvcc || content.cudart[0] ? CS_PRESENCE_OTHER : CS_PRESENCE_EMPTY;
}

cs_status cs_toolkit_presence(const cs_host *host, const char *path, const char *cudart, cs_presence *out, cs_error *error) {
    looking l = {.host = host};
    *out = presence(&l, path, cudart);
    return verdict(&l, error);
}

/* ---- judging a candidate: each check returns true if it has refused, with the reason ---- */

/* The folder itself: there, local, no link; its real name. out: the resolved path. */
static bool refuse_place(looking *l, const char *named, cs_buffer *out, cs_buffer *reason) {
    const cs_fs *fs = l->host->fs;
    cs_file_info info;
    cs_volume volume;
    cs_status status = seen(l, fs->real_path(fs->ctx, named, out, NULL));
    if (status == CS_OK) status = seen(l, fs->stat(fs->ctx, named, &info, NULL));
    if (status == CS_E_NOT_FOUND)
        cs_buffer_text(reason, "the folder does not exist");
    else if (status == CS_E_UNSUPPORTED)
        cs_buffer_text(reason, "it is on a network drive, which is never opened");
    else if (status != CS_OK)
        cs_buffer_format(reason, "it cannot be looked at: %s", cs_status_text(status));
    else if (info.kind == CS_FILE_REPARSE)
        cs_buffer_text(reason, "it is a link (a reparse point); name the folder itself");
    else if (info.kind != CS_FILE_FOLDER)
        cs_buffer_text(reason, "it is not a folder");
    else if (seen(l, fs->volume(fs->ctx, out->data, &volume, NULL)) != CS_OK || !volume.guid_path[0])
        cs_buffer_text(reason, "it is not on a volume of this machine");
    return reason->size != 0;
}

/* Windows counts UTF-16 units; bytes that continue a character count for none, a four-byte character for two. */
static size_t utf16_units(const char *text) {
    size_t count = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) count += (*p & 0xC0) == 0x80 ? 0 : *p >= 0xF0 ? 2 : 1;
    return count;
}

static bool refuse_length(const char *path, cs_buffer *reason) {
    size_t units = utf16_units(path) + 1 + strlen(CS_TOOLKIT_LONGEST);
    if (units <= CS_LOADER_MAX_PATH) return false;
    cs_buffer_format(reason,
                     "its path is too long: %s in it would have a name of %u characters, and programs load at most %d; move the "
                     "toolkit to a shorter path",
                     CS_TOOLKIT_LONGEST, (unsigned)units, (int)CS_LOADER_MAX_PATH);
    return true;
}

static bool refuse_links(looking *l, const char *path, cs_buffer *reason) {
    static const char *const folders[] = {"bin", "include", "lib", "lib/x64"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        cs_file_kind kind;
        if (!kind_of(l, path, folders[i], &kind) || kind == CS_FILE_FOLDER) continue;
        cs_buffer_format(reason, "%s in it is %s", folders[i],
                         kind == CS_FILE_REPARSE ? "a link (a reparse point), which is not followed" : "not a folder");
        return true;
    }
    return false;
}

/* Says what the folder is, since it is no toolkit of the wanted version. */
static void explain_missing(looking *l, const char *path, const char *cudart, const char *version, cs_buffer *reason) {
    bin_content content;
    cs_status status = look_into_bin(l, path, &content);
    if (status != CS_OK && status != CS_E_NOT_FOUND)
        cs_buffer_format(reason, "its bin cannot be looked at: %s", cs_status_text(status));
    else if (content.cudart[0])
        cs_buffer_format(reason, "it is a toolkit of another version: bin holds %s, not %s", content.cudart, cudart);
    else if (content.cudart32)
        cs_buffer_format(reason, "it is a 32-bit toolkit: bin\\%s is missing", cudart);
    else if (version)
        cs_buffer_format(reason, "version.txt says %s, but bin\\%s is missing: the base toolkit is not (wholly) installed",
                         version, cudart);
    else if (content.cudnn || is_file(l, path, "include/cudnn.h"))
        cs_buffer_format(reason, "it holds cuDNN without a CUDA toolkit (an unpacked cuDNN?): bin\\%s is missing", cudart);
    else
        cs_buffer_format(reason, "there is no CUDA toolkit in it: bin\\%s is missing", cudart);
}

/* A hand copy of the archive's folder "cuda" instead of its contents. */
static bool nested_copy(looking *l, const char *path) {
    return is_folder(l, path, "cuda/bin") || is_folder(l, path, "cuda/include") || is_folder(l, path, "cuda/lib");
}

void cs_toolkit_warn(const cs_host *host, const cs_toolkit_candidate *candidate) {
    looking l = {.host = host};
    if (nested_copy(&l, candidate->path))
        cs_emit(
            host->events, CS_EVENT_WARNING, "toolkit.nested-cuda",
            "%s holds a folder \"cuda\": a copy of cuDNN one level too deep, which no program finds. It is left alone; delete it "
            "when nothing needs it",
            candidate->path);
    if (!candidate->version)
        cs_emit(host->events, CS_EVENT_WARNING, "toolkit.no-version-file",
                "%s has no version.txt, so which update of CUDA it is stays unknown; it is taken for its runtime library",
                candidate->path);
}

static void judge_content(looking *l, const char *cuda, cs_toolkit_candidate *candidate, cs_buffer *reason) {
    char cudart[64], relative[80];
    cs_toolkit_cudart_name(cuda, cudart, sizeof cudart);
    memcpy(relative, "bin/", 4);
    memcpy(relative + 4, cudart, strlen(cudart) + 1);
    bool runtime = is_file(l, candidate->path, relative);
    cs_version_file found;
    seen(l, cs_toolkit_version(l->host, candidate->path, &found, &candidate->version));
    if (!runtime) {
        explain_missing(l, candidate->path, cudart, candidate->version, reason);
    } else if (found == CS_VERSION_FILE_STRANGE) {
        cs_buffer_text(reason, "its version.txt does not say \"CUDA Version ...\"");
    } else if (candidate->version && !cs_toolkit_version_is(candidate->version, cuda)) {
        cs_buffer_format(reason, "version.txt says %s, not %s", candidate->version, cuda);
    } else {
        candidate->usable = true;
        cs_buffer_format(reason, "bin\\%s is there and ", cudart);
        if (candidate->version)
            cs_buffer_format(reason, "version.txt says %s", candidate->version);
        else
            cs_buffer_text(reason, "version.txt is missing, so which update it is stays unknown");
    }
    if (nested_copy(l, candidate->path))
        cs_buffer_text(reason, "; a folder \"cuda\" lies in it, from a copy of cuDNN one level too deep: it is used by nothing");
}

cs_status cs_toolkit_judge(const cs_host *host, const char *cuda, cs_toolkit_candidate *candidate, cs_error *error) {
    looking l = {.host = host};
    cs_buffer named = {0}, real = {0}, reason = {0};
    const char *refusal = cs_toolkit_clean(host, candidate->path, &named);
    if (refusal) {
        cs_buffer_text(&reason, refusal);
    } else if (!refuse_place(&l, named.data, &real, &reason) && !real.failed) {
        cs_free(candidate->path);
        candidate->path = cs_strdup(cs_buffer_string(&real));
        if (candidate->path && !refuse_length(candidate->path, &reason) && !refuse_links(&l, candidate->path, &reason))
            judge_content(&l, cuda, candidate, &reason);
    }
    cs_status status = verdict(&l, error);
    if (status == CS_OK) status = cs_buffer_check(&named, error);
    if (status == CS_OK) status = cs_buffer_check(&reason, error);
    if (status == CS_OK) status = cs_buffer_check(&real, error);
    cs_free(candidate->reason);
    candidate->reason = cs_strdup(cs_buffer_string(&reason));
    if (status == CS_OK && (!candidate->path || !candidate->reason))
        status = cs_fail(error, CS_E_NO_MEMORY, "find CUDA", NULL, NULL);
    cs_buffer_free(&named);
    cs_buffer_free(&real);
    cs_buffer_free(&reason);
    return status;
}

/* ---- trust ---- */

/* why = the reason not to trust this folder; stays empty if there is none. */
static void distrust_folder(looking *l, const char *path, bool parent, cs_buffer *why) {
    cs_file_info info;
    cs_security security = {0};
    char text[256] = "";
    const cs_fs *fs = l->host->fs;
    cs_status status = seen(l, fs->stat(fs->ctx, path, &info, NULL));
    if (status == CS_OK && info.kind == CS_FILE_REPARSE) {
        cs_buffer_format(why, "%s is a link", path);
        return;
    }
    if (status == CS_OK) status = seen(l, fs->security(fs->ctx, path, &security, NULL));
    if (status != CS_OK)
        cs_buffer_format(why, "the access rights of %s cannot be read: %s", path, cs_status_text(status));
    else if (!cs_security_trusted(&security, parent, text, sizeof text))
        cs_buffer_format(why, "%s: %s", path, text);
    cs_security_free(&security);
}

/* Copies the first `size` bytes of path as a folder of its own; a bare drive gets its separator. */
static void prefix_of(const char *path, size_t size, char separator, cs_buffer *out) {
    cs_buffer_clear(out);
    cs_buffer_append(out, path, size);
    if (!size || path[size - 1] == ':') cs_buffer_append(out, &separator, 1);
}

cs_status cs_toolkit_judge_trust(const cs_host *host, cs_toolkit_candidate *candidate, cs_error *error) {
    looking l = {.host = host};
    char separator = separator_of(host);
    cs_buffer folder = {0}, why = {0};
    for (const char *p = strchr(candidate->path, separator); p && !why.size; p = strchr(p + 1, separator)) {
        prefix_of(candidate->path, (size_t)(p - candidate->path), separator, &folder);
        if (seen(&l, cs_buffer_check(&folder, NULL)) == CS_OK) distrust_folder(&l, folder.data, true, &why);
    }
    if (!why.size) distrust_folder(&l, candidate->path, false, &why);
    cs_status status = cs_path_join(&folder, separator, candidate->path, "bin", error);
    if (status == CS_OK && !why.size) distrust_folder(&l, folder.data, false, &why);
    if (status == CS_OK) status = cs_buffer_check(&why, error);
    if (status == CS_OK) status = verdict(&l, error);
    candidate->trusted = status == CS_OK && !why.size;
    if (status == CS_OK && why.size && !(candidate->untrusted_why = cs_strdup(why.data)))
        status = cs_fail(error, CS_E_NO_MEMORY, "find CUDA", NULL, NULL);
    cs_buffer_free(&folder);
    cs_buffer_free(&why);
    return status;
}
