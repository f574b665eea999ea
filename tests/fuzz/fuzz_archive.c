/* The ZIP reader under a sealed manifest and for an unverified copy: bytes that nothing has vouched for yet. */
#include <stdlib.h>

#include "archive_case.h"
#include "fuzz.h"

enum { ROWS = 3 };

static package pack;
static cs_manifest sealed, pinned;
static archive_run run;

static void set_up(void) {
    if (pack.count) return;
    package_init(&pack, ROWS);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &sealed);
    package_manifest(&pack, PINNED, "another archive", 15, NULL, 0, &pinned);
}

static void try_with(const cs_manifest *manifest, const uint8_t *bytes, size_t size, bool unverified) {
    archive_run_init(&run, bytes, size);
    run.accept_unverified = unverified;
    cs_status status = archive_run_go(&run, manifest);
    /* Sealed: what is taken is the package itself, byte for byte. */
    FUZZ_EXPECT(status != CS_OK || unverified || archive_run_exact(&run, &pack));
    FUZZ_EXPECT(status == CS_OK || run.error.status == status);
    archive_run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    set_up();
    try_with(&sealed, bytes, size, false);
    try_with(&pinned, bytes, size, true);
    return 0;
}

bool fuzz_seed(size_t index, cs_buffer *out) {
    static const package_shape shapes[] = {{0}, {.root = "cuda/", .stored = true}, {.descriptors = true, .folders = true}};
    if (index >= sizeof shapes / sizeof shapes[0]) return false;
    set_up();
    size_t size = 0;
    unsigned char *zip = package_zip(&pack, &shapes[index], &size);
    cs_buffer_append(out, zip, size);
    free(zip);
    return true;
}
