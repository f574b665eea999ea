/* probe.h: the exit codes of cudnn-probe, which only its parents see. */
#ifndef CUDNN_SETUP_INSTALLER_PROBE_H
#define CUDNN_SETUP_INSTALLER_PROBE_H

enum {
    PROBE_LOADED = 0,     /* every part, and cudnnGetVersion answered */
    PROBE_NOT_LOADED = 1, /* a part did not load */
    PROBE_NO_VERSION = 2, /* all loaded, but the shim does not say its version */
    PROBE_REFUSED = 3,    /* administrator rights, and not told to use them */
    PROBE_USAGE = 4,
    PROBE_FAILED = 5 /* the answer could not be made or written */
};

#endif
