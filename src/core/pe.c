#include "cudnn_setup/pe.h"

#include <string.h>

#include "pe_image.h"

void cs_pe_free(cs_pe *pe) {
    cs_strings_free(&pe->imports);
    cs_strings_free(&pe->delay_imports);
    cs_strings_free(&pe->functions);
    cs_strings_free(&pe->exports);
    *pe = (cs_pe){0};
}

/* Bytes of the file that stand at rva, counted from *offset; 0 if none do. */
static uint64_t locate(const pe_image *image, uint64_t rva, uint64_t *offset) {
    if (rva < image->header_size) {
        *offset = rva;
        return image->header_size - rva;
    }
    for (size_t i = 0; i < image->section_count; i++) {
        const pe_section *section = &image->sections[i];
        /* The loader maps no more than the memory size, where one is given; the rest of the file's bytes is padding. */
        uint32_t size = section->file_size;
        if (section->memory_size && section->memory_size < size) size = section->memory_size;
        if (rva < section->rva || rva - section->rva >= size) continue;
        *offset = section->offset + (rva - section->rva);
        return size - (rva - section->rva);
    }
    return 0;
}

cs_status pe_read(const pe_image *image, uint64_t rva, void *bytes, size_t size, const char *what, cs_error *error) {
    uint64_t offset = 0;
    if (locate(image, rva, &offset) < size)
        return cs_fail(error, CS_E_FORMAT, "read", image->source.name, "the %s is outside every section", what);
    return cs_source_read(&image->source, offset, bytes, size, what, error);
}

cs_status pe_read_name(const pe_image *image, uint64_t rva, const char *what, cs_strings *out, cs_error *error) {
    char name[512];
    uint64_t offset = 0, there = locate(image, rva, &offset);
    size_t size = there < sizeof name ? (size_t)there : sizeof name;
    if (offset > image->source.size) size = 0;
    if (size > image->source.size - offset) size = (size_t)(image->source.size - offset);
    cs_status status = cs_source_read(&image->source, offset, name, size, what, error);
    if (status != CS_OK) return status;
    size_t length = 0;
    while (length < size && name[length] >= 0x20 && name[length] < 0x7F) length++;
    if (length == 0 || length == size || name[length] != '\0')
        return cs_fail(error, CS_E_FORMAT, "read", image->source.name, "the %s is not a name", what);
    return cs_strings_add(out, name, error);
}

static cs_status read_sections(pe_image *image, uint64_t offset, size_t count, cs_error *error) {
    uint8_t row[40];
    if (count > PE_MAX_SECTIONS) return cs_source_bad(&image->source, error, "more than 96 sections");
    for (size_t i = 0; i < count; i++) {
        cs_status status = cs_source_read(&image->source, offset + i * sizeof row, row, sizeof row, "section table", error);
        if (status != CS_OK) return status;
        pe_section section = {cs_le32(row + 12), cs_le32(row + 8), cs_le32(row + 20), cs_le32(row + 16)};
        if (section.file_size && (uint64_t)section.offset + section.file_size > image->source.size)
            return cs_source_bad(&image->source, error, "the file is cut short: it ends before its last section");
        image->sections[i] = section;
    }
    image->section_count = count;
    return CS_OK;
}

/* The optional header of PE32 (0x10B) and PE32+ (0x20B); size is what the file header says it has. */
static cs_status read_optional(pe_image *image, uint64_t offset, size_t size, cs_error *error) {
    uint8_t header[240] = {0};
    if (size > sizeof header) size = sizeof header;
    cs_status status = cs_source_read(&image->source, offset, header, size, "optional header", error);
    if (status != CS_OK) return status;
    uint16_t magic = cs_le16(header);
    if (size < 2 || (magic != 0x10B && magic != 0x20B))
        return cs_source_bad(&image->source, error, "the optional header is of an unknown kind");
    bool wide = magic == 0x20B;
    size_t directories = wide ? 112 : 96;
    if (size < directories) return cs_source_bad(&image->source, error, "the optional header is too short");
    image->wide = wide;
    image->base = wide ? cs_le64(header + 24) : cs_le32(header + 28);
    image->header_size = cs_le32(header + 60);
    uint32_t count = cs_le32(header + directories - 4);
    for (size_t i = 0; i < PE_DIRECTORIES && i < count && directories + 8 * (i + 1) <= size; i++)
        image->directories[i] = (pe_directory){cs_le32(header + directories + 8 * i), cs_le32(header + directories + 8 * i + 4)};
    return CS_OK;
}

static cs_status read_headers(pe_image *image, cs_pe *out, cs_error *error) {
    uint8_t dos[64], file[24];
    cs_status status = cs_source_read(&image->source, 0, dos, sizeof dos, "DOS header", error);
    if (status != CS_OK) return status;
    if (dos[0] != 'M' || dos[1] != 'Z')
        return cs_source_bad(&image->source, error, "not a program or DLL: it does not start with MZ");
    uint64_t at = cs_le32(dos + 60);
    status = cs_source_read(&image->source, at, file, sizeof file, "PE header", error);
    if (status != CS_OK) return status;
    if (memcmp(file, "PE\0\0", 4) != 0) return cs_source_bad(&image->source, error, "there is no PE header");
    out->machine = cs_le16(file + 4);
    out->dll = (cs_le16(file + 22) & 0x2000) != 0;
    size_t optional = cs_le16(file + 20);
    status = read_optional(image, at + sizeof file, optional, error);
    if (status == CS_OK) status = read_sections(image, at + sizeof file + optional, cs_le16(file + 6), error);
    out->signed_ = image->directories[PE_DIR_SECURITY].size != 0;
    return status;
}

static cs_status read_parts(pe_image *image, unsigned parts, cs_pe *out, cs_error *error) {
    cs_status status = read_headers(image, out, error);
    if (status == CS_OK && (parts & CS_PE_VERSION)) status = pe_read_version(image, out, error);
    if (status == CS_OK && (parts & CS_PE_IMPORTS)) status = pe_read_imports(image, out, error);
    if (status == CS_OK && (parts & CS_PE_IMPORTS)) status = pe_read_delay_imports(image, out, error);
    if (status == CS_OK && (parts & CS_PE_FUNCTIONS)) status = pe_read_functions(image, out, error);
    if (status == CS_OK && (parts & CS_PE_EXPORTS)) status = pe_read_exports(image, out, error);
    if (status != CS_OK) cs_pe_free(out);
    return status;
}

cs_status cs_pe_parse(const char *name, const uint8_t *bytes, size_t size, unsigned parts, cs_pe *out, cs_error *error) {
    pe_image image = {.source = cs_source_memory(name, bytes, size)};
    return read_parts(&image, parts, out, error);
}

cs_status cs_pe_read(const cs_fs *fs, const char *path, unsigned parts, cs_pe *out, cs_error *error) {
    pe_image image = {0};
    cs_status status = cs_source_open(fs, path, &image.source, error);
    if (status == CS_OK) status = read_parts(&image, parts, out, error);
    cs_source_close(&image.source);
    return status;
}
