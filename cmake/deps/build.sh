#!/bin/sh
# Builds the static libraries for Windows into a cached prefix and points CACHE/mingw at it.
#   build.sh CACHE [--refresh]
# CACHE/mingw/native holds ISA-L for the system that builds: its tests and measurements run on both systems.
# The cache key covers the recipe, the pins, the compiler and the distribution release. --refresh asks apt for newer
# packaging revisions even where the cache has an answer.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cache=$(cd "$1" && pwd)
toolchain=$here/../x86_64-w64-mingw32.cmake

key=$({
    cat "$here/CMakeLists.txt" "$here/fetch.sh" "$here/build.sh" "$here"/*.patch "$here/isal_unused.c" "$toolchain"
    x86_64-w64-mingw32-gcc-win32 --version
    release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    awk -v r="$release" '$1 == r' "$here/pins.txt"
} | sha256sum | cut -c1-16)
store=$cache/$key

if [ "${2:-}" = --refresh ] || [ ! -f "$store/prefix/versions" ]; then
    rm -rf "$store"
    mkdir -p "$store"
    "$here/fetch.sh" "$store"
    cmake -G Ninja -S "$here" -B "$store/build" --toolchain "$toolchain" "-DSOURCES=$store/src" "-DCMAKE_INSTALL_PREFIX=$store/prefix"
    cmake --build "$store/build"
    cmake --install "$store/build"
    if [ -d "$store/src/libisal" ]; then
        cmake -G Ninja -S "$here" -B "$store/build-native" -DONLY_ISAL=ON "-DSOURCES=$store/src" \
            -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$store/prefix/native" -DCMAKE_INSTALL_LIBDIR=lib
        cmake --build "$store/build-native"
        cmake --install "$store/build-native"
    else
        echo "build: no pinned libisal for this distribution release: plain zlib will inflate, at about half the speed" >&2
    fi
    cp "$store/versions" "$store/prefix/versions"
    rm -rf "$store/build" "$store/build-native" "$store/src"
fi
ln -sfn "$key/prefix" "$cache/mingw"
