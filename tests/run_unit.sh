#!/bin/sh
# Runs every unit test program of a build and adds up cmocka's counts.
#   run_unit.sh PROGRAMS WORK [LAUNCHER…]      LAUNCHER: what starts a program (wine); nothing for native ones
# Each program runs in a fresh folder of its own. One that ends without cmocka's closing counts, or with counts that do not
# add up, is a failure, whatever its exit code. Full output only of programs that fail. Last line: "N passed, N failed, N skipped".
set -u

programs=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2

set_counts() {
    run=$1
    passed=$2
    failed=$3
    skipped=$4
}

total_passed=0
total_failed=0
total_skipped=0
for program in "$programs"/test_*; do
    case $program in
    *.exe) [ $# -gt 0 ] || continue ;;
    *.*) continue ;;
    esac
    name=$(basename "$program" .exe)
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name/tmp"
    log=$work/$name.log
    (cd "$work/$name" && TMPDIR="$work/$name/tmp" exec timeout -k 10 900 "$@" "$program") >"$log" 2>&1 </dev/null
    code=$?
    # "[==========] 3 test(s) run." may come several times; lines end in CR on Windows.
    counts=$(tr -d '\r' <"$log" | awk '
        /^\[==========\].* test\(s\) run\.$/ { for (i = 1; i <= NF; i++) if ($i == "test(s)") run += $(i - 1) }
        /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
        END { print run + 0, passed + 0, failed + 0, skipped + 0 }')
    # shellcheck disable=SC2086
    set_counts $counts
    problem=
    if [ "$run" = 0 ] || [ $((passed + failed + skipped)) != "$run" ] || { [ "$code" != 0 ] && [ "$failed" = 0 ]; }; then
        problem=", stopped without sound counts (exit code $code)"
        failed=$((failed + 1))
    fi
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
    if [ "$failed" = 0 ]; then
        printf '  ok   %-28s %3d passed%s\n' "$name" "$passed" "$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
        [ "$skipped" = 0 ] || tr -d '\r' <"$log" | awk '
            /^SKIP: / { why = substr($0, 7) }
            /^\[  SKIPPED \] test_/ && why != "" { printf "       SKIP %s: %s\n", $4, why; why = "" }' 
        rm -rf "${work:?}/$name"
    else
        printf '  FAIL %-28s %3d passed, %d failed%s; its output:\n' "$name" "$passed" "$failed" "$problem"
        grep -v -E '^\[ (RUN     |      OK) \]' "$log" | sed 's/^/       | /'
    fi
done
echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
[ "$total_failed" = 0 ] && [ "$total_passed" != 0 ]
