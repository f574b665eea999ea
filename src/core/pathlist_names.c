#include "pathlist_names.h"

#include <string.h>

#include "cudnn_setup/text.h"

enum {
    MAX_ROUNDS = 8,           /* %A% naming %B% naming ...: deeper nesting is nobody's PATH */
    MAX_EXPANDED = 128 * 1024 /* bytes; variables that multiply end here */
};

static bool is_separator(char c) { return c == '\\' || c == '/'; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool has_drive(const char *text) { return is_letter(text[0]) && text[1] == ':' && is_separator(text[2]); }

/* ---- text ---- */

/* Appends text to an empty out, without quotes and without blanks around it, with '\\' for '/'. */
static void clean(cs_buffer *out, const char *text) {
    text += strspn(text, "\" \t");
    while (*text) {
        size_t plain = strcspn(text, "\"/");
        cs_buffer_append(out, text, plain);
        text += plain;
        if (*text == '/') cs_buffer_append(out, "\\", 1);
        if (*text) text++;
    }
    while (out->size && is_blank(out->data[out->size - 1])) out->data[--out->size] = '\0';
}

/* Length of a \\?\, \\.\ or \??\ prefix. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
static size_t prefix_size(const char *text) {
    static const char *const prefixes[] = {"\\\\?\\", "\\\\.\\", "\\??\\"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (cs_text_starts_with(text, prefixes[i])) return 4;
    return 0;
}

/* Drops the last component of out, but nothing below floor. */
static void drop_component(cs_buffer *out, size_t floor) {
    while (out->size > floor && out->data[out->size - 1] != '\\') out->size--;
    if (out->size > floor) out->size--;
    out->data[out->size] = '\0';
}

/* Appends the components of path with "." and ".." resolved. */
static void append_components(cs_buffer *out, const char *path) {
    size_t floor = out->size;
    while (*path && !out->failed) {
        size_t size = strcspn(path, "\\");
        if (size == 2 && memcmp(path, "..", 2) == 0) {
            drop_component(out, floor);
        } else if (size && !(size == 1 && path[0] == '.')) {
            cs_buffer_append(out, "\\", 1);
            cs_buffer_append(out, path, size);
        }
        path += size + (path[size] == '\\');
    }
    /* Windows ignores dots and blanks at the end of a name. */
    while (out->size > floor && (out->data[out->size - 1] == '.' || out->data[out->size - 1] == ' '))
        out->data[--out->size] = '\0';
}

void cs_path_canonical(cs_buffer *out, const char *text) {
    cs_buffer work = {0};
    cs_buffer_clear(out);
    clean(&work, text);
    const char *path = cs_buffer_string(&work);
    size_t prefix = prefix_size(path);
    path += prefix;
    bool network = !prefix && cs_text_starts_with(path, "\\\\");
    if (prefix && path[0] && path[1] && path[2] && path[3] == '\\' && (path[0] | 32) == 'u' && (path[1] | 32) == 'n' &&
        (path[2] | 32) == 'c') {
        path += 4;
        network = true;
    }
    if (network) {
        cs_buffer_text(out, "\\");
        append_components(out, path);
    } else if (has_drive(path)) {
        cs_buffer_append(out, path, 2);
        append_components(out, path + 2);
        if (out->size == 2) cs_buffer_text(out, "\\");
    }
    if (work.failed) out->failed = true;
    cs_buffer_free(&work);
}

bool cs_pathlist_same_text(const char *a, const char *b) {
    cs_buffer left = {0}, right = {0};
    cs_path_canonical(&left, a);
    cs_path_canonical(&right, b);
    bool same = left.size && !left.failed && !right.failed && cs_text_equal_ascii_case(left.data, cs_buffer_string(&right));
    cs_buffer_free(&left);
    cs_buffer_free(&right);
    return same;
}

bool cs_pathlist_is_network(const char *text) {
    while (is_blank(*text) || *text == '"') text++;
    if (!is_separator(text[0]) || !is_separator(text[1])) return false;
    bool device = (text[2] == '?' || text[2] == '.') && is_separator(text[3]);
    return !(device && has_drive(text + 4));
}

/* ---- expansion ---- */

typedef struct expansion {
    bool left;      /* a %...% stayed */
    bool unsettled; /* needed a variable that may not be set yet */
    bool replaced;  /* at least one name was expanded */
} expansion;

/* Expands the name that starts at text ("%NAME%..."). *used is 0 if it is no known name. */
static cs_status expand_name(const cs_pathlist_folder *folder, const char *text, cs_buffer *out, expansion *seen, size_t *used,
                             cs_error *error) {
    *used = 0;
    const char *end = strchr(text + 1, '%');
    if (!end) return CS_OK;
    cs_buffer name = {0}, value = {0};
    cs_buffer_append(&name, text + 1, (size_t)(end - text - 1));
    cs_status status = cs_buffer_check(&name, error);
    if (status == CS_OK) {
        status = name.size ? folder->variable(folder->ctx, name.data, &value) : CS_E_NOT_FOUND;
        if (status == CS_E_NOT_FOUND) {
            seen->left = true;
            status = CS_OK;
        } else if (status != CS_OK) {
            cs_fail(error, status, "expand", name.data, "the variable cannot be read");
        } else {
            cs_buffer_append(out, cs_buffer_string(&value), value.size);
            status = cs_buffer_check(&value, error);
            seen->replaced = true;
            bool settled = true;
            if (status == CS_OK && folder->settled) status = folder->settled(folder->ctx, name.data, &settled);
            if (!settled) seen->unsettled = true;
            *used = (size_t)(end - text) + 1;
        }
    }
    cs_buffer_free(&name);
    cs_buffer_free(&value);
    return status;
}

static cs_status expand(const cs_pathlist_folder *folder, const char *text, cs_buffer *out, expansion *seen, cs_error *error) {
    cs_buffer_clear(out);
    while (*text) {
        size_t plain = strcspn(text, "%"), used = 0;
        cs_buffer_append(out, text, plain);
        text += plain;
        if (!*text) break;
        if (folder && folder->variable) {
            cs_status status = expand_name(folder, text, out, seen, &used, error);
            if (status != CS_OK) return status;
        } else if (strchr(text + 1, '%')) {
            seen->left = true;
        }
        if (!used) {
            cs_buffer_append(out, text, 1);
            used = 1;
        }
        text += used;
        if (out->size > MAX_EXPANDED)
            return cs_fail(error, CS_E_TOO_BIG, "expand", NULL, "variables name each other without end");
    }
    return cs_buffer_check(out, error);
}

cs_status cs_pathlist_expand(const cs_pathlist_folder *folder, const char *text, cs_buffer *out, bool *complete,
                             cs_error *error) {
    expansion seen = {0};
    cs_status status = expand(folder, text, out, &seen, error);
    if (complete) *complete = status == CS_OK && !seen.left && !seen.unsettled;
    return status;
}

/* Expands until nothing changes: for the question what an entry means, not for what Windows makes of it. */
static cs_status expand_fully(const cs_pathlist_folder *folder, const char *text, cs_buffer *out, cs_error *error) {
    cs_buffer now = {0};
    cs_buffer_text(&now, text);
    cs_status status = cs_buffer_check(&now, error);
    for (int round = 0; status == CS_OK && round < MAX_ROUNDS; round++) {
        expansion seen = {0};
        status = expand(folder, cs_buffer_string(&now), out, &seen, error);
        if (status != CS_OK || !seen.replaced) break;
        cs_buffer_clear(&now);
        cs_buffer_append(&now, cs_buffer_string(out), out->size);
        status = cs_buffer_check(&now, error);
    }
    if (status == CS_E_TOO_BIG) { /* not a name for anything */
        cs_buffer_clear(out);
        status = CS_OK;
    }
    cs_buffer_free(&now);
    return status;
}

/* ---- the two questions ---- */

/* Replaces out with the canonical form of the resolved path, "" where that is not to be had. */
static void resolve(const cs_pathlist_folder *folder, const char *path, cs_buffer *out) {
    cs_buffer real = {0};
    cs_buffer_clear(out);
    if (!folder->real_path || !has_drive(path)) return;
    cs_status status = folder->real_path(folder->ctx, path, &real);
    if (status == CS_OK) cs_path_canonical(out, cs_buffer_string(&real));
    if (status == CS_E_NO_MEMORY || real.failed) out->failed = true;
    cs_buffer_free(&real);
}

cs_status cs_folder_match_begin(const cs_pathlist_folder *folder, cs_folder_match *out, cs_error *error) {
    *out = (cs_folder_match){.folder = folder};
    if (!folder) return CS_OK;
    cs_path_canonical(&out->canonical, folder->path);
    cs_status status = cs_buffer_check(&out->canonical, error);
    if (status == CS_OK && out->canonical.size) resolve(folder, out->canonical.data, &out->real);
    if (status == CS_OK) status = cs_buffer_check(&out->real, error);
    if (status != CS_OK) cs_folder_match_end(out);
    return status;
}

void cs_folder_match_end(cs_folder_match *match) {
    cs_buffer_free(&match->canonical);
    cs_buffer_free(&match->real);
}

/* A subst drive belongs to one sign-in: services and elevated programs do not have it. */
static bool drive_is_for_everyone(const cs_folder_match *match, const char *path, cs_buffer *work) {
    if ((path[0] | 32) == (match->canonical.data[0] | 32)) return true;
    char root[4] = {path[0], ':', '\\', '\0'};
    resolve(match->folder, root, work);
    return cs_text_equal_ascii_case(cs_buffer_string(work), root);
}

/* Does text, with nothing left to expand, name our folder? everyone: it does so in every session. work->failed: no answer for
 * want of memory. */
static bool names(const cs_folder_match *match, const char *text, bool *everyone, cs_buffer *work) {
    *everyone = true;
    cs_path_canonical(work, text);
    if (!work->size || work->failed || !match->canonical.size) return false;
    if (cs_text_equal_ascii_case(work->data, match->canonical.data)) return true;
    if (!match->real.size) return false;
    cs_buffer real = {0};
    resolve(match->folder, work->data, &real);
    bool same = real.size && cs_text_equal_ascii_case(real.data, match->real.data);
    if (same) *everyone = drive_is_for_everyone(match, work->data, &real);
    if (real.failed) work->failed = true;
    cs_buffer_free(&real);
    return same;
}

/* What the loader needs: it takes the characters between two ';' as they are. A \\?\ prefix is not known to work: it counts as
 * unusable, which costs one more entry and never a missing one. */
static bool loader_takes(const char *text) {
    size_t size = strlen(text);
    if (!size || is_blank(text[size - 1]) || strchr(text, '"')) return false;
    if (has_drive(text)) return true;
    return is_separator(text[0]) && is_separator(text[1]) && text[2] != '?' && text[2] != '.';
}

cs_status cs_folder_match_entry(const cs_folder_match *match, uint32_t type, const char *text, bool *ours, bool *usable,
                                cs_error *error) {
    *ours = *usable = false;
    cs_buffer once = {0}, work = {0};
    expansion seen = {0};
    bool everyone = true, ignored;
    cs_status status = CS_OK;
    if (type == CS_REG_EXPAND_SZ)
        status = expand(match->folder, text, &once, &seen, error);
    else
        cs_buffer_text(&once, text);
    if (status == CS_E_TOO_BIG) status = CS_OK, seen.left = true; /* an endless entry is no entry of ours */
    if (status == CS_OK) status = cs_buffer_check(&once, error);
    if (status != CS_OK) goto out;
    bool settled = !seen.unsettled && loader_takes(cs_buffer_string(&once));
    *usable = settled && !seen.left;
    if (!match->folder) goto out;

    if (names(match, cs_buffer_string(&once), &everyone, &work)) {
        *ours = true;
        *usable = settled && everyone;
        goto out;
    }
    if (work.failed) goto out;
    /* What we wrote stays ours, whatever its %...% would mean by now; then what the text means when all is expanded. */
    cs_path_canonical(&work, text);
    *ours = match->canonical.size && cs_text_equal_ascii_case(cs_buffer_string(&work), match->canonical.data);
    if (!*ours && !work.failed && strchr(cs_buffer_string(&once), '%')) {
        status = expand_fully(match->folder, text, &once, error);
        if (status == CS_OK) *ours = names(match, cs_buffer_string(&once), &ignored, &work);
    }
    if (*ours) *usable = false;
out:
    if (status == CS_OK) status = cs_buffer_check(&work, error);
    cs_buffer_free(&once);
    cs_buffer_free(&work);
    return status;
}
