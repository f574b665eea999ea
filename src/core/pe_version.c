#include <string.h>

#include "pe_image.h"

enum { RT_VERSION_ID = 16, MAX_ENTRIES = 4096, MAX_VERSION_BYTES = 65536, KEY_BYTES = 32 };
#define IS_FOLDER UINT32_C(0x80000000)

/* Looks in one level of the resource tree, whose offsets count from the start of the directory. id 0: takes the first entry.
 * *entry: the offset found, with IS_FOLDER where it leads to another level; 0 if there is none. */
static cs_status find_entry(const pe_image *image, uint32_t level, uint32_t id, uint32_t *entry, cs_error *error) {
    uint64_t at = (uint64_t)image->directories[PE_DIR_RESOURCE].rva + level;
    uint8_t header[16], row[8];
    *entry = 0;
    cs_status status = pe_read(image, at, header, sizeof header, "resource table", error);
    if (status != CS_OK) return status;
    size_t count = (size_t)cs_le16(header + 12) + cs_le16(header + 14);
    if (count > MAX_ENTRIES) return cs_source_bad(&image->source, error, "more than 4096 entries in a resource table");
    for (size_t i = 0; i < count; i++) {
        status = pe_read(image, at + sizeof header + i * sizeof row, row, sizeof row, "resource table", error);
        if (status != CS_OK) return status;
        if (id && cs_le32(row) != id) continue;
        *entry = cs_le32(row + 4);
        return CS_OK;
    }
    return CS_OK;
}

/* Type, name, language: three levels and then the data's place. *size 0: there is no version resource. */
static cs_status find_version(const pe_image *image, uint32_t *rva, uint32_t *size, cs_error *error) {
    uint32_t entry = IS_FOLDER;
    *rva = *size = 0;
    for (int level = 0; level < 3; level++) {
        cs_status status = find_entry(image, entry & ~IS_FOLDER, level == 0 ? RT_VERSION_ID : 0, &entry, error);
        if (status != CS_OK || (level == 0 && !entry)) return status;
        if (!entry || ((entry & IS_FOLDER) != 0) != (level < 2))
            return cs_source_bad(&image->source, error, "the tree of resources is not three levels deep");
    }
    uint8_t place[16];
    cs_status status =
        pe_read(image, (uint64_t)image->directories[PE_DIR_RESOURCE].rva + entry, place, sizeof place, "resource table", error);
    if (status != CS_OK) return status;
    *rva = cs_le32(place);
    *size = cs_le32(place + 4);
    return CS_OK;
}

static void split(const uint8_t *pair, uint16_t out[4]) {
    uint32_t high = cs_le32(pair), low = cs_le32(pair + 4);
    out[0] = (uint16_t)(high >> 16);
    out[1] = (uint16_t)(high & 0xFFFF);
    out[2] = (uint16_t)(low >> 16);
    out[3] = (uint16_t)(low & 0xFFFF);
}

/* Source: Microsoft, "VS_VERSIONINFO structure": length, value length, type, the key in UTF-16, padding to 32 bits, then
 * VS_FIXEDFILEINFO with its own signature. */
cs_status pe_read_version(const pe_image *image, cs_pe *out, cs_error *error) {
    static const char key[] = "VS_VERSION_INFO";
    uint32_t rva, size;
    if (!image->directories[PE_DIR_RESOURCE].rva) return CS_OK;
    cs_status status = find_version(image, &rva, &size, error);
    if (status != CS_OK || !rva) return status;
    uint8_t info[6 + KEY_BYTES + 2 + 52];
    if (size < sizeof info || size > MAX_VERSION_BYTES)
        return cs_source_bad(&image->source, error, "the version resource has an impossible size");
    status = pe_read(image, rva, info, sizeof info, "version resource", error);
    if (status != CS_OK) return status;
    for (size_t i = 0; i < sizeof key; i++)
        if (cs_le16(info + 6 + 2 * i) != (uint16_t)key[i])
            return cs_source_bad(&image->source, error, "the version resource does not start with its key");
    const uint8_t *fixed = info + 6 + KEY_BYTES + 2;
    if (cs_le16(info) > size || cs_le16(info + 2) < 52 || cs_le32(fixed) != 0xFEEF04BD)
        return cs_source_bad(&image->source, error, "the version resource has no version numbers");
    out->has_version = true;
    split(fixed + 8, out->file_version);
    split(fixed + 16, out->product_version);
    return CS_OK;
}
