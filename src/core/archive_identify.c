#include "archive_internal.h"

#include <string.h>

#include "cudnn_setup/path.h"

enum { SNIFF = 512 };

/* "8.0.3" of "8.0.3.33": the number under which NVIDIA lists the release. */
static int release_size(const char *version) {
    int dots = 0, size = 0;
    for (; version[size]; size++)
        if (version[size] == '.' && ++dots == 3) break;
    return size;
}

void cs_archive_origin(const cs_manifest *manifest, cs_buffer *out) {
    const char *name = manifest->archive_names.count ? manifest->archive_names.items[0] : "the right archive";
    if (manifest->sample)
        cs_buffer_format(out, "Take %.120s as the sample maker wrote it", name);
    else
        cs_buffer_format(out, "Take %.120s from NVIDIA's cuDNN archive, \"%.40s v%.*s for CUDA %.20s\"", name, manifest->product,
                         release_size(manifest->version), manifest->version, manifest->cuda);
}

/* sentence: what was found, without a full stop; origin follows. */
static cs_status refuse(const cs_archive *archive, const cs_manifest *manifest, cs_error *error, const cs_buffer *sentence) {
    cs_buffer origin = {0};
    cs_archive_origin(manifest, &origin);
    cs_status status = cs_buffer_check(&origin, error);
    if (status == CS_OK) status = cs_buffer_check(sentence, error);
    if (status == CS_OK)
        status = cs_fail(error, CS_E_ARCHIVE_BAD, "check", archive->path, "%s. %s", cs_buffer_string(sentence),
                         cs_buffer_string(&origin));
    cs_buffer_free(&origin);
    return status;
}

/* ---- by hash ---- */

cs_status cs_archive_check_known_wrong(const cs_archive *archive, const cs_manifest *manifest,
                                       const uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    for (size_t i = 0; i < manifest->wrong_archive_count; i++) {
        const cs_wrong_archive *wrong = &manifest->wrong_archives[i];
        if (memcmp(wrong->sha256, digest, CS_SHA256_SIZE) != 0) continue;
        cs_buffer sentence = {0};
        cs_buffer_format(&sentence, "this is %.120s (%.200s)", wrong->name, wrong->what);
        cs_status status = refuse(archive, manifest, error, &sentence);
        cs_buffer_free(&sentence);
        return status;
    }
    return CS_OK;
}

/* Whether the last bytes hold an end record: a ZIP without one is a download that was cut off. */
static bool has_end_record(const cs_archive *archive) {
    enum { TAIL = 65536 + 22 };
    size_t size = archive->size < TAIL ? (size_t)archive->size : TAIL;
    unsigned char *tail = cs_alloc(size + 1, 1);
    bool found = !tail || cs_archive_read(archive, archive->size - size, tail, size, NULL) != CS_OK;
    for (size_t i = 0; !found && i + 22 <= size; i++) found = memcmp(tail + i, "PK\5\6", 4) == 0;
    cs_free(tail);
    return found; /* what cannot be read is not called cut off */
}

static const cs_wrong_archive *named_wrong(const cs_archive *archive, const cs_manifest *manifest) {
    for (size_t i = 0; i < manifest->wrong_archive_count; i++)
        if (cs_text_equal_ascii_case(manifest->wrong_archives[i].name, cs_path_name(archive->path)))
            return &manifest->wrong_archives[i];
    return NULL;
}

cs_status cs_archive_refuse_unknown(const cs_archive *archive, const cs_manifest *manifest, const uint8_t digest[CS_SHA256_SIZE],
                                    cs_error *error) {
    char hex[CS_SHA256_HEX + 1];
    cs_buffer sentence = {0};
    cs_hex(digest, CS_SHA256_SIZE, hex);
    const cs_wrong_archive *wrong = named_wrong(archive, manifest);
    if (!has_end_record(archive))
        cs_buffer_text(&sentence, "the ZIP is cut off before its end: the download was not finished");
    else if (wrong)
        cs_buffer_format(&sentence, "by its name this is %.120s (%.200s); its SHA-256 %s is not a known one", wrong->name,
                         wrong->what, hex);
    else
        cs_buffer_format(&sentence,
                         "its SHA-256 %s is not that of the published archive: a copy packed anew, or damaged; nothing vouches "
                         "for it. Its sealed manifest (/manifest:FILE) would; /install /unverified:accept takes it unverified",
                         hex);
    cs_status status = refuse(archive, manifest, error, &sentence);
    cs_buffer_free(&sentence);
    return status;
}

/* ---- by content ---- */

typedef struct magic {
    size_t at, size;
    const char *bytes;
    const char *what;
} magic;

/* Sources: RFC 1952 (gzip), POSIX ustar, 7-Zip 7zFormat.txt, RAR 5.0 archive format, XZ file format 1.0.4, Microsoft PE format,
 * ISO 32000 (PDF). */
static const magic magics[] = {
    {0, 2, "\x1F\x8B", "a gzip file (a .tgz for Linux, whatever its name says), not a ZIP"},
    {0, 6, "7z\xBC\xAF\x27\x1C", "a 7-Zip archive, not a ZIP"},
    {0, 6, "Rar!\x1A\x07", "a RAR archive, not a ZIP"},
    {0, 6,
     "\xFD"
     "7zXZ\x00",
     "an xz file (a package for Linux), not a ZIP"},
    {0, 3, "BZh", "a bzip2 file, not a ZIP"},
    {257, 5, "ustar", "a tar archive, not a ZIP"},
    {0, 2, "MZ", "a Windows program or DLL, not a ZIP"},
    {0, 5, "%PDF-", "a PDF document, not a ZIP"},
    {0, 8, "!<arch>\n", "a Debian package or library, not a ZIP"},
    {0, 4, "\xED\xAB\xEE\xDB", "an RPM package, not a ZIP"},
};

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

static bool starts_with_tag(const unsigned char *bytes, size_t size, const char *tag) {
    size_t length = strlen(tag);
    if (size < length) return false;
    for (size_t i = 0; i < length; i++)
        if (lower(bytes[i]) != tag[i]) return false;
    return true;
}

static bool is_html(const unsigned char *bytes, size_t size) {
    static const char *const tags[] = {"<!doctype", "<html", "<head", "<?xml", "<!--", "<script", "<meta"};
    size_t start = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (start < size && strchr(" \t\r\n", bytes[start]) && bytes[start]) start++;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (starts_with_tag(bytes + start, size - start, tags[i])) return true;
    return false;
}

static bool is_text(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < 0x20 && !(bytes[i] && strchr("\t\r\n\f", bytes[i]))) return false;
    return true;
}

static bool is_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

/* What the bytes are, continuing "this is"; NULL: a ZIP, or what may be one behind something else. */
static const char *content_name(const unsigned char *bytes, size_t size) {
    if (size == 0) return "an empty file: the download did not happen";
    if (size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0)) return NULL;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (magics[i].at + magics[i].size <= size && memcmp(bytes + magics[i].at, magics[i].bytes, magics[i].size) == 0)
            return magics[i].what;
    if (is_html(bytes, size)) return "a web page saved under the archive's name (often a sign-in page), not a ZIP";
    if (is_zero(bytes, size)) return "a file of zeros: a download that reserved its space and was not finished";
    if (is_text(bytes, size)) return "a text file, not a ZIP";
    return "not a ZIP: it does not begin as one";
}

cs_status cs_archive_check_content(const cs_archive *archive, const cs_manifest *manifest, cs_error *error) {
    unsigned char bytes[SNIFF];
    size_t size = archive->size < SNIFF ? (size_t)archive->size : SNIFF;
    cs_status status = cs_archive_read(archive, 0, bytes, size, error);
    if (status != CS_OK) return status;
    const char *what = content_name(bytes, size);
    if (!what) return CS_OK;
    cs_buffer sentence = {0};
    cs_buffer_format(&sentence, "this is %s", what);
    status = refuse(archive, manifest, error, &sentence);
    cs_buffer_free(&sentence);
    return status;
}
