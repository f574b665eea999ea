#include "source.h"

#include <string.h>

cs_source cs_source_memory(const char *name, const void *bytes, size_t size) {
    return (cs_source){.name = name, .size = size, .bytes = bytes};
}

cs_status cs_source_open(const cs_fs *fs, const char *path, cs_source *out, cs_error *error) {
    cs_file_info info;
    *out = (cs_source){.name = path, .fs = fs};
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_WATCH, &out->file, error);
    if (status == CS_OK) status = fs->info(fs->ctx, out->file, &info, error);
    if (status == CS_OK)
        out->size = info.size;
    else
        cs_source_close(out);
    return status;
}

void cs_source_close(cs_source *source) {
    if (source->fs) source->fs->close(source->fs->ctx, source->file);
    *source = (cs_source){0};
}

cs_status cs_source_bad(const cs_source *source, cs_error *error, const char *what) {
    return cs_fail(error, CS_E_FORMAT, "read", source->name, "%s", what);
}

cs_status cs_source_read(const cs_source *source, uint64_t offset, void *bytes, size_t size, const char *what, cs_error *error) {
    if (offset > source->size || size > source->size - offset)
        return cs_fail(error, CS_E_FORMAT, "read", source->name, "the %s lies beyond the end of the file", what);
    if (!source->file) {
        if (size) memcpy(bytes, source->bytes + (size_t)offset, size);
        return CS_OK;
    }
    size_t got = 0;
    cs_status status = source->fs->read(source->fs->ctx, source->file, offset, bytes, size, &got, error);
    if (status == CS_OK && got != size) status = cs_fail(error, CS_E_IO, "read", source->name, "the file became shorter");
    return status;
}

uint16_t cs_le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

uint32_t cs_le32(const uint8_t *p) { return (uint32_t)cs_le16(p) | (uint32_t)cs_le16(p + 2) << 16; }

uint64_t cs_le64(const uint8_t *p) { return (uint64_t)cs_le32(p) | (uint64_t)cs_le32(p + 4) << 32; }
