#!/bin/sh
# What `./dev check` runs, each a function whose last line is "N passed, N failed". Read by ../dev, which sets build and root.

# Each tool over every source of ours; a tool's own list of findings, then one plain count of files.
check_format() (
    files=$(find include src installer cmake/tools tests -name '*.[ch]')
    bad=0
    for file in $files; do clang-format --dry-run -Werror "$file" || bad=$((bad + 1)); done
    echo "$(($(echo "$files" | wc -w) - bad)) passed, $bad failed"
)

check_tidy() ( # check_tidy PRESET FOLDERS… [-- clang-tidy options]
    database=$build/$1
    shift
    folders=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        folders="$folders $1"
        shift
    done
    [ $# -eq 0 ] || shift
    # shellcheck disable=SC2086
    files=$(find $folders -name '*.c' 2>/dev/null | sort)
    results=$build/check/tidy
    rm -rf "$results"
    mkdir -p "$results"
    # A file that fails leaves a mark; files run on all processors.
    echo "$files" | xargs -P "$(nproc)" -I FILE sh -c '
        file=$1 results=$2 database=$3
        shift 3
        clang-tidy -p "$database" --quiet --extra-arg=-Wno-format-nonliteral "$@" "$file" 2>"$results/$$.err" ||
            { touch "$results/$$.failed"; grep -v "warnings\{0,1\} generated" "$results/$$.err"; }' tidy FILE "$results" "$database" "$@" || true
    bad=$(find "$results" -name '*.failed' | wc -l)
    echo "$(($(echo "$files" | wc -w) - bad)) passed, $bad failed"
)

check_cppcheck() (
    if cppcheck -q -j "$(nproc)" --std=c11 --enable=warning,portability,performance --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem -I include src installer cmake/tools tests/support; then
        echo "1 passed, 0 failed"
    else
        echo "0 passed, 1 failed"
    fi
)

# Two classes are left out. Leaks: the leak sanitizer finds the real ones, and gcc 12 takes a pointer stored in a list for lost.
# Null pointers: each report rests on a function of another file returning CS_OK without its result, which gcc cannot rule out
# and the functions' contracts do; the undefined-behaviour sanitizer watches for real ones.
check_analyzer() (
    ok=0
    cmake -G Ninja -S . -B "$build/check/analyzer-$1" -DCMAKE_BUILD_TYPE=Release -DCUDNN_SETUP_TESTS=OFF \
        "-DCMAKE_C_FLAGS=-fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-null-dereference -Wno-analyzer-null-argument" ${2:+--toolchain "$2"} &&
        cmake --build "$build/check/analyzer-$1" -- -k 0 || ok=$?
    [ "$ok" = 0 ] && echo "1 passed, 0 failed" || echo "0 passed, 1 failed"
)
