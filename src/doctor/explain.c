/* explain.c: short answers to what people ask most about cuDNN 8.0.3 and CUDA 10.1. */
#include "findings.h"

static const char *const answers[] = {
    ("A program that asks for cudnn64_7.dll was built for cuDNN 7 (TensorFlow 2.1 to 2.3, ML.NET, Paddle's post101): "
     "it needs cuDNN 7.6.x, which can lie beside 8.0.3 in the same bin. Renaming or copying cudnn64_8.dll to that name "
     "does not help."),
    ("The number in cudnn64_8.dll is cuDNN's own version, not CUDA's; the one in cudart64_101.dll is CUDA's. \"cuDNN "
     "10.1\" does not exist: cudnn-10.1-...-v8.0.3.33.zip is cuDNN 8.0.3 for CUDA 10.1."),
    ("Built for CUDA 10.1 and cuDNN 8.0: CuPy's cupy-cuda101, OpenCV, Darknet and your own programs. A program that "
     "names another version (ML.NET: 7.6.4) means it."),
    ("PyTorch, CuPy and other wheels bring a cuDNN of their own in site-packages and load it by full path. One that "
     "finds 8.0.3 in PATH first may complain that it was compiled for a newer one: then its own folder has to come "
     "first."),
    ("cuDNN 8 is seven DLLs, and they belong together: copy none of them to a program's folder or to System32. A bin "
     "folder beside a program is not searched; the program's own folder and PATH are."),
    ("nvidia-smi shows the newest CUDA version that the driver can serve; nvcc --version shows the toolkit's. They may "
     "differ."),
    ("A PATH that was cut off by setx or an installer is not kept by Windows. cudnn-setup's log and /status show the "
     "value from before its own change, and /uninstall brings it back."),
    ("Builds that do not look at CUDA_PATH ask for the toolkit's folder by other names: CUDNN_PATH, CUDNN_HOME, "
     "CUDNN_ROOT_DIR, CUDNN_INCLUDE_DIR. Setup does not set them."),
    ("\"Could not locate zlibwapi.dll\" comes from cuDNN 8.3 or newer. 8.0.3 does not need that file, and fetching it "
     "mends nothing: a newer cuDNN comes first, and the list of what a new program finds shows where."),
    ("cudnn64_8.dll loads its parts by their bare names. Loading it by its full path is not enough: its folder has to be "
     "in PATH, or the program ends with error 126 at the first use."),
    "After a change of PATH, open a new console: programs that run, services and IDEs keep the old one.",
};

/* Windows tells the loader's errors in its own language, often without the number: by either, they are found here.
 * Source: Microsoft, "System Error Codes", in both languages. */
static const struct {
    unsigned code;
    const char *english, *chinese, *means;
} loader_errors[] = {
    {5, "Access is denied.", "拒绝访问。", "the file is there, but this user may not read or execute it"},
    {126, "The specified module could not be found.", "找不到指定的模块。",
     "the DLL, or one that it needs, is in no folder that Windows searches"},
    {127, "The specified procedure could not be found.", "找不到指定的程序。", "DLLs of two versions are mixed"},
    {182, "The operating system cannot run %1.", "操作系统无法运行 %1。", "DLLs of two versions are mixed, or one is damaged"},
    {193, "%1 is not a valid Win32 application.", "%1 不是有效的 Win32 应用程序。",
     "a 32-bit or damaged DLL is on the way, or a 32-bit program asks for a 64-bit one"},
};

static cs_status count_key(void *ctx, const char *name) {
    (void)name;
    ++*(size_t *)ctx;
    return CS_OK;
}

/* Windows Subsystem for Linux: where the user has a distribution, its key has a subkey. */
static bool has_wsl(const cs_host *host) {
    static const char key[] = "Software\\Microsoft\\Windows\\CurrentVersion\\Lxss";
    const cs_registry *registry = host->registry;
    size_t count = 0;
    return registry && registry->list_keys(registry->ctx, CS_HKCU, key, count_key, &count, NULL) == CS_OK && count;
}

void cs_explain(const cs_host *host, const char *bin, cs_buffer *out) {
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) cs_buffer_format(out, "- %s\n", answers[i]);
    if (bin)
        cs_buffer_format(out,
                         "- Python 3.8 and later does not search PATH for a module's DLLs: import os; "
                         "os.add_dll_directory(r\"%s\"); os.environ[\"PATH\"] = r\"%s;\" + os.environ[\"PATH\"]\n",
                         bin, bin);
    if (has_wsl(host))
        cs_buffer_text(out,
                       "- There is a Linux here (WSL): it uses none of these DLLs. Install cuDNN's Linux packages in it, and "
                       "no display driver: Windows' own serves both.\n");
    cs_buffer_text(out, "- The loader's errors:\n");
    for (size_t i = 0; i < sizeof loader_errors / sizeof loader_errors[0]; i++)
        cs_buffer_format(out, "  %u \"%s\" \"%s\": %s\n", loader_errors[i].code, loader_errors[i].english,
                         loader_errors[i].chinese, loader_errors[i].means);
}
