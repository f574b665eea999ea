#include "cudnn_setup/driver.h"

#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"

void cs_driver_number(const uint16_t file_version[4], cs_buffer *out) {
    unsigned number = file_version[2] % 10U * 10000U + file_version[3] % 10000U;
    cs_buffer_format(out, "%u.%02u", number / 100, number % 100);
}

bool cs_driver_version(const cs_host *host, cs_buffer *out) {
    cs_buffer folder = {0}, path = {0};
    cs_pe pe = {0};
    bool known = host->system->folder(host->system->ctx, CS_FOLDER_SYSTEM, &folder, NULL) == CS_OK &&
                 cs_path_join(&path, host->fs->separator, folder.data, "nvcuda.dll", NULL) == CS_OK &&
                 cs_pe_read(host->fs, path.data, CS_PE_VERSION, &pe, NULL) == CS_OK && pe.has_version;
    if (known) cs_driver_number(pe.file_version, out);
    cs_pe_free(&pe);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    return known;
}
