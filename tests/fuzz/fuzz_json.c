/* Everything that is stored or answered as JSON: the journal and receipts, manifests, what the probe says of the GPU's work and
 * of the GPUs, the table of frameworks. One reader after the other looks at the same bytes; the strictest refuses most of them
 * early. */
#include <string.h>

#include "cudnn_setup/frameworks_table.h"
#include "cudnn_setup/machine.h"
#include "cudnn_setup/manifest.h"
#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/record.h"
#include "engine_fixture.h"
#include "fuzz.h"

static void try_record(const char *text, size_t size) {
    cs_record record = {0};
    cs_buffer again = {0};
    cs_error error = {0};
    cs_status status = cs_record_read("fuzz", text, size, &record, &error);
    FUZZ_EXPECT(status == CS_OK || error.status == status);
    /* Canonical: what is accepted is written back byte for byte. */
    if (status == CS_OK) {
        FUZZ_EXPECT(cs_record_write(&record, &again, &error) == CS_OK);
        FUZZ_EXPECT(again.size == size && memcmp(again.data, text, size) == 0);
    }
    cs_buffer_free(&again);
    cs_record_free(&record);
}

static void try_manifest(const char *text, size_t size) {
    cs_manifest manifest = {0}, read = {0};
    cs_buffer first = {0}, second = {0};
    cs_error error = {0};
    if (cs_manifest_parse("fuzz", text, size, &manifest, &error) == CS_OK) {
        FUZZ_EXPECT(cs_manifest_write(&manifest, &first, &error) == CS_OK);
        FUZZ_EXPECT(cs_manifest_parse("again", first.data, first.size, &read, &error) == CS_OK);
        FUZZ_EXPECT(cs_manifest_write(&read, &second, &error) == CS_OK);
        FUZZ_EXPECT(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    }
    cs_manifest_free(&read);
    cs_manifest_free(&manifest);
    cs_buffer_free(&first);
    cs_buffer_free(&second);
}

static void try_answer(const char *text, size_t size) {
    cs_proof_detail *detail = cs_alloc(1, sizeof *detail);
    cs_buffer page = {0};
    if (!detail) return;
    bool read = cs_proof_read_gpu(text, size, detail);
    FUZZ_EXPECT(detail->gpu.known && (read || detail->gpu.verdict == CS_GPU_NO_ANSWER));
    cs_proof_put_html(detail, CS_ENGLISH, &page);
    FUZZ_EXPECT(!strstr(cs_buffer_string(&page), "<script"));
    cs_buffer_clear(&page);
    cs_proof_put_html(detail, CS_CHINESE, &page);
    FUZZ_EXPECT(!strstr(cs_buffer_string(&page), "<script"));
    cs_buffer_free(&page);
    cs_proof_detail_free(detail);
}

static void try_devices(const char *text, size_t size) {
    static char cuda[] = "10.1", least[] = "3.0", most[] = "7.5";
    const cs_manifest manifest = {.cuda = cuda, .compute_min = least, .compute_max = most};
    cs_machine machine = {0};
    bool read = cs_machine_read_devices(text, size, &manifest, &machine);
    FUZZ_EXPECT(machine.device_count <= CS_GPU_MAX_DEVICES && machine.gpu_sentence[CS_ENGLISH].size);
    FUZZ_EXPECT(read || (machine.gpu_fit == CS_FIT_UNKNOWN && !machine.device_count));
    cs_machine_free(&machine);
}

static void try_table(const char *text, size_t size) {
    cs_frameworks_table table = {0};
    if (cs_frameworks_table_parse("fuzz", text, size, &table, NULL) == CS_OK)
        for (size_t i = 0; i < table.count; i++) {
            FUZZ_EXPECT(table.items[i].distributions.count && table.items[i].row_count);
            cs_frameworks_table_row(&table.items[i], table.items[i].distributions.items[0]);
        }
    else
        FUZZ_EXPECT(!table.count);
    cs_frameworks_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const char *text = (const char *)bytes;
    try_record(text, size);
    try_manifest(text, size);
    try_answer(text, size);
    try_devices(text, size);
    try_table(text, size);
    return 0;
}

static const char answer[] =
    "{\"stage\":3,\"gpu\":{\"verdict\":\"passed\",\"sentence\":\"right\",\"chinese\":\"right\",\"versions\":{\"cudnn\":8003,"
    "\"runtime\":10010,\"driver\":\"418.96\"},\"devices\":[{\"name\":\"a GPU\",\"capability\":\"7.5\",\"used\":true}],\"runs\":[{"
    "\"operation\":\"convolution-forward\",\"shape\":\"1x1\",\"type\":\"fp32\",\"algorithm\":\"GEMM\",\"outcome\":\"right\","
    "\"error\":\"1.2e-07\",\"limit\":\"2.0e-05\",\"first_ns\":40000000,\"later_ns\":21000}]}}";

bool fuzz_seed(size_t index, cs_buffer *out) {
    size_t size = 0;
    cs_record record;
    switch (index) {
    case 0:
        fixture_record(&record);
        FUZZ_EXPECT(cs_record_write(&record, out, NULL) == CS_OK);
        cs_record_free(&record);
        return true;
    case 1: {
        const char *manifest = cs_manifest_embedded(0, &size);
        cs_buffer_append(out, manifest, size);
        return true;
    }
    case 2:
        cs_buffer_text(out, answer);
        return true;
    case 3:
        cs_buffer_text(out,
                       "{\"stage\":0,\"gpu\":{\"verdict\":\"passed\",\"visible_devices\":\"0\",\"devices\":[{\"name\":\"a GPU\","
                       "\"capability\":\"7.5\"},{\"name\":\"\",\"capability\":\"8.6\"}]}}");
        return true;
    case 4: {
        const char *table = cs_frameworks_embedded(0, &size);
        cs_buffer_append(out, table, size);
        return true;
    }
    default:
        return false;
    }
}
