/* gpus.h: setup as the process that asks the driver which GPUs there are, as `cudnn-probe /stage:device` does where no probe is
 * placed yet. Loads nvcuda.dll from System32 and nothing else. */
#ifndef CUDNN_SETUP_INSTALLER_GPUS_H
#define CUDNN_SETUP_INSTALLER_GPUS_H

#include "common.h"

bool gpus_is(const cs_strings *words); /* the words of cs_machine_ask */
int gpus_run(const cs_strings *words); /* prints one JSON object; refuses administrator rights unless told to */

#endif
