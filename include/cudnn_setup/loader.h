/* loader.h: libraries that are bound while the program runs, by bare name, as any program binds them: the search order of the
 * system is left alone, because what it finds is what is tested. And the clock that times calls into them. */
#ifndef CUDNN_SETUP_LOADER_H
#define CUDNN_SETUP_LOADER_H

#include "cudnn_setup/buffer.h"

typedef struct cs_library cs_library;
typedef void (*cs_function)(void); /* converted to its true type before it is called */

enum { CS_LIBRARY_PARTS = 8 };

/* cuDNN as one release family ships it: the library that programs name, and those that it loads by itself. */
typedef struct cs_cudnn_names {
    const char *main;
    const char *parts[CS_LIBRARY_PARTS]; /* NULL after the last */
} cs_cudnn_names;

typedef struct cs_loader {
    void *ctx;
    /* name: without a folder. *out is owned by the caller (close). The system's code is in error->system where it has one. */
    cs_status (*open)(void *ctx, const char *name, cs_library **out, cs_error *error);
    cs_function (*symbol)(void *ctx, cs_library *library, const char *name); /* NULL: it has none of that name */
    void (*where)(void *ctx, cs_library *library, cs_buffer *out);           /* appends its path, or nothing if unknown */
    /* Ends the use of *library; the code itself stays in the process: CUDA's libraries do not survive being unloaded. */
    void (*close)(void *ctx, cs_library *library);
    uint64_t (*nanoseconds)(void *ctx); /* monotonic, from any start */
    /* What the libraries are called here, best first; NULL after the last. */
    const char *const *driver, *const *runtime;
    const cs_cudnn_names *cudnn;
    size_t cudnn_count;
} cs_loader;

/* The loader of the system that this was built for (src/win32, src/posix). */
cs_loader cs_loader_system(void);

#endif
