/* phrases.c: the table of phrases read and filled in. */
#include "cudnn_setup/phrases.h"

#include <string.h>

#include "cudnn_setup/text.h"
#include "phrase_table.h"

const char *cs_phrase_text(cs_phrase phrase, cs_language language) {
    bool known = (unsigned)phrase < CS_PHRASE_COUNT && (unsigned)language < CS_LANGUAGE_COUNT;
    return known && phrase_rows[phrase].text[language] ? phrase_rows[phrase].text[language] : "";
}

static const char *find(const char *const *pairs, const char *name, size_t size) {
    for (; *pairs; pairs += 2)
        if (strlen(pairs[0]) == size && memcmp(pairs[0], name, size) == 0 && pairs[1]) return pairs[1];
    return "?";
}

void cs_say_pairs(cs_buffer *out, cs_phrase phrase, cs_language language, const char *const *pairs) {
    for (const char *at = cs_phrase_text(phrase, language); *at;) {
        size_t plain = strcspn(at, "{");
        cs_buffer_append(out, at, plain);
        at += plain;
        const char *close = *at ? strchr(at, '}') : NULL;
        if (!close) {
            cs_buffer_text(out, at);
            return;
        }
        cs_buffer_text(out, find(pairs, at + 1, (size_t)(close - at - 1)));
        at = close + 1;
    }
}

typedef struct exit_phrases {
    int code;
    cs_phrase meaning, advice; /* CS_PHRASE_COUNT: none */
} exit_phrases;

static const exit_phrases exits[] = {
    {CS_EXIT_OK, CS_SAY_EXIT_OK, CS_PHRASE_COUNT},
    {CS_EXIT_DIFFERS, CS_SAY_EXIT_DIFFERS, CS_SAY_DO_DIFFERS},
    {CS_EXIT_NO_SPACE, CS_SAY_EXIT_NO_SPACE, CS_SAY_DO_NO_SPACE},
    {CS_EXIT_RIGHTS, CS_SAY_EXIT_RIGHTS, CS_SAY_DO_RIGHTS},
    {CS_EXIT_CANCELLED, CS_SAY_EXIT_CANCELLED, CS_SAY_DO_CANCELLED},
    {CS_EXIT_FAILED, CS_SAY_EXIT_FAILED, CS_SAY_DO_FAILED},
    {CS_EXIT_PENDING, CS_SAY_EXIT_PENDING, CS_SAY_DO_PENDING},
    {CS_EXIT_NOTHING, CS_SAY_EXIT_NOTHING, CS_SAY_DO_NOTHING},
    {CS_EXIT_BUSY, CS_SAY_EXIT_BUSY, CS_SAY_DO_BUSY},
    {CS_EXIT_ARCHIVE_OPEN, CS_SAY_EXIT_ARCHIVE_OPEN, CS_SAY_DO_ARCHIVE_OPEN},
    {CS_EXIT_ARCHIVE_BAD, CS_SAY_EXIT_ARCHIVE_BAD, CS_SAY_DO_ARCHIVE},
    {CS_EXIT_PLATFORM, CS_SAY_EXIT_PLATFORM, CS_SAY_DO_PLATFORM},
    {CS_EXIT_NEWER, CS_SAY_EXIT_NEWER, CS_SAY_DO_NEWER},
    {CS_EXIT_USAGE, CS_SAY_EXIT_USAGE, CS_SAY_DO_USAGE},
    {CS_EXIT_TOOLKIT, CS_SAY_EXIT_TOOLKIT, CS_SAY_DO_TOOLKIT},
};

static const exit_phrases *find_exit(int code) {
    enum { COUNT = sizeof exits / sizeof exits[0] };
    size_t failed = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (exits[i].code == code) return &exits[i];
        if (exits[i].code == CS_EXIT_FAILED) failed = i;
    }
    return &exits[failed];
}

const char *cs_say_exit(int code, cs_language language) { return cs_phrase_text(find_exit(code)->meaning, language); }

const char *cs_say_exit_advice(int code, cs_language language) { return cs_phrase_text(find_exit(code)->advice, language); }

/* Traditional Chinese, and what is written in Taiwan, Hong Kong and Macau, is no reason to show Simplified. */
cs_language cs_language_of_tag(const char *tag) {
    static const char *const others[] = {"zh-Hant", "zh-TW", "zh-HK", "zh-MO"};
    char head[8] = {0};
    for (size_t i = 0; tag && tag[i] && i + 1 < sizeof head; i++) head[i] = tag[i];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char same[8] = {0};
        memcpy(same, head, strlen(others[i]));
        if (cs_text_equal_ascii_case(same, others[i])) return CS_ENGLISH;
    }
    head[3] = head[2] == '-' ? '\0' : head[3];
    head[2] = head[2] == '-' ? '\0' : head[2];
    return cs_text_equal_ascii_case(head, "zh") ? CS_CHINESE : CS_ENGLISH;
}
