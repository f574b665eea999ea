#!/bin/sh
# Runs the fuzz targets of a build. The last line is "N passed, N failed".
#   run.sh seeds BUILD            the short fixed runs
#   run.sh fuzz BUILD SECONDS     libFuzzer, as many targets at once as there are processors; its corpus and what it finds stay in
#                                 BUILD/corpus
set -u
build=$2/tests/fuzz
passed=0
failed=0

count() { # count STATUS NAME OUTPUT: adds up, and shows what a failed one said
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $2"
        tail -n 40 "$3" | sed 's/^/    /'
    fi
}

run_seeds() {
    output=$(mktemp)
    for program in "$build"/fuzz_*_seeds; do
        name=$(basename "$program")
        mutants=4000
        [ "$name" = fuzz_archive_seeds ] && mutants=500 # a millisecond each under the sanitizers
        code=0
        "$program" $mutants >"$output" 2>&1 || code=$?
        echo "$name: $(head -n 1 "$output")"
        count $code "$name" "$output"
    done
    rm -f "$output"
}

fuzz_one() { # fuzz_one NAME SECONDS
    folder=$build/../../corpus/$1
    mkdir -p "$folder"
    "$build/fuzz_${1}_seeds" --write "$folder" || return 1
    "$build/fuzz_$1" "-max_total_time=$2" -max_len=65536 -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
        "-artifact_prefix=$build/../../corpus/found-$1-" "$folder" >"$folder.log" 2>&1
}

run_fuzz() { # run_fuzz SECONDS: for each target
    waiting=
    for program in "$build"/fuzz_*_seeds; do
        name=$(basename "$program" _seeds)
        name=${name#fuzz_}
        fuzz_one "$name" "$1" &
        waiting="$waiting $name:$!"
        # In pairs, or more where there are processors.
        [ $(($(echo "$waiting" | wc -w) % $(nproc))) != 0 ] || wait_for
    done
    wait_for
}

wait_for() {
    for each in $waiting; do
        name=${each%%:*}
        code=0
        wait "${each##*:}" || code=$?
        log=$build/../../corpus/$name.log
        echo "$name: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") inputs, $(find "$build/../../corpus/$name" -type f | wc -l) files in the corpus"
        count $code "$name" "$log"
    done
    waiting=
}

case $1 in
seeds) run_seeds ;;
fuzz) run_fuzz "$3" ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
