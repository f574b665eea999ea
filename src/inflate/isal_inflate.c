#include "isal_inflate.h"

#include <isal_strict/crc.h>
#include <isal_strict/igzip_lib.h>

#include "cudnn_setup/buffer.h"

typedef struct decoder {
    struct inflate_state isal;
    const z_stream *owner; /* a copied stream is not ours */
    bool broken;           /* damaged data stays damaged */
} decoder;

static decoder *decoder_of(const z_stream *stream) {
    decoder *d = stream ? (decoder *)(void *)stream->state : NULL;
    return d && d->owner == stream ? d : NULL;
}

int cs_isal_inflate_reset(z_stream *stream) {
    decoder *d = decoder_of(stream);
    if (!d) return Z_STREAM_ERROR;
    isal_inflate_reset(&d->isal);
    d->broken = false;
    stream->total_in = stream->total_out = 0;
    stream->msg = NULL;
    return Z_OK;
}

int cs_isal_inflate_init(z_stream *stream, int window_bits) {
    if (!stream || window_bits != -MAX_WBITS) return Z_STREAM_ERROR;
    decoder *d = cs_alloc(1, sizeof *d);
    stream->msg = NULL;
    stream->state = (struct internal_state *)(void *)d;
    if (!d) return Z_MEM_ERROR;
    isal_inflate_init(&d->isal);
    d->isal.crc_flag = ISAL_DEFLATE;
    d->owner = stream;
    return cs_isal_inflate_reset(stream);
}

int cs_isal_inflate_end(z_stream *stream) {
    decoder *d = decoder_of(stream);
    if (!d) return Z_STREAM_ERROR;
    cs_free(d);
    stream->state = NULL;
    return Z_OK;
}

static bool is_done(const struct inflate_state *isal) {
    return isal->block_state == ISAL_BLOCK_INPUT_DONE || isal->block_state == ISAL_BLOCK_FINISH;
}

/* ISA-L reads up to eight bytes ahead into a bit buffer; zlib never takes a byte that it does not need. What was read ahead goes
 * back, so that total_in is exact at the end of the stream. Not while it waits for more: then the bits belong to a symbol that is
 * still incomplete (and so do bytes of a block's header, which lie behind them in a buffer of their own), and whoever reads ahead
 * by the byte would offer them again for ever. */
static void give_back(struct inflate_state *isal) {
    bool waits = !is_done(isal) && isal->avail_in == 0 && isal->avail_out != 0;
    if (waits || isal->tmp_in_size || isal->read_in_length < 8) return;
    uint32_t bytes = (uint32_t)isal->read_in_length / 8;
    isal->next_in -= bytes;
    isal->avail_in += bytes;
    isal->read_in_length %= 8;
    isal->read_in &= ((uint64_t)1 << isal->read_in_length) - 1;
}

int cs_isal_inflate(z_stream *stream) {
    decoder *d = decoder_of(stream);
    if (!d || !stream->next_out || (!stream->next_in && stream->avail_in)) return Z_STREAM_ERROR;
    if (d->broken) return Z_DATA_ERROR;
    struct inflate_state *isal = &d->isal;
    union {
        const Bytef *in;
        uint8_t *out;
    } input = {stream->next_in}; /* ISA-L's field lacks the const that it honours */
    isal->next_in = input.out;
    isal->avail_in = stream->avail_in;
    isal->next_out = stream->next_out;
    isal->avail_out = stream->avail_out;
    int result = isal_inflate(isal);
    d->broken = result != ISAL_DECOMP_OK;
    if (!d->broken) give_back(isal);
    uInt taken = stream->avail_in - isal->avail_in, given = stream->avail_out - isal->avail_out;
    stream->next_in = isal->next_in;
    stream->avail_in = isal->avail_in;
    stream->total_in += taken;
    stream->next_out = isal->next_out;
    stream->avail_out = isal->avail_out;
    stream->total_out += given;
    if (d->broken) return Z_DATA_ERROR;
    if (isal->block_state == ISAL_BLOCK_FINISH) return Z_STREAM_END;
    return taken || given ? Z_OK : Z_BUF_ERROR;
}

uLong cs_isal_crc32(uLong crc, const Bytef *bytes, uInt size) { return bytes ? crc32_gzip_refl((uint32_t)crc, bytes, size) : 0; }
