/* make_sample.h: the parts of the sample maker. It ends the program with a message when something fails: it runs in builds. */
#ifndef MAKE_SAMPLE_H
#define MAKE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cudnn_setup/buffer.h"

typedef struct maker {
    const char *dlls; /* folder with bin, lib and include of the sample DLLs */
    const char *out;  /* folder to fill */
} maker;

/* ---- make_sample.c ---- */
_Noreturn void die(const char *what, const char *path);
/* folder/name; the caller frees the buffer. */
cs_buffer path_of(const char *folder, const char *name);
cs_buffer read_file(const char *folder, const char *name);
/* Writes folder/name and makes the folders on the way. */
void write_file(const char *folder, const char *name, const void *bytes, size_t size);
FILE *create_file(const char *folder, const char *name);
/* The text with CRLF line ends. Appends. */
void append_crlf(cs_buffer *out, const char *text, size_t size);

/* ---- make_tree.c ---- */
void make_toolkit(const maker *m);
void make_old76(const maker *m);

/* ---- make_zip.c ---- */
void make_package(const maker *m, bool full_size);

#endif
