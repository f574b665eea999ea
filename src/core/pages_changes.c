/* pages_changes.c: what an installation would change, for people to read before it does. */
#include <string.h>

#include "pages_internal.h"

static void put_files(const cs_outcome *outcome, const char *state, const char *words, cs_buffer *out) {
    size_t count = 0;
    for (size_t i = 0; i < outcome->file_count; i++) count += strcmp(outcome->files[i].state, state) == 0;
    if (!count) return;
    cs_buffer_format(out, "\n%zu × %s\n", count, words);
    for (size_t i = 0; i < outcome->file_count; i++)
        if (strcmp(outcome->files[i].state, state) == 0) cs_buffer_format(out, "    %s\n", outcome->files[i].target);
}

static void put_value(const cs_outcome_value *value, cs_language language, cs_buffer *out) {
    const char *absent = cs_phrase_text(CS_SAY_CHANGE_ABSENT, language);
    page_text(out, value->name);
    cs_buffer_format(out, " (%s)\n    %s: ", value->type, cs_phrase_text(CS_SAY_CHANGE_BEFORE, language));
    page_text(out, value->old_text ? value->old_text : absent);
    cs_buffer_format(out, "\n    %s: ", cs_phrase_text(CS_SAY_CHANGE_AFTER, language));
    page_text(out, value->new_text ? value->new_text : absent);
    cs_buffer_text(out, "\n");
}

void cs_page_changes(const cs_survey *machine, cs_language language, cs_buffer *out) {
    const cs_outcome *outcome = &machine->outcome;
    cs_buffer tree = {0};
    page_text(&tree, outcome->tree_path ? outcome->tree_path : "");
    cs_say(out, CS_SAY_CHANGE_FILES, language, "tree", cs_buffer_string(&tree), NULL);
    cs_buffer_text(out, "\n");
    put_files(outcome, "new", cs_phrase_text(CS_SAY_CHANGE_NEW, language), out);
    put_files(outcome, "replaced", cs_phrase_text(CS_SAY_CHANGE_REPLACED, language), out);
    put_files(outcome, "same", cs_phrase_text(CS_SAY_CHANGE_SAME, language), out);
    cs_buffer_text(out, "\n");
    cs_buffer_text(out, cs_phrase_text(outcome->value_count ? CS_SAY_CHANGE_VALUES : CS_SAY_CHANGE_NO_VALUES, language));
    cs_buffer_text(out, "\n\n");
    for (size_t i = 0; i < outcome->value_count; i++) put_value(&outcome->values[i], language, out);
    cs_buffer_format(out, "\n%s\n%s\n", cs_phrase_text(CS_SAY_CHANGE_OWN, language),
                     cs_phrase_text(CS_SAY_CHANGE_BACK, language));
    cs_buffer_free(&tree);
}
