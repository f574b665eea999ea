#include "cudnn_setup/import_library.h"

#include <string.h>

#include "cudnn_setup/text.h"
#include "source.h"

enum { MAX_MEMBERS = 65536, MAX_SECTIONS = 96, MAX_DLLS = 64, MEMBER_HEADER = 60, FILE_HEADER = 20, SECTION_HEADER = 40 };
enum { MACHINE_X64 = 0x8664, NAME_BYTES = 256 };

typedef struct library {
    cs_source source;
    cs_strings *dlls;
    cs_error *error;
} library;

static cs_status add_dll(library *lib, const char *name) {
    for (size_t i = 0; i < lib->dlls->count; i++)
        if (cs_text_equal_ascii_case(lib->dlls->items[i], name)) return CS_OK;
    if (lib->dlls->count == MAX_DLLS) return cs_source_bad(&lib->source, lib->error, "imports from more than 64 DLLs");
    return cs_strings_add(lib->dlls, name, lib->error);
}

/* Ends the text at its first NUL; false if it is not the printable name of a DLL. */
static bool dll_name(const char *text, size_t size) {
    size_t length = 0;
    while (length < size && text[length] > 0x20 && text[length] < 0x7F) length++;
    return length > 4 && length < size && text[length] == '\0' && cs_text_ends_with_ascii_case(text, ".dll");
}

/* A short import object: header, then the symbol's name and the DLL's, each with a NUL. */
static cs_status read_short(library *lib, uint64_t at, uint64_t size) {
    uint8_t header[20];
    char dll[NAME_BYTES];
    cs_status status = cs_source_read(&lib->source, at, header, sizeof header, "import", lib->error);
    if (status != CS_OK) return status;
    if (cs_le16(header + 4) != 0) return cs_source_bad(&lib->source, lib->error, "holds something that is not an import");
    if (cs_le16(header + 6) != MACHINE_X64) return cs_source_bad(&lib->source, lib->error, "is not for x64");
    uint64_t text = cs_le32(header + 12), end = at + sizeof header + text;
    if (text > size - sizeof header) return cs_source_bad(&lib->source, lib->error, "an import is longer than its place");
    /* The DLL's name is what stands between the last two NULs; only the tail has to be read. */
    size_t tail = text < sizeof dll ? (size_t)text : sizeof dll;
    status = cs_source_read(&lib->source, end - tail, dll, tail, "import", lib->error);
    if (status != CS_OK) return status;
    size_t start = tail ? tail - 1 : 0;
    while (start > 0 && dll[start - 1] != '\0') start--;
    if (start == 0 || !dll_name(dll + start, tail - start))
        return cs_source_bad(&lib->source, lib->error, "an import does not name its DLL");
    return add_dll(lib, dll + start);
}

/* The DLL's name stands alone in .idata$6 (Microsoft) or .idata$7 (GNU) of one of the objects; functions' names start with a
 * 16-bit hint there and do not end with .dll. */
static cs_status read_section(library *lib, uint64_t at, uint64_t size, const uint8_t *section, bool *imports) {
    if (memcmp(section, ".idata$", 7) != 0) return CS_OK;
    *imports = true;
    if (section[7] != '6' && section[7] != '7') return CS_OK;
    char text[NAME_BYTES] = {0};
    uint64_t bytes = cs_le32(section + 16), offset = cs_le32(section + 20);
    if (offset > size || bytes > size - offset) return cs_source_bad(&lib->source, lib->error, "a section is outside its object");
    size_t count = bytes < sizeof text - 1 ? (size_t)bytes : sizeof text - 1;
    cs_status status = cs_source_read(&lib->source, at + offset, text, count, "section", lib->error);
    if (status != CS_OK || !dll_name(text, sizeof text)) return status;
    return add_dll(lib, text);
}

static cs_status read_object(library *lib, uint64_t at, uint64_t size) {
    uint8_t header[FILE_HEADER], section[SECTION_HEADER];
    cs_status status = cs_source_read(&lib->source, at, header, sizeof header, "object", lib->error);
    if (status != CS_OK) return status;
    if (cs_le16(header) != MACHINE_X64) return cs_source_bad(&lib->source, lib->error, "is not for x64");
    size_t count = cs_le16(header + 2);
    uint64_t table = FILE_HEADER + (uint64_t)cs_le16(header + 16);
    if (count > MAX_SECTIONS || table + count * sizeof section > size)
        return cs_source_bad(&lib->source, lib->error, "an object's section table is malformed");
    bool imports = false;
    for (size_t i = 0; i < count && status == CS_OK; i++) {
        status = cs_source_read(&lib->source, at + table + i * sizeof section, section, sizeof section, "section", lib->error);
        if (status == CS_OK) status = read_section(lib, at, size, section, &imports);
    }
    if (status == CS_OK && !imports) return cs_source_bad(&lib->source, lib->error, "holds an object that is not an import");
    return status;
}

/* Ten decimal digits padded with blanks; false otherwise. */
static bool member_size(const uint8_t *field, uint64_t *out) {
    uint64_t value = 0;
    size_t digits = 0;
    for (; digits < 10 && field[digits] >= '0' && field[digits] <= '9'; digits++)
        value = value * 10 + (uint64_t)(field[digits] - '0');
    for (size_t i = digits; i < 10; i++)
        if (field[i] != ' ') return false;
    *out = value;
    return digits > 0;
}

/* The symbol tables "/" and "/<...>/" and the list of long names "//"; "/12" is an object with a long name. */
static bool is_index(const uint8_t *name) { return name[0] == '/' && (name[1] < '0' || name[1] > '9'); }

static cs_status read_member(library *lib, uint64_t at, uint64_t size) {
    uint8_t start[FILE_HEADER];
    if (size < sizeof start) return cs_source_bad(&lib->source, lib->error, "holds a member that is too short");
    cs_status status = cs_source_read(&lib->source, at, start, sizeof start, "object", lib->error);
    if (status != CS_OK) return status;
    return cs_le16(start) == 0 && cs_le16(start + 2) == 0xFFFF ? read_short(lib, at, size) : read_object(lib, at, size);
}

static cs_status read_library(library *lib) {
    uint8_t header[MEMBER_HEADER];
    uint64_t at = 8, size = 0;
    cs_status status = cs_source_read(&lib->source, 0, header, 8, "archive header", lib->error);
    if (status != CS_OK) return status;
    if (memcmp(header, "!<arch>\n", 8) != 0) return cs_source_bad(&lib->source, lib->error, "is not a library");
    for (size_t members = 0; at < lib->source.size && status == CS_OK; members++) {
        if (members == MAX_MEMBERS) return cs_source_bad(&lib->source, lib->error, "has more than 65536 members");
        status = cs_source_read(&lib->source, at, header, sizeof header, "member header", lib->error);
        if (status != CS_OK) return status;
        at += sizeof header;
        if (header[58] != '`' || header[59] != '\n' || !member_size(header + 48, &size))
            return cs_source_bad(&lib->source, lib->error, "has a malformed member header");
        if (size > lib->source.size - at) return cs_source_bad(&lib->source, lib->error, "is cut short");
        if (!is_index(header)) status = read_member(lib, at, size);
        at += size + (size & 1); /* members start at even offsets */
    }
    if (status == CS_OK && lib->dlls->count == 0) return cs_source_bad(&lib->source, lib->error, "imports nothing");
    return status;
}

cs_status cs_import_library_parse(const char *name, const uint8_t *bytes, size_t size, cs_strings *dlls, cs_error *error) {
    library lib = {cs_source_memory(name, bytes, size), dlls, error};
    return read_library(&lib);
}

cs_status cs_import_library_read(const cs_fs *fs, const char *path, cs_strings *dlls, cs_error *error) {
    library lib = {.dlls = dlls, .error = error};
    cs_status status = cs_source_open(fs, path, &lib.source, error);
    if (status == CS_OK) status = read_library(&lib);
    cs_source_close(&lib.source);
    return status;
}
