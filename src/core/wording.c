#include "cudnn_setup/wording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"

enum { TIME_SIZE = 32, MINUTE = 60 };
#define TICKS_PER_MINUTE INT64_C(600000000)

void cs_say_count(cs_buffer *out, size_t count, const char *one, const char *many) {
    if (count)
        cs_buffer_format(out, "%zu %s", count, count == 1 ? one : many);
    else
        cs_buffer_format(out, "no %s", many);
}

void cs_say_part(cs_buffer *out, size_t count, const char *what) {
    if (count) cs_buffer_format(out, "%s%zu %s", out->size ? ", " : "", count, what);
}

void cs_say_files_and_values(cs_buffer *out, size_t files, size_t all, size_t values) {
    if (files && values)
        cs_buffer_format(
            out, values == 1 ? "%zu of %zu files and %zu environment value" : "%zu of %zu files and %zu environment values",
            files, all, values);
    else if (files)
        cs_buffer_format(out, "%zu of %zu files", files, all);
    else if (values)
        cs_say_count(out, values, "environment value", "environment values");
}

void cs_say_bytes(cs_buffer *out, uint64_t bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    uint64_t scale = 1000;
    if (bytes < 1000) {
        cs_buffer_format(out, bytes == 1 ? "%" PRIu64 " byte" : "%" PRIu64 " bytes", bytes);
        return;
    }
    while (unit + 1 < sizeof units / sizeof units[0] && bytes / scale >= 1000) {
        scale *= 1000;
        unit++;
    }
    cs_buffer_format(out, "%" PRIu64 ".%u %s", bytes / scale, (unsigned)(bytes % scale / (scale / 10)), units[unit]);
}

static bool local_minutes(const cs_host *host, int64_t filetime, int32_t *minutes) {
    const cs_system *system = host->system;
    return system->local_offset && system->local_offset(system->ctx, filetime, minutes);
}

static void plain_time(cs_buffer *out, int64_t filetime, char between) {
    char text[TIME_SIZE];
    cs_time_text(filetime, text);
    size_t size = strlen(text);
    if (size) text[--size] = '\0'; /* the Z */
    char *t = strchr(text, 'T');
    if (t) *t = between;
    cs_buffer_text(out, text);
}

static void offset(cs_buffer *out, int32_t minutes) {
    int32_t size = abs(minutes);
    cs_buffer_format(out, "%c%02d:%02d", minutes < 0 ? '-' : '+', (int)(size / MINUTE), (int)(size % MINUTE));
}

void cs_say_time(cs_buffer *out, const cs_host *host, int64_t filetime) {
    int32_t minutes = 0;
    plain_time(out, filetime, ' ');
    cs_buffer_text(out, " UTC");
    if (!local_minutes(host, filetime, &minutes) || !minutes) return;
    cs_buffer_text(out, " (");
    plain_time(out, filetime + minutes * TICKS_PER_MINUTE, ' ');
    cs_buffer_text(out, " here, UTC");
    offset(out, minutes);
    cs_buffer_text(out, ")");
}

bool cs_say_local_time(cs_buffer *out, const cs_host *host, int64_t filetime) {
    int32_t minutes = 0;
    if (!local_minutes(host, filetime, &minutes)) return false;
    plain_time(out, filetime + minutes * TICKS_PER_MINUTE, 'T');
    offset(out, minutes);
    return true;
}
