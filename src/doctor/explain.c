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
    "After a change of PATH, open a new console: programs that run, services and IDEs keep the old one.",
};

void cs_explain(const char *bin, cs_buffer *out) {
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) cs_buffer_format(out, "- %s\n", answers[i]);
    if (bin)
        cs_buffer_format(
            out, "- Python 3.8 and later does not search PATH for a module's DLLs: import os; os.add_dll_directory(r\"%s\")\n",
            bin);
}
