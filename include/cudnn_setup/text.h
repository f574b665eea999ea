/* text.h: small pure helpers on UTF-8 text. No locale is ever consulted. */
#ifndef CUDNN_SETUP_TEXT_H
#define CUDNN_SETUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"

enum { CS_SHA256_SIZE = 32, CS_SHA256_HEX = 64 };

/* ASCII-only case folding; bytes above 127 compare as they are. NULL sorts before "". */
int cs_text_compare_ascii_case(const char *a, const char *b);
bool cs_text_equal_ascii_case(const char *a, const char *b);
bool cs_text_starts_with(const char *text, const char *prefix);
bool cs_text_ends_with_ascii_case(const char *text, const char *suffix);

/* True if the bytes are well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). */
bool cs_utf8_valid(const char *bytes, size_t size);

/* Decodes the code point at bytes. surrogates: let U+D800..U+DFFF through, as WTF-8 does. Its length in bytes; 0 if malformed. */
size_t cs_utf8_decode(const char *bytes, size_t size, bool surrogates, uint32_t *out);

/* Lower-case hexadecimal of size bytes into out, which holds 2 * size + 1 bytes. */
void cs_hex(const uint8_t *bytes, size_t size, char *out);
/* Exactly 2 * size lower- or upper-case hex digits into bytes; false otherwise. */
bool cs_unhex(const char *text, size_t text_size, uint8_t *bytes, size_t size);

/* Appends text with control, escape and bidirectional characters and invalid bytes shown as \u{...}: for consoles, logs
 * and reports, whose text may come from file names, registry values and archives. */
void cs_text_visible(cs_buffer *out, const char *text);

/* UTF-16 (any byte order mark is an ordinary character) to and from WTF-8: lone surrogates survive the round trip.
 * Source: Simon Sapin, "The WTF-8 encoding". count is in UTF-16 units, size in bytes. Appends to out. */
void cs_wtf8_from_utf16(cs_buffer *out, const uint16_t *units, size_t count);
/* Appends the units as little-endian byte pairs; false if the bytes are not WTF-8. */
bool cs_utf16le_from_wtf8(cs_buffer *out, const char *bytes, size_t size);

/* "2026-11-30T02:33:33Z" from 100 ns units since 1601-01-01 UTC (a Windows FILETIME); out holds at least 21 bytes. */
void cs_time_text(int64_t filetime, char *out);

#endif
