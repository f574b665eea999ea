/* pe_finish.h: what GNU ld cannot do to a finished Windows program. Works on the file's bytes, every offset bounds-checked.
 * Source of all offsets: Microsoft's "PE Format" specification; IMAGE_LOAD_CONFIG_DIRECTORY64 in winnt.h. */
#ifndef CUDNN_SETUP_PE_FINISH_H
#define CUDNN_SETUP_PE_FINISH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The 16 bytes that installer/load_config.c puts in front of its load configuration. */
#define PE_FINISH_MARKER      "cudnn-setup:load"
#define PE_FINISH_MARKER_SIZE 16
/* Bytes of IMAGE_LOAD_CONFIG_DIRECTORY64 up to and with SEHandlerCount: what Windows 10 needs to see DependentLoadFlags. */
#define PE_FINISH_LOAD_CONFIG_SIZE 112

/* Finishes the x64 program `image` of `size` bytes in place:
 * - run-from-swap bits for removable media and network, so that a share that goes away does not take the program with it;
 * - TSAWARE (a plain program for Remote Desktop hosts);
 * - with `load_config`: the load configuration directory points at the one marked block;
 * - the header's checksum.
 * NULL when done, else what is wrong, and the image may be half changed. A program without relocations, ASLR, DEP or high
 * entropy is refused: those are the linker's to set. */
const char *pe_finish(uint8_t *image, size_t size, bool load_config);

/* The checksum that the header of `image` should have: 16-bit sums with carry, the field itself as zero, plus the size.
 * `field` is the checksum field's offset; field + 4 <= size. */
uint32_t pe_finish_checksum(const uint8_t *image, size_t size, size_t field);

#endif
