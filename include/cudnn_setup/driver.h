/* driver.h: the version of NVIDIA's display driver, read from a file, not asked of the driver: nothing is loaded. */
#ifndef CUDNN_SETUP_DRIVER_H
#define CUDNN_SETUP_DRIVER_H

#include "cudnn_setup/host.h"

/* Appends "418.96" for the driver whose nvcuda.dll stands in System32; false where there is none, or none that can be read. */
bool cs_driver_version(const cs_host *host, cs_buffer *out);
/* From a file version such as 25.21.14.1896: NVIDIA's own number is the last five digits of the whole (driver files and the
 * numbers under which NVIDIA publishes them). */
void cs_driver_number(const uint16_t file_version[4], cs_buffer *out);

#endif
