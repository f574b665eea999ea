#!/bin/sh
# Runs the property tests of PATH with many cases and adds up how many were judged.
#   run_properties.sh PROGRAMS CASES-PER-PROPERTY AT-LEAST
# PROGRAMS: the folder of an optimised build. The line before the last says "N property cases in all"; fewer than AT-LEAST is a
# failure. Last line: "N passed, N failed".
set -u

programs=$1
export CUDNN_SETUP_PROPERTY_CASES="$2"
total=0
passed=0
failed=0
for name in test_pathlist_properties test_pathlist_orders; do
    if output=$("$programs/$name" 2>&1); then
        passed=$((passed + 1))
    else
        printf '%s\n' "$output"
        failed=$((failed + 1))
    fi
    cases=$(printf '%s\n' "$output" | tr -d '\r' | awk '/^[0-9]+ property cases$/ { n = $1 } END { print n + 0 }')
    total=$((total + cases))
done
if [ "$total" -ge "$3" ]; then
    passed=$((passed + 1))
else
    echo "fewer than $3 cases"
    failed=$((failed + 1))
fi
echo "$total property cases in all"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
