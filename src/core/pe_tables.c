#include "pe_image.h"

/* Bounds of ours: far above any real file, low enough that a hostile one ends soon. */
enum { MAX_IMPORTS = 1024, MAX_EXPORTS = 65536, MAX_FUNCTIONS = 65536 };

cs_status pe_read_imports(const pe_image *image, cs_pe *out, cs_error *error) {
    uint32_t table = image->directories[PE_DIR_IMPORT].rva;
    if (!table) return CS_OK;
    for (size_t i = 0; i <= MAX_IMPORTS; i++) {
        uint8_t row[20];
        cs_status status = pe_read(image, (uint64_t)table + i * sizeof row, row, sizeof row, "import table", error);
        if (status != CS_OK) return status;
        uint32_t name = cs_le32(row + 12);
        if (!name) return CS_OK; /* the loader ends here as well, whatever the other fields say */
        if (i == MAX_IMPORTS) break;
        status = pe_read_name(image, name, "name of an imported DLL", &out->imports, error);
        if (status != CS_OK) return status;
    }
    return cs_source_bad(&image->source, error, "more than 1024 imported DLLs");
}

/* The functions of one DLL: 8 or 4 bytes each, the topmost bit set where one is named by number only. A hint of two bytes stands
 * before each name. */
static cs_status read_functions(const pe_image *image, const char *dll, uint32_t thunks, cs_pe *out, cs_error *error) {
    size_t width = image->wide ? 8 : 4;
    for (uint64_t i = 0; out->functions.count < MAX_FUNCTIONS; i++) {
        uint8_t row[8] = {0};
        cs_status status = pe_read(image, thunks + i * width, row, width, "table of imported functions", error);
        if (status != CS_OK) return status;
        uint64_t entry = cs_le64(row);
        if (!entry) return CS_OK;
        if (entry >> (width * 8 - 1)) continue;
        cs_strings name = {0};
        cs_buffer text = {0};
        status = pe_read_name(image, entry + 2, "name of an imported function", &name, error);
        if (status == CS_OK) cs_buffer_format(&text, "%s!%s", dll, name.items[0]);
        if (status == CS_OK) status = cs_buffer_check(&text, error);
        if (status == CS_OK) status = cs_strings_add(&out->functions, text.data, error);
        cs_buffer_free(&text);
        cs_strings_free(&name);
        if (status != CS_OK) return status;
    }
    return cs_source_bad(&image->source, error, "more than 65536 imported functions");
}

cs_status pe_read_functions(const pe_image *image, cs_pe *out, cs_error *error) {
    uint32_t table = image->directories[PE_DIR_IMPORT].rva;
    if (!table) return CS_OK;
    for (size_t i = 0; i < MAX_IMPORTS; i++) {
        uint8_t row[20];
        cs_strings dll = {0};
        cs_status status = pe_read(image, (uint64_t)table + i * sizeof row, row, sizeof row, "import table", error);
        if (status != CS_OK || !cs_le32(row + 12)) return status;
        status = pe_read_name(image, cs_le32(row + 12), "name of an imported DLL", &dll, error);
        /* The table that the loader does not write to; some linkers make only the other. */
        uint32_t thunks = cs_le32(row) ? cs_le32(row) : cs_le32(row + 16);
        if (status == CS_OK && thunks) status = read_functions(image, dll.items[0], thunks, out, error);
        cs_strings_free(&dll);
        if (status != CS_OK) return status;
    }
    return cs_source_bad(&image->source, error, "more than 1024 imported DLLs");
}

cs_status pe_read_delay_imports(const pe_image *image, cs_pe *out, cs_error *error) {
    uint32_t table = image->directories[PE_DIR_DELAY_IMPORT].rva;
    if (!table) return CS_OK;
    for (size_t i = 0; i <= MAX_IMPORTS; i++) {
        uint8_t row[32];
        cs_status status = pe_read(image, (uint64_t)table + i * sizeof row, row, sizeof row, "delay import table", error);
        if (status != CS_OK) return status;
        uint64_t name = cs_le32(row + 4);
        if (!name) return CS_OK;
        if (i == MAX_IMPORTS) break;
        /* Without the flag (old linkers) the fields are addresses of the image at its preferred base. */
        if (!(cs_le32(row) & 1)) name -= image->base;
        status = pe_read_name(image, name, "name of a delay-imported DLL", &out->delay_imports, error);
        if (status != CS_OK) return status;
    }
    return cs_source_bad(&image->source, error, "more than 1024 delay-imported DLLs");
}

cs_status pe_read_exports(const pe_image *image, cs_pe *out, cs_error *error) {
    uint32_t table = image->directories[PE_DIR_EXPORT].rva;
    if (!table) return CS_OK;
    uint8_t header[40];
    cs_status status = pe_read(image, table, header, sizeof header, "export table", error);
    if (status != CS_OK) return status;
    uint32_t count = cs_le32(header + 24), names = cs_le32(header + 32);
    if (count > MAX_EXPORTS) return cs_source_bad(&image->source, error, "more than 65536 exported names");
    for (uint32_t i = 0; i < count && status == CS_OK; i++) {
        uint8_t rva[4];
        status = pe_read(image, (uint64_t)names + 4 * (uint64_t)i, rva, sizeof rva, "table of exported names", error);
        if (status == CS_OK) status = pe_read_name(image, cs_le32(rva), "name of an export", &out->exports, error);
    }
    return status;
}
