#include "toolkit_version.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"

enum { MAX_VERSION_FILE = 64 * 1024, MAX_VERSION = 32 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void cs_toolkit_parse_version(const char *text, size_t size, cs_buffer *out) {
    static const char head[] = "CUDA Version ";
    cs_buffer_clear(out);
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, size -= 3;
    if (size < sizeof head - 1 || memcmp(text, head, sizeof head - 1) != 0) return;
    text += sizeof head - 1;
    size -= sizeof head - 1;
    size_t end = 0;
    while (end < size && (is_digit(text[end]) || text[end] == '.')) end++;
    bool whole = end == size || text[end] == '\r' || text[end] == '\n' || text[end] == ' ' || text[end] == '\t';
    if (end && end <= MAX_VERSION && whole && is_digit(text[0]) && is_digit(text[end - 1])) cs_buffer_append(out, text, end);
}

cs_status cs_toolkit_version(const cs_host *host, const char *path, cs_version_file *out, char **version) {
    cs_buffer file = {0}, content = {0}, number = {0};
    cs_file_info info;
    *version = NULL;
    cs_status status = cs_path_join(&file, host->fs->separator, path, "version.txt", NULL);
    if (status == CS_OK) status = host->fs->stat(host->fs->ctx, file.data, &info, NULL);
    *out = status == CS_E_NOT_FOUND ? CS_VERSION_FILE_ABSENT : CS_VERSION_FILE_STRANGE;
    if (status == CS_OK && info.kind == CS_FILE_REGULAR)
        status = cs_fs_read_all(host->fs, file.data, MAX_VERSION_FILE, &content, NULL);
    else if (status == CS_OK)
        status = CS_E_REPARSE;
    if (status == CS_OK) {
        cs_toolkit_parse_version(cs_buffer_string(&content), content.size, &number);
        if (number.size && (*version = cs_strdup(number.data))) *out = CS_VERSION_FILE_FOUND;
        if (number.failed || (number.size && !*version)) status = CS_E_NO_MEMORY;
    }
    cs_buffer_free(&file);
    cs_buffer_free(&content);
    cs_buffer_free(&number);
    return status == CS_E_NO_MEMORY ? status : CS_OK;
}

bool cs_toolkit_version_is(const char *version, const char *cuda) {
    size_t size = strlen(cuda);
    return strncmp(version, cuda, size) == 0 && (version[size] == '\0' || version[size] == '.');
}

void cs_toolkit_cudart_name(const char *cuda, char *out, size_t size) {
    char digits[16];
    size_t count = 0;
    for (const char *p = cuda; *p && count + 1 < sizeof digits; p++)
        if (is_digit(*p)) digits[count++] = *p;
    digits[count] = '\0';
    snprintf(out, size, "cudart64_%s.dll", digits);
}
