#!/bin/sh
# Builds the programs a second time, from a copy of the sources in another folder, and compares them byte for byte.
#   reproducible.sh PROGRAMS WORK      PROGRAMS: folder of the first build; WORK: scratch folder
# Prints one line per program and "N passed, N failed" last.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
programs=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)

rm -rf "$work/a copy" "$work/build"
mkdir -p "$work/a copy"
(cd "$here" && tar -cf - --exclude=./build --exclude=./out --exclude=./.git .) | tar -xf - -C "$work/a copy"
cmake -G Ninja -S "$work/a copy" -B "$work/build" --toolchain "$work/a copy/cmake/x86_64-w64-mingw32.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DCUDNN_SETUP_TESTS=OFF "-DCUDNN_SETUP_DEPS=$CUDNN_SETUP_DEPS"
cmake --build "$work/build" --target programs

passed=0
failed=0
for name in cudnn-setup cudnn-doctor cudnn-probe; do
    if cmp "$programs/$name.exe" "$work/build/bin/$name.exe"; then
        passed=$((passed + 1))
        echo "ok    $(sha256sum "$work/build/bin/$name.exe" | cut -c1-64)  $name.exe"
    else
        failed=$((failed + 1))
        echo "FAIL  $name.exe differs between two builds"
    fi
done
rm -rf "$work/a copy" "$work/build"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
