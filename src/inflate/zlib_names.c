/* zlib_names.c: the adapter under zlib's names. Linked in zlib's place, it makes libarchive's ZIP reader inflate with ISA-L. Both
 * libarchive and the core find these first; where zlib's own inflate gets into the same program as well, the linker says so. */
#include "isal_inflate.h"

#undef inflateInit2_
#undef inflate
#undef inflateReset
#undef inflateEnd
#undef crc32

int ZEXPORT inflateInit2_(z_streamp stream, int window_bits, const char *version, int stream_size) {
    if (!version || version[0] != ZLIB_VERSION[0] || stream_size != (int)sizeof(z_stream)) return Z_VERSION_ERROR;
    return cs_isal_inflate_init(stream, window_bits);
}

int ZEXPORT inflate(z_streamp stream, int flush) {
    (void)flush;
    return cs_isal_inflate(stream);
}

int ZEXPORT inflateReset(z_streamp stream) { return cs_isal_inflate_reset(stream); }

int ZEXPORT inflateEnd(z_streamp stream) { return cs_isal_inflate_end(stream); }

uLong ZEXPORT crc32(uLong crc, const Bytef *bytes, uInt size) { return cs_isal_crc32(crc, bytes, size); }
