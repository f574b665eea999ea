#include "archive_internal.h"

#include <stdlib.h>

/* Entries together in one batch: small ones, near each other. */
static const uint64_t max_batch_bytes = 1024 * 1024;
enum { MAX_BATCH_COUNT = 256 };

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, "unpack", NULL, NULL); }

/* Ascending by entry, which is the order of the file. */
static cs_status list_items(const cs_zip_directory *directory, const cs_zip_selection *selection, size_t row_count,
                            cs_zip_work *out, cs_error *error) {
    size_t *row_of_entry = cs_alloc(directory->count + 1, sizeof *row_of_entry); /* row + 1; 0: none */
    out->entries = cs_alloc(row_count + 1, sizeof *out->entries);
    out->rows = cs_alloc(row_count + 1, sizeof *out->rows);
    if (!row_of_entry || !out->entries || !out->rows) {
        cs_free(row_of_entry);
        return no_memory(error);
    }
    for (size_t row = 0; row < row_count; row++) row_of_entry[selection->entry_of_row[row]] = row + 1;
    for (size_t e = 0; e < directory->count; e++) {
        if (!row_of_entry[e]) continue;
        out->entries[out->count] = e;
        out->rows[out->count++] = row_of_entry[e] - 1;
    }
    cs_free(row_of_entry);
    return CS_OK;
}

static bool joins(const cs_zip_directory *directory, const cs_zip_work *work, const cs_zip_batch *batch, size_t item) {
    const cs_zip_entry *first = &directory->entries[work->entries[batch->first]],
                       *entry = &directory->entries[work->entries[item]];
    return batch->count < MAX_BATCH_COUNT && batch->size + entry->size <= max_batch_bytes &&
           entry->offset - first->offset + entry->compressed <= max_batch_bytes;
}

cs_status cs_zip_work_plan(const cs_zip_directory *directory, const cs_zip_selection *selection, size_t row_count,
                           cs_zip_work *out, cs_error *error) {
    *out = (cs_zip_work){0};
    cs_status status = list_items(directory, selection, row_count, out, error);
    if (status == CS_OK) {
        out->batches = cs_alloc(out->count + 1, sizeof *out->batches);
        if (!out->batches) status = no_memory(error);
    }
    for (size_t i = 0; i < out->count && status == CS_OK; i++) {
        cs_zip_batch *last = out->batch_count ? &out->batches[out->batch_count - 1] : NULL;
        if (!last || !joins(directory, out, last, i)) {
            last = &out->batches[out->batch_count++];
            *last = (cs_zip_batch){.first = i};
        }
        last->count++;
        last->size += directory->entries[out->entries[i]].size;
    }
    if (status != CS_OK) cs_zip_work_free(out);
    return status;
}

static int by_size(const void *a, const void *b) {
    const cs_zip_batch *left = a, *right = b;
    if (left->size != right->size) return left->size > right->size ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

void cs_zip_work_by_size(cs_zip_work *work) {
    if (work->batch_count) qsort(work->batches, work->batch_count, sizeof *work->batches, by_size);
}

void cs_zip_work_free(cs_zip_work *work) {
    cs_free(work->entries);
    cs_free(work->rows);
    cs_free(work->batches);
    *work = (cs_zip_work){0};
}
