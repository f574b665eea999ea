/* binary_maker.h: small sound DLLs and import libraries, made by hand, for tests that then damage them. */
#ifndef BINARY_MAKER_H
#define BINARY_MAKER_H

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/pe.h"

/* A DLL with one section at address PE_RVA that stands at PE_RAW in the file and holds every table: exports first, second;
 * imports KERNEL32.dll, cublas64_10.dll; delay imports new.dll, old.dll (the latter in the old form); file version 8.0.3.33,
 * product version 10.1.243.7. The enumerators are offsets of the headers in the file, and addresses of the tables. */
enum { PE_RAW = 0x200, PE_SIZE = PE_RAW + 0x600, PE_RVA = 0x1000, PE_OPTIONAL = 0x98, PE_SECTION = 0x188, PE_BASE = 0x10000000 };
enum { PE_EXPORTS = 0x1000, PE_IMPORTS = 0x1100, PE_DELAY = 0x1200, PE_RESOURCES = 0x1300, PE_VERSION_INFO = 0x1400 };

void put16(uint8_t *p, unsigned value); /* little-endian */
void put32(uint8_t *p, uint32_t value);
uint8_t *pe_at(uint8_t *file, uint32_t rva);
void pe_put_directory(uint8_t *file, unsigned index, uint32_t rva, uint32_t size);
void pe_put_name(uint8_t *file, uint32_t rva, const char *name);
/* Both are PE_SIZE bytes on the heap at their exact size, so that a sanitizer sees every byte read beyond; end with cs_free. */
uint8_t *pe_make_headers(void); /* without any table */
uint8_t *pe_make_dll(void);

/* Without any table but these: one function imported from one DLL (dll NULL: none), one exported (NULL: none). */
uint8_t *pe_make_linked(const char *dll, const char *function, const char *exported);

/* Libraries: begin, then members. */
void library_begin(cs_buffer *out);
void library_member(cs_buffer *out, const char *name, const void *bytes, size_t size);
void library_short(cs_buffer *out, unsigned machine, const char *symbol, const char *dll);
/* An object with one section of that name (8 bytes) and content. */
void library_object(cs_buffer *out, unsigned machine, const char *section, const void *bytes, size_t size);

#endif
