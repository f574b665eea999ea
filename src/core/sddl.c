/* sddl.c: the subset of the Security Descriptor Definition Language that Windows prints for files and folders.
 * Source: [MS-DTYP] 2.5.1; constants from sddl.h and winnt.h. */
#include "cudnn_setup/security.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/text.h"

typedef struct token_row {
    const char *token; /* two letters */
    uint32_t value;
} token_row;

static const token_row ace_flags[] = {{"OI", 1}, {"CI", 2}, {"NP", 4}, {"IO", 8}, {"ID", 16}};

static const token_row rights[] = {
    {"GA", 0x10000000}, {"GR", 0x80000000}, {"GW", 0x40000000}, {"GX", 0x20000000}, {"RC", 0x20000},  {"SD", 0x10000},
    {"WD", 0x40000},    {"WO", 0x80000},    {"FA", 0x1F01FF},   {"FR", 0x120089},   {"FW", 0x120116}, {"FX", 0x1200A0},
    {"CC", 0x1},        {"DC", 0x2},        {"LC", 0x4},        {"SW", 0x8},        {"RP", 0x10},     {"WP", 0x20},
    {"DT", 0x40},       {"LO", 0x80},       {"CR", 0x100},
};

static const struct {
    char alias[3];
    const char *sid;
} aliases[] = {
    {"SY", "S-1-5-18"},     {"BA", "S-1-5-32-544"}, {"BU", "S-1-5-32-545"}, {"AU", "S-1-5-11"},     {"WD", "S-1-1-0"},
    {"CO", "S-1-3-0"},      {"CG", "S-1-3-1"},      {"OW", "S-1-3-4"},      {"AC", "S-1-15-2-1"},   {"LS", "S-1-5-19"},
    {"NS", "S-1-5-20"},     {"IU", "S-1-5-4"},      {"NU", "S-1-5-2"},      {"SU", "S-1-5-6"},      {"AN", "S-1-5-7"},
    {"BG", "S-1-5-32-546"}, {"PU", "S-1-5-32-547"}, {"SO", "S-1-5-32-549"}, {"BO", "S-1-5-32-551"}, {"RD", "S-1-5-32-555"},
};

static cs_status malformed(cs_error *error, const char *what, const char *at) {
    return cs_fail(error, CS_E_FORMAT, "SDDL", NULL, "%s at \"%.40s\"", what, at);
}

/* A SID, as an alias or in full, that ends before one of the characters in `ends` or with the text. */
static bool read_sid(const char **at, size_t size, char out[CS_SID_TEXT]) {
    const char *text = *at;
    *at += size;
    if (size == 2)
        for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
            if (memcmp(aliases[i].alias, text, 2) == 0) {
                snprintf(out, CS_SID_TEXT, "%s", aliases[i].sid);
                return true;
            }
    if (size < 5 || size >= CS_SID_TEXT || memcmp(text, "S-1-", 4) != 0) return false;
    for (size_t i = 4; i < size; i++)
        if ((text[i] < '0' || text[i] > '9') && text[i] != '-') return false;
    memcpy(out, text, size);
    out[size] = '\0';
    return true;
}

/* The sum of two-letter tokens; false at one that is not in the table. */
static bool read_tokens(const char *text, size_t size, const token_row *rows, size_t count, uint32_t *out) {
    *out = 0;
    if (size % 2) return false;
    for (size_t at = 0; at < size; at += 2) {
        size_t i = 0;
        while (i < count && memcmp(rows[i].token, text + at, 2) != 0) i++;
        if (i == count) return false;
        *out |= rows[i].value;
    }
    return true;
}

static bool read_mask(const char *text, size_t size, uint32_t *out) {
    if (size < 3 || text[0] != '0' || text[1] != 'x')
        return read_tokens(text, size, rights, sizeof rights / sizeof rights[0], out);
    char padded[9];
    uint8_t bytes[4];
    size_t digits = size - 2;
    if (digits > 8) return false;
    snprintf(padded, sizeof padded, "%08d", 0);
    memcpy(padded + 8 - digits, text + 2, digits);
    if (!cs_unhex(padded, 8, bytes, 4)) return false;
    *out = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    return true;
}

/* Kinds of entries that grant or deny. An object entry's GUIDs and a conditional entry's condition only narrow what it grants;
 * leaving them out makes the answer stricter. */
static bool read_kind(const char *text, size_t size, cs_ace *out, bool *object, bool *conditional) {
    static const struct {
        const char *kind;
        bool allow, object, conditional;
    } rows[] = {{"A", true, false, false},  {"D", false, false, false}, {"OA", true, true, false},
                {"OD", false, true, false}, {"XA", true, false, true},  {"XD", false, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strlen(rows[i].kind) != size || memcmp(rows[i].kind, text, size) != 0) continue;
        out->allow = rows[i].allow;
        *object = rows[i].object;
        *conditional = rows[i].conditional;
        return true;
    }
    return false;
}

/* ";(@User.Project == 1)", with brackets in it; false if they do not pair. *at ends behind it. */
static bool skip_condition(const char **at) {
    size_t depth = 0;
    if (**at != ';' || (*at)[1] != '(') return false;
    for (++*at; **at; ++*at) {
        if (**at == '(') depth++;
        if (**at == ')' && !--depth) {
            ++*at;
            return true;
        }
    }
    return false;
}

/* "(A;OICI;FA;;;SY)", *at on the bracket; *at ends behind it. */
static cs_status read_ace(const char **at, cs_ace *out, cs_error *error) {
    const char *start = *at, *field[6];
    size_t size[6];
    uint32_t flags;
    bool object = false, conditional = false;
    (*at)++;
    for (size_t i = 0; i < 6; i++) {
        field[i] = *at;
        size[i] = strcspn(*at, ";()");
        *at += size[i];
        if (i == 5) break;
        if (**at != ';') return malformed(error, "not an entry of six fields", start);
        (*at)++;
    }
    if (!read_kind(field[0], size[0], out, &object, &conditional)) return malformed(error, "an entry of an unknown kind", start);
    if (conditional && !skip_condition(at)) return malformed(error, "no condition", start);
    if (**at != ')') return malformed(error, "not an entry of six fields", start);
    (*at)++;
    if (!read_tokens(field[1], size[1], ace_flags, sizeof ace_flags / sizeof ace_flags[0], &flags))
        return malformed(error, "unknown inheritance flag", field[1]);
    out->flags = (uint8_t)flags;
    if (!read_mask(field[2], size[2], &out->mask)) return malformed(error, "unknown right", field[2]);
    if (!object && (size[3] || size[4])) return malformed(error, "an object's GUID", start);
    const char *sid = field[5];
    if (!read_sid(&sid, size[5], out->sid)) return malformed(error, "unknown account", field[5]);
    return CS_OK;
}

static cs_status read_dacl(const char **at, cs_security *out, cs_error *error) {
    static const char no_list[] = "NO_ACCESS_CONTROL";
    size_t flags = strspn(*at, "PAIR");
    *at += flags;
    out->null_dacl = strncmp(*at, no_list, sizeof no_list - 1) == 0;
    if (out->null_dacl) *at += sizeof no_list - 1;
    while (**at == '(') {
        cs_ace *aces = cs_realloc(out->aces, out->count + 1, sizeof *aces);
        if (!aces) return cs_fail(error, CS_E_NO_MEMORY, "SDDL", NULL, NULL);
        out->aces = aces;
        aces[out->count] = (cs_ace){0};
        cs_status status = read_ace(at, &aces[out->count], error);
        if (status != CS_OK) return status;
        out->count++;
    }
    return CS_OK;
}

/* An account ends where the next part ("D:") begins. */
static size_t account_size(const char *text) {
    const char *colon = strchr(text, ':');
    return colon && colon > text ? (size_t)(colon - text) - 1 : strlen(text);
}

static cs_status read_parts(const char *at, cs_security *out, cs_error *error) {
    out->null_dacl = true; /* until a D: part says otherwise */
    while (*at) {
        const char *start = at;
        char group[CS_SID_TEXT] = "", part = at[0];
        if (at[1] != ':') return malformed(error, "no part", start);
        at += 2;
        if (part == 'S') return CS_OK; /* audit entries: they grant nothing and end the text */
        if (part == 'O' || part == 'G') {
            if (!read_sid(&at, account_size(at), part == 'O' ? out->owner : group))
                return malformed(error, "unknown account", start);
        } else if (part == 'D') {
            cs_status status = read_dacl(&at, out, error);
            if (status != CS_OK) return status;
        } else {
            return malformed(error, "no part", start);
        }
    }
    return CS_OK;
}

cs_status cs_security_from_sddl(const char *sddl, cs_security *out, cs_error *error) {
    *out = (cs_security){0};
    cs_status status = read_parts(sddl, out, error);
    if (status != CS_OK) cs_security_free(out);
    return status;
}
