#!/usr/bin/env python3
"""Writes the sources of bridge libraries: DLLs for Wine whose functions hand their calls on to the Linux libraries of CUDA and
cuDNN, so that the Windows programs compute on a real GPU. Which functions, and with what parameters, says src/selftest/abi.h.

usage: make_bridge.py ABI_H OUT_FOLDER

Writes NAME.c and NAME.spec for cudnn64_8, cudart64_101 and nvcuda."""

import os
import re
import sys

# Linux names, best first. Where they lie is the dynamic linker's matter.
LIBRARIES = {
    "cudnn64_8": ("CUDNN_FUNCTIONS", ["libcudnn.so.9", "libcudnn.so.8"]),
    "cudart64_101": ("CUDA_RUNTIME_FUNCTIONS", ["libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so.10.1"]),
    "nvcuda": ("CUDA_DRIVER_FUNCTIONS", ["libcuda.so.1"]),
}
# Not in every release; a bridge cannot say "I have none" at the time of the call, so it never offers them.
NEEDS = ("CORE", "FULL")

HEAD = """/* Made by tests/gpu/make_bridge.py: %(name)s.dll in Wine, %(first)s outside. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *twin(const char *name) {
    static const char *const names[] = {%(names)s};
    static void *library;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) fprintf(stderr, "bridge: %%s: %%s\\n", name, library ? "not in the library" : dlerror());
    return function;
}
"""

FUNCTION = """
__attribute__((ms_abi)) %(result)s bridge_%(name)s(%(parameters)s) {
    static %(result)s (*function)(%(parameters)s);
    if (!function) *(void **)&function = twin("%(name)s");
    if (!function) return (%(result)s)%(failure)s;
    return function(%(arguments)s);
}
"""


def functions(text, macro):
    """[(result, name, need, [parameter])] of one X-macro list."""
    start = text.index("#define %s(X)" % macro)
    body = []
    for line in text[start:].splitlines()[1:]:
        body.append(line.rstrip("\\").strip())
        if not line.rstrip().endswith("\\"):
            break
    found = re.findall(r"X\(([^,]+),\s*(\w+),\s*(\w+),\s*\((.*?)\)\)(?=\s*(?:X\(|$))", " ".join(body))
    assert len(found) == " ".join(body).count("X("), "every function of %s is understood" % macro
    return [(result.strip(), name, need, [] if inside.strip() == "void" else [p.strip() for p in inside.split(",")])
            for result, name, need, inside in found]


def spec_kind(parameter):
    """How Wine's .spec files call it. Every integer and pointer takes one register or stack slot."""
    kind = parameter[:parameter.rindex(argument(parameter))].strip()
    if "*" in kind:
        return "ptr"
    return {"double": "double", "float": "float"}.get(kind, "int64" if kind in ("size_t", "unsigned long long") else "long")


def argument(parameter):
    return re.search(r"(\w+)$", parameter).group(1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[3])
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    for name, (macro, linux) in LIBRARIES.items():
        source = HEAD % {"name": name, "first": linux[0], "names": ", ".join('"%s"' % each for each in linux)}
        spec = ""
        for result, function, need, parameters in functions(text, macro):
            if need not in NEEDS:
                continue
            failure = {"size_t": "0", "int": "999"}.get(result, "NULL")
            source += FUNCTION % {"result": result, "name": function, "parameters": ", ".join(parameters) or "void",
                                  "arguments": ", ".join(argument(p) for p in parameters), "failure": failure}
            spec += "@ stdcall %s(%s) bridge_%s\n" % (function, " ".join(spec_kind(p) for p in parameters), function)
        for suffix, content in ((".c", source), (".spec", spec)):
            with open(os.path.join(sys.argv[2], name + suffix), "w", encoding="utf-8") as file:
                file.write(content)


if __name__ == "__main__":
    main()
