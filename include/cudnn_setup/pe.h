/* pe.h: a bounded reader of PE files: machine, imports, delay imports, exports, version resource. Loads nothing. Every offset is
 * checked against the file's size; a malformed file is CS_E_FORMAT with a sentence.
 * Source: Microsoft, "PE Format". */
#ifndef CUDNN_SETUP_PE_H
#define CUDNN_SETUP_PE_H

#include "cudnn_setup/fs.h"

enum { CS_PE_MACHINE_X64 = 0x8664, CS_PE_MACHINE_X86 = 0x014C, CS_PE_MACHINE_ARM64 = 0xAA64 };

typedef struct cs_pe {
    uint16_t machine;
    bool dll;
    bool has_version;
    uint16_t file_version[4]; /* from VS_FIXEDFILEINFO */
    uint16_t product_version[4];
    bool signed_;       /* the certificate table is not empty; says nothing about its worth */
    cs_strings imports; /* DLL names, as written */
    cs_strings delay_imports;
    cs_strings functions; /* "DLL!function" of every import by name (not of delay imports); at most 65,536 */
    cs_strings exports;   /* names; at most 65,536 */
} cs_pe;

typedef enum cs_pe_parts {
    CS_PE_HEADER = 0,
    CS_PE_VERSION = 1,
    CS_PE_IMPORTS = 2,
    CS_PE_EXPORTS = 4,
    CS_PE_ALL = 7,
    CS_PE_FUNCTIONS = 8
} cs_pe_parts;

/* A file without imports, exports or version resource is sound; has_version and the empty lists say so. cs_pe_read reads by
 * offset, a few kilobytes whatever the file's size, and locks nobody out. parts: what to read beyond the header (CS_PE_... joined
 * by |). *out starts as {0}; cs_pe_free ends it. */
cs_status cs_pe_read(const cs_fs *fs, const char *path, unsigned parts, cs_pe *out, cs_error *error);
cs_status cs_pe_parse(const char *name, const uint8_t *bytes, size_t size, unsigned parts, cs_pe *out, cs_error *error);
void cs_pe_free(cs_pe *pe);

#endif
