/* cudnn_header.h: which version a cuDNN header says it is: cudnn_version.h since cuDNN 8, cudnn.h before. */
#ifndef CUDNN_SETUP_CUDNN_HEADER_H
#define CUDNN_SETUP_CUDNN_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds CUDNN_MAJOR, CUDNN_MINOR and CUDNN_PATCHLEVEL in the text of a header (any line ends): version receives the three
 * numbers. False unless each is defined exactly once, as a plain decimal number of at most four digits. */
bool cs_cudnn_header_version(const char *text, size_t size, uint32_t version[3]);

#endif
