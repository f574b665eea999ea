/* The PE reader: DLLs on PATH and in the archive. */
#include "binary_maker.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const unsigned parts[] = {CS_PE_HEADER,    CS_PE_VERSION, CS_PE_IMPORTS,
                                     CS_PE_FUNCTIONS, CS_PE_EXPORTS, CS_PE_ALL | CS_PE_FUNCTIONS};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        cs_pe pe = {0};
        cs_error error = {0};
        cs_status status = cs_pe_parse("fuzz", bytes, size, parts[i], &pe, &error);
        FUZZ_EXPECT(status == CS_OK || status == CS_E_FORMAT);
        FUZZ_EXPECT(status == CS_OK || (!pe.imports.count && !pe.exports.count && !pe.functions.count && error.detail[0]));
        FUZZ_EXPECT(pe.exports.count <= 65536 && pe.imports.count <= 1024);
        cs_pe_free(&pe);
    }
    return 0;
}

/* One import by name, in the wide and in the narrow form. */
static void add_function(uint8_t *file) {
    put32(pe_at(file, PE_IMPORTS), PE_IMPORTS + 0xC0);
    put32(pe_at(file, PE_IMPORTS + 0xC0), PE_IMPORTS + 0xDE);
    put32(pe_at(file, PE_IMPORTS + 0xC8), 5);
    put32(pe_at(file, PE_IMPORTS + 0xCC), 0x80000000u); /* by number */
    pe_put_name(file, PE_IMPORTS + 0xE0, "cublasCreate_v2");
}

bool fuzz_seed(size_t index, cs_buffer *out) {
    uint8_t *file = index == 1 ? pe_make_headers() : pe_make_dll();
    if (index == 2) add_function(file);
    if (index == 3) { /* a program of 32 bits */
        put16(file + 0x84, CS_PE_MACHINE_X86);
        put16(file + PE_OPTIONAL, 0x10B);
    }
    if (index < 4) cs_buffer_append(out, file, PE_SIZE);
    cs_free(file);
    return index < 4;
}
