/* What the records of an image say. */
#include <string.h>

#include "crash_inside.h"

crash_records crash_records_of(const crash_image *image, unsigned tree) {
    const crash_entry *journal = &image->at[crash_record_path(tree, CLASS_JOURNAL)];
    const crash_entry *committed = &image->at[crash_record_path(tree, CLASS_COMMITTED)];
    const crash_entry *undone = &image->at[crash_record_path(tree, CLASS_UNDONE)];
    const crash_entry *head = &image->at[crash_record_path(tree, CLASS_HEAD)];
    return (crash_records){
        .journal = journal->file ? journal->content : 0,
        .committed = committed->file ? committed->content : 0,
        .undone = undone->file ? undone->content : 0,
        .head = head->file ? head->content : 0,
    };
}

bool crash_is_pending(const crash_image *image, unsigned tree) {
    crash_records found = crash_records_of(image, tree);
    return found.journal || found.committed || found.undone;
}

/* The explorer's own allocations are not the run's. */
extern long cs_alloc_live;

bool crash_is_valid_record(crash_explorer *e, uint16_t content) {
    if (!e->valid[content]) {
        size_t size;
        long live = cs_alloc_live;
        uint64_t length;
        cs_record record = {0};
        const char *bytes = crash_content_bytes(content, &size, &length);
        bool valid = size == length && cs_record_read("journal", bytes, size, &record, NULL) == CS_OK;
        cs_record_free(&record);
        cs_alloc_live = live;
        e->valid[content] = valid ? 1 : 2;
    }
    return e->valid[content] == 1;
}

const cs_record *crash_parsed_record(crash_explorer *e, uint16_t content) {
    if (!content || !crash_is_valid_record(e, content)) return NULL;
    size_t at = 0;
    while (at < CRASH_PARSED && e->parsed[at].content && e->parsed[at].content != content) at++;
    if (at == CRASH_PARSED) at = content % CRASH_PARSED; /* none is needed for longer than a check takes */
    if (e->parsed[at].content == content) return &e->parsed[at].record;
    size_t size;
    uint64_t length;
    long live = cs_alloc_live;
    const char *bytes = crash_content_bytes(content, &size, &length);
    cs_record_free(&e->parsed[at].record);
    bool read = cs_record_read("record", bytes, size, &e->parsed[at].record, NULL) == CS_OK;
    e->parsed[at].content = read ? content : 0;
    cs_alloc_live = live;
    return read ? &e->parsed[at].record : NULL;
}

void crash_records_free(crash_explorer *e) {
    for (size_t i = 0; i < CRASH_PARSED; i++) cs_record_free(&e->parsed[i].record);
}

bool crash_lists_blob(const cs_record *record, const cs_blob *blob) {
    for (size_t i = 0; record && i < record->cleanup_count; i++) {
        const cs_blob *one = &record->cleanup[i];
        if (one->area == blob->area && one->number == blob->number && strcmp(one->txid, blob->txid) == 0) return true;
    }
    return false;
}

bool crash_blob_of(uint16_t path, cs_blob *out) {
    crash_class class = crash_path_class(path);
    if (class != CLASS_OLD && class != CLASS_NEW) return false;
    const char *text = crash_path_text(path);
    size_t size = strlen(text); /* ...\<32 hex>\old\NN */
    *out = (cs_blob){.area = class == CLASS_OLD ? CS_AREA_OLD : CS_AREA_NEW,
                     .number = (unsigned)(text[size - 2] - '0') * 10 + (unsigned)(text[size - 1] - '0')};
    memcpy(out->txid, text + size - 39, CS_ID_HEX);
    return true;
}

const cs_move *crash_move_of(const cs_record *record, uint16_t file) {
    for (size_t i = 0; record && i < record->move_count; i++) {
        const cs_file_id *id = &record->moves[i].info.id;
        if ((id->id[0] | id->id[1] << 8) == file) return &record->moves[i];
    }
    return NULL;
}
