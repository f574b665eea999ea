/* pe_image.h: the headers of a PE file and the way from an address to a file offset. Private to pe*.c. */
#ifndef CUDNN_SETUP_PE_IMAGE_H
#define CUDNN_SETUP_PE_IMAGE_H

#include "cudnn_setup/pe.h"
#include "source.h"

enum { PE_MAX_SECTIONS = 96, PE_DIRECTORIES = 16 };
enum { PE_DIR_EXPORT = 0, PE_DIR_IMPORT = 1, PE_DIR_RESOURCE = 2, PE_DIR_SECURITY = 4, PE_DIR_DELAY_IMPORT = 13 };

typedef struct pe_directory {
    uint32_t rva, size;
} pe_directory;

typedef struct pe_section {
    uint32_t rva, memory_size, offset, file_size;
} pe_section;

typedef struct pe_image {
    cs_source source;
    uint64_t base; /* preferred load address */
    bool wide;     /* PE32+ */
    uint32_t header_size;
    size_t section_count;
    pe_section sections[PE_MAX_SECTIONS];
    pe_directory directories[PE_DIRECTORIES]; /* zero where the file has none */
} pe_image;

/* Reads size bytes at an address of the image; all of them have to come from one section's bytes in the file. */
cs_status pe_read(const pe_image *image, uint64_t rva, void *bytes, size_t size, const char *what, cs_error *error);
/* Reads a NUL-terminated name of 1 to 511 printable ASCII bytes and adds it to out. */
cs_status pe_read_name(const pe_image *image, uint64_t rva, const char *what, cs_strings *out, cs_error *error);

cs_status pe_read_imports(const pe_image *image, cs_pe *out, cs_error *error);
cs_status pe_read_functions(const pe_image *image, cs_pe *out, cs_error *error);
cs_status pe_read_delay_imports(const pe_image *image, cs_pe *out, cs_error *error);
cs_status pe_read_exports(const pe_image *image, cs_pe *out, cs_error *error);
cs_status pe_read_version(const pe_image *image, cs_pe *out, cs_error *error);

#endif
