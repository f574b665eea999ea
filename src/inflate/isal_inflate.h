/* isal_inflate.h: zlib's raw inflate and CRC-32, answered by ISA-L at about twice the speed. Only what libarchive's ZIP reader
 * and the core ask of zlib: raw Deflate with the full window (window bits -15), streamed. Same bytes, same counts and the same
 * verdicts as zlib: Z_OK, Z_STREAM_END, Z_DATA_ERROR, Z_BUF_ERROR, Z_MEM_ERROR, Z_STREAM_ERROR; msg stays NULL. flush is ignored,
 * as libarchive's 0 is. Source: zlib.h 1.2.13; igzip_lib.h 2.30. */
#ifndef ISAL_INFLATE_H
#define ISAL_INFLATE_H

#include <zlib.h>

int cs_isal_inflate_init(z_stream *stream, int window_bits);
int cs_isal_inflate(z_stream *stream);
int cs_isal_inflate_reset(z_stream *stream);
int cs_isal_inflate_end(z_stream *stream);
uLong cs_isal_crc32(uLong crc, const Bytef *bytes, uInt size); /* bytes NULL: 0, the value to start with */

#endif
