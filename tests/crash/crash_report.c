/* Images in words. */
#include <stdio.h>

#include "crash_explore.h"

static const char *short_text(uint16_t content) {
    size_t size;
    uint64_t length;
    static char texts[4][24];
    static unsigned next;
    const char *bytes = crash_content_bytes(content, &size, &length);
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%.20s", bytes ? bytes : "");
    return text;
}

void crash_image_difference(const crash_image *a, const crash_image *b, char *text, size_t size) {
    snprintf(text, size, "the same");
    for (unsigned i = 1; i < crash_path_count(); i++) {
        if (crash_entry_hash((uint16_t)i, &a->at[i]) == crash_entry_hash((uint16_t)i, &b->at[i])) continue;
        snprintf(text, size, "%.110s %s %u/%u/%u is %u/%u/%u", crash_path_text((uint16_t)i), short_text(a->at[i].content),
                 a->at[i].file, a->at[i].content, a->at[i].meta, b->at[i].file, b->at[i].content, b->at[i].meta);
        return;
    }
    for (uint16_t i = 0; i < CRASH_SLOTS; i++)
        if (a->reg[i] != b->reg[i]) {
            snprintf(text, size, "%.110s %u is %u", crash_slot_text(i), a->reg[i], b->reg[i]);
            return;
        }
}

void crash_image_print(const crash_image *image) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file)
            printf("  %s file=%u meta=%u %s\n", crash_path_text((uint16_t)i), image->at[i].file, image->at[i].meta,
                   crash_is_folder(&image->at[i]) ? "" : short_text(image->at[i].content));
    for (uint16_t i = 0; i < CRASH_SLOTS; i++)
        if (image->reg[i]) printf("  %s = %u\n", crash_slot_text(i), image->reg[i]);
}
