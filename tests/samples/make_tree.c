#include <string.h>

#include "make_sample.h"

static void copy_file(const char *from, const char *name, const char *to, const char *target) {
    cs_buffer bytes = read_file(from, name);
    write_file(to, target, bytes.data, bytes.size);
    cs_buffer_free(&bytes);
}

static void write_text(const char *folder, const char *name, const char *text) {
    cs_buffer bytes = {0};
    append_crlf(&bytes, text, strlen(text));
    if (bytes.failed) die("no memory", name);
    write_file(folder, name, bytes.data, bytes.size);
    cs_buffer_free(&bytes);
}

void make_toolkit(const maker *m) {
    copy_file(m->dlls, "bin/cudart64_101.dll", m->out, "bin/cudart64_101.dll");
    copy_file(m->dlls, "bin/cublas64_10.dll", m->out, "bin/cublas64_10.dll");
    copy_file(m->dlls, "bin/cublasLt64_10.dll", m->out, "bin/cublasLt64_10.dll");
    copy_file(m->dlls, "lib/cudart64_101.lib", m->out, "lib/x64/cudart.lib");
    copy_file(m->dlls, "lib/cublas64_10.lib", m->out, "lib/x64/cublas.lib");
    write_text(m->out, "lib/Win32/cudart.lib", "A sample: stands for the 32-bit import library.\n");
    write_text(m->out, "include/cuda.h",
               "/* A sample made for the tests of cudnn-setup. Not NVIDIA's CUDA. */\n#define CUDA_VERSION 10010\n");
    write_text(m->out, "version.txt", "CUDA Version 10.1.243\n");
}

void make_old76(const maker *m) {
    copy_file(m->dlls, "bin/cudnn64_7.dll", m->out, "bin/cudnn64_7.dll");
    copy_file(m->dlls, "lib/cudnn64_7.lib", m->out, "lib/x64/cudnn.lib");
    write_text(m->out, "include/cudnn.h",
               "/* A sample made for the tests of cudnn-setup: an older cuDNN. Not NVIDIA's. */\n"
               "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 5\n"
               "#define CUDNN_VERSION (CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n"
               "#include <stddef.h>\nsize_t cudnnGetVersion(void);\n");
}
