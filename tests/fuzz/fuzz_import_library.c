/* The reader of import libraries, which an unverified copy brings along. */
#include "binary_maker.h"
#include "cudnn_setup/import_library.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    cs_strings dlls = {0};
    cs_error error = {0};
    cs_status status = cs_import_library_parse("fuzz", bytes, size, &dlls, &error);
    FUZZ_EXPECT(status == CS_OK || status == CS_E_FORMAT);
    FUZZ_EXPECT(status != CS_OK || dlls.count >= 1);
    cs_strings_free(&dlls);
    return 0;
}

bool fuzz_seed(size_t index, cs_buffer *out) {
    static const char name[] = "cudnn64_8.dll";
    if (index > 1) return false;
    library_begin(out);
    if (index == 0) library_short(out, CS_PE_MACHINE_X64, "cudnnCreate", name);
    if (index == 0) library_short(out, CS_PE_MACHINE_X64, "cudnnDestroy", name);
    if (index == 1) library_object(out, CS_PE_MACHINE_X64, ".idata$7", name, sizeof name);
    return true;
}
