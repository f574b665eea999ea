#include "cudnn_setup/options.h"

#include <string.h>

#include "cudnn_setup/text.h"
#include "options_table.h"

enum { SEEN_MAX = 64, ID_DIGITS = 32 };

typedef struct parser {
    const char *const *arguments;
    size_t count, at;
    cs_options *out;
    cs_error *error;
    bool seen[SEEN_MAX]; /* by row of the table */
    bool help;
} parser;

const char *cs_verb_text(cs_verb verb) {
    if (verb == CS_VERB_HELP) return "help";
    if (verb == CS_VERB_DIAGNOSE) return "diagnose";
    if (verb == CS_VERB_PROBE) return "probe";
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].kind == OPTION_VERB && option_rows[i].verbs == 1ul << verb) return option_rows[i].name;
    return "unknown";
}

#define USAGE(p, word, ...) cs_fail((p)->error, CS_E_USAGE, NULL, word, __VA_ARGS__)

static const option_row *find_row(cs_program program, const char *name, size_t size) {
    for (size_t i = 0; i < option_row_count; i++) {
        const option_row *row = &option_rows[i];
        if (!(row->programs & 1u << program) || strlen(row->name) != size) continue;
        size_t same = 0;
        while (same < size) {
            char c = name[same];
            if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
            if (c != row->name[same]) break;
            same++;
        }
        if (same == size) return row;
    }
    return NULL;
}

static bool is_option(const char *word) { return word[0] == '/' || word[0] == '-'; }

/* "/archive:x", "-archive", "--archive=x": name and, where a separator stands, value. */
static void split_word(const char *word, const char **name, size_t *name_size, const char **value) {
    *name = word + (word[0] == '-' && word[1] == '-' ? 2 : 1);
    *name_size = strcspn(*name, ":=");
    *value = (*name)[*name_size] ? *name + *name_size + 1 : NULL;
}

static bool is_help(const char *name, size_t size) {
    return (size == 1 && (name[0] == '?' || name[0] == 'h' || name[0] == 'H')) ||
           (size == 4 && (name[0] == 'h' || name[0] == 'H') && cs_text_equal_ascii_case(name, "help"));
}

static cs_status take_verb(parser *p, const option_row *row, const char *word) {
    cs_verb verb = CS_VERB_INSTALL;
    while (row->verbs != 1ul << verb) verb = (cs_verb)(verb + 1);
    if (p->out->verb_given && p->out->verb == verb) return USAGE(p, word, "it is given twice");
    if (p->out->verb_given) return USAGE(p, word, "one verb at a time, and /%s stands before it", cs_verb_text(p->out->verb));
    p->out->verb = verb;
    p->out->verb_given = true;
    return CS_OK;
}

/* The position of value among "a|b|c", or SEEN_MAX. */
static size_t choice_index(const char *words, const char *value) {
    size_t size = strlen(value);
    for (size_t i = 0;; i++) {
        size_t length = strcspn(words, "|");
        bool same = length == size;
        for (size_t k = 0; same && k < size; k++) {
            char pair[2][2] = {{words[k], 0}, {value[k], 0}};
            same = cs_text_equal_ascii_case(pair[0], pair[1]);
        }
        if (same) return i;
        if (!words[length]) return SEEN_MAX;
        words += length + 1;
    }
}

static cs_status store_text(parser *p, const option_row *row, const char *value) {
    char *copy = cs_strdup(value);
    if (!copy) return cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    char **field = (char **)(void *)((char *)p->out + row->offset);
    cs_free(*field);
    *field = copy;
    return CS_OK;
}

static cs_status store_id(parser *p, const option_row *row, const char *word, const char *value) {
    uint8_t bytes[ID_DIGITS / 2];
    if (!cs_unhex(value, strlen(value), bytes, sizeof bytes))
        return USAGE(p, word, "an id is the %d hexadecimal digits that /status shows", ID_DIGITS);
    char digits[ID_DIGITS + 1];
    cs_hex(bytes, sizeof bytes, digits);
    return store_text(p, row, digits);
}

/* Only /lang has no setter: it is kept as text, in the spelling of the table. */
static cs_status store_choice(parser *p, const option_row *row, const char *word, const char *value) {
    size_t choice = choice_index(row->value, value);
    if (choice == SEEN_MAX)
        return USAGE(p, word, strchr(row->value, '|') ? "\"%s\" is not one of %s" : "\"%s\" is not %s, the only value there is",
                     value, row->value);
    if (row->set) {
        row->set(p->out, choice);
        return CS_OK;
    }
    cs_free(p->out->lang);
    p->out->lang = cs_strdup(choice ? "zh-CN" : "en");
    return p->out->lang ? CS_OK : cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
}

/* The value of an option that needs one: after the separator, or the next word. */
static cs_status need_value(parser *p, const option_row *row, const char *word, const char **value) {
    if (!*value) {
        if (p->at == p->count) return USAGE(p, word, "the value is missing, as in /%s:%s", row->name, row->value);
        const char *next = p->arguments[p->at];
        if (is_option(next))
            return USAGE(p, word,
                         "the value is missing, and the next word, %s, is an option; a value that starts so is written /%s:%s",
                         next, row->name, row->value);
        *value = next;
        p->at++;
    }
    if (!**value) return USAGE(p, word, "the value is missing, as in /%s:%s", row->name, row->value);
    return CS_OK;
}

static cs_status take_row(parser *p, const option_row *row, const char *word, const char *value) {
    if (row->kind == OPTION_VERB || row->kind == OPTION_FLAG) {
        if (value) return USAGE(p, word, "/%s takes no value", row->name);
        if (row->kind == OPTION_VERB) return take_verb(p, row, word);
    }
    size_t index = (size_t)(row - option_rows);
    if (p->seen[index]) return USAGE(p, word, "it is given twice");
    p->seen[index] = true;
    if (row->kind == OPTION_FLAG) {
        row->set(p->out, 0);
        return CS_OK;
    }
    cs_status status = need_value(p, row, word, &value);
    if (status || !value) return status;
    if (row->kind == OPTION_TEXT) return store_text(p, row, value);
    if (row->kind == OPTION_ID) return store_id(p, row, word, value);
    return store_choice(p, row, word, value);
}

static cs_status take_option(parser *p, const char *word) {
    const char *name, *value;
    size_t size;
    split_word(word, &name, &size, &value);
    if (p->out->program != CS_PROGRAM_PROBE && !value && is_help(name, size)) {
        p->help = true;
        return CS_OK;
    }
    const option_row *row = find_row(p->out->program, name, size);
    if (!row) return USAGE(p, word, "no such option; /? lists them");
    return take_row(p, row, word, value);
}

/* A word without '/' or '-': the doctor's verbs, what seal and needs look at, or a .zip dropped on the program. */
static cs_status take_bare(parser *p, const char *word) {
    const cs_options *o = p->out;
    bool doctor = o->program == CS_PROGRAM_DOCTOR;
    if (doctor) {
        const option_row *row = find_row(CS_PROGRAM_DOCTOR, word, strlen(word));
        if (row && row->kind == OPTION_VERB) return take_verb(p, row, word);
    }
    const char *taken = doctor && o->verb_given && o->verb == CS_VERB_NEEDS ? "dll" : "archive";
    bool archive = cs_text_ends_with_ascii_case(word, ".zip") || (doctor && o->verb_given && o->verb == CS_VERB_SEAL);
    const option_row *row = archive || *taken == 'd' ? find_row(o->program, taken, strlen(taken)) : NULL;
    if (!row && !doctor && strpbrk(word, "\\:")) /* a file that was dropped on the program */
        return USAGE(p, word,
                     "this is no .zip archive, and cuDNN for Windows comes as one: drop or name that; /? lists the options");
    if (!row) return USAGE(p, word, "neither an option nor a .zip archive; /? lists the options");
    if (p->seen[row - option_rows])
        return USAGE(p, word, "a second %s; one is named already: %s", *taken == 'd' ? "DLL" : "archive",
                     *taken == 'd' ? o->dll : o->archive);
    return take_row(p, row, word, word);
}

/* The doctor's verbs are written without one. */
static const char *verb_mark(const cs_options *o) { return o->program == CS_PROGRAM_SETUP ? "/" : ""; }

/* What only the whole line can tell: options that do not belong to the verb, and pairs that contradict each other. */
static cs_status check_whole(parser *p) {
    cs_options *o = p->out;
    const char *verb = o->verb == CS_VERB_DIAGNOSE ? "the diagnosis" : cs_verb_text(o->verb);
    for (size_t i = 0; i < option_row_count; i++)
        if (p->seen[i] && !(option_rows[i].verbs & 1ul << o->verb))
            return USAGE(p, NULL, "/%s does not go with %s%s", option_rows[i].name, verb_mark(o), verb);
    const option_row *quiet = find_row(CS_PROGRAM_SETUP, "quiet", 5), *passive = find_row(CS_PROGRAM_SETUP, "passive", 7);
    if (p->seen[quiet - option_rows] && p->seen[passive - option_rows])
        return USAGE(p, NULL, "/quiet and /passive contradict each other: give one of them");
    if (o->cuda && o->tree) return USAGE(p, NULL, "/tree and /cuda both name the installation: give one of them");
    if (o->verb == CS_VERB_SEAL && !o->archive) return USAGE(p, NULL, "the archive is missing, as in seal ZIP /out:FILE");
    if (o->verb == CS_VERB_SEAL && !o->out)
        return USAGE(p, NULL, "the name of the new manifest is missing, as in seal ZIP /out:FILE");
    if (o->verb == CS_VERB_NEEDS && !o->dll) return USAGE(p, NULL, "the DLL or folder is missing, as in needs FILE");
    if (o->cudapath_take && o->env != CS_ENV_ALL)
        return USAGE(p, NULL, "/cudapath:take needs /env:all, which is what counts without /env");
    return CS_OK;
}

/* "C:\\dir\\" /quiet reaches a program as one word that ends in: C:\\dir" /quiet. No name of a file holds a quotation mark. */
static cs_status check_quotes(parser *p) {
    for (size_t i = 0; i < p->count; i++)
        if (strchr(p->arguments[i], '"'))
            return USAGE(p, p->arguments[i],
                         "a quotation mark inside a word: a backslash right before a closing quotation mark does that; write "
                         "\"C:\\folder\" or \"C:\\folder\\\\\", not \"C:\\folder\\\"");
    return CS_OK;
}

static cs_status parse_words(parser *p) {
    cs_status quotes = check_quotes(p);
    if (quotes) return quotes;
    while (p->at < p->count) {
        const char *word = p->arguments[p->at++];
        cs_status status = is_option(word) ? take_option(p, word) : take_bare(p, word);
        if (status) return status;
    }
    if (p->help) {
        p->out->verb = CS_VERB_HELP;
        p->out->verb_given = true;
        return CS_OK;
    }
    return check_whole(p);
}

/* Of a bad command line only this counts: where its result is to be told, and what it seems to have been about. Words behind the
 * bad one are looked at, too. What cannot be kept is not worth another error. */
static void keep_outputs(parser *p) {
    cs_options kept = {.program = p->out->program, .verb = p->out->verb, .verb_given = p->out->verb_given, .ui = p->out->ui};
    char **const fields[] = {&kept.json, &kept.log, &kept.report};
    static const char *const names[] = {"json", "log", "report"};
    for (size_t i = 0; i < p->count; i++) {
        const char *word = p->arguments[i], *name, *value;
        size_t size;
        if (!is_option(word)) continue;
        split_word(word, &name, &size, &value);
        if (!value && i + 1 < p->count && !is_option(p->arguments[i + 1])) value = p->arguments[i + 1];
        const option_row *row = find_row(kept.program, name, size);
        for (size_t k = 0; row && value && *value && !strchr(value, '"') && k < sizeof names / sizeof names[0]; k++)
            if (strcmp(row->name, names[k]) == 0 && !*fields[k]) *fields[k] = cs_strdup(value);
        if (row && row->kind == OPTION_FLAG && row->group == GROUP_OUTPUT) row->set(&kept, 0);
    }
    cs_options_free(p->out);
    *p->out = kept;
}

cs_status cs_options_parse(cs_program program, const char *const *arguments, size_t count, cs_options *out, cs_error *error) {
    static const cs_verb without_verb[] = {CS_VERB_INSTALL, CS_VERB_DIAGNOSE, CS_VERB_PROBE};
    *out = (cs_options){.program = program, .verb = without_verb[program]};
    parser p = {.arguments = arguments, .count = count, .out = out, .error = error};
    cs_status status = parse_words(&p);
    if (status) keep_outputs(&p);
    return status;
}

void cs_options_free(cs_options *options) {
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].kind == OPTION_TEXT || option_rows[i].kind == OPTION_ID)
            cs_free(*(char **)(void *)((char *)options + option_rows[i].offset));
    cs_free(options->lang);
    *options = (cs_options){.program = options->program};
}
