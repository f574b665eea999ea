#!/bin/sh
# The GPU tests on a machine with an NVIDIA GPU, from the archive that tests/gpu/pack.sh makes (its head says how): the self-test
# natively, the same under compute-sanitizer, then the shipped Windows programs in Wine doing the whole job through the bridge.
#
#   sh /opt/cudnn-gpu/run.sh RESULTS_FOLDER [native|sanitizer|windows ...]      without a word: all three
#
# Leaves in RESULTS_FOLDER: native.txt, native.json, native.md, sanitizer.txt, windows.txt, windows.json, windows.md, windows.html.
# As root, on a machine that may be thrown away: it adds a file to /etc/ld.so.conf.d. The last line says "N passed, N failed".
set -u
results=${1:?usage: run.sh RESULTS_FOLDER [native|sanitizer|windows ...]}
shift
parts=${*:-native sanitizer windows}
mkdir -p "$results"
results=$(cd "$results" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v python3)
passed=0
failed=0
start=$(date +%s)

check() { # check WHAT COMMAND…
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "  ok    $what"
    else
        failed=$((failed + 1))
        echo "  FAIL  $what"
    fi
}
part() { echo "$1 ($(($(date +%s) - start)) s)"; }

# ---- where CUDA and cuDNN lie: the linker's list, the usual folders, Python's packages ----
find_libraries() {
    for name in libcudnn.so libcudart.so libcublasLt.so libnvrtc.so; do
        find /usr/local/cuda*/ /usr/lib/x86_64-linux-gnu /usr/local/nvidia /opt /usr/lib/python3 /usr/local/lib -name "$name.*" 2>/dev/null |
            grep -v stubs | head -n 1 | xargs -r -n 1 dirname
    done | sort -u
}
if [ ! -f /etc/ld.so.conf.d/cudnn-gpu.conf ]; then
    find_libraries >/etc/ld.so.conf.d/cudnn-gpu.conf
    ldconfig
fi

version_of() { "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["versions"]["cudnn"])' "$1"; }
field() { # field FILE EXPRESSION over r
    "$python" -c 'import json, sys; r = json.load(open(sys.argv[1], encoding="utf-8")); print(eval(sys.argv[2]))' "$1" "$2"
}
says() { # says FILE EXPRESSION WANTED
    found=$(field "$1" "$2" 2>&1 | tail -n 1)
    [ -n "$3" ] && [ "$found" = "$3" ] || { echo "        $2 is '$found', wanted '$3'"; false; }
}

native() {
    part "The self-test, natively"
    nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total --format=csv,noheader 2>/dev/null
    code=0
    "$here/selftest_posix" --json "$results/native.json" >"$results/native.txt" 2>&1 || code=$?
    tail -n 1 "$results/native.txt"
    check "exit code 0" [ "$code" = 0 ]
    check "verdict passed" says "$results/native.json" 'r["verdict"]' passed
    "$python" "$here/table.py" "$results/native.json" >"$results/native.md"
    # The same again with another seed, and with a device hidden.
    check "another seed" sh -c '"$1/selftest_posix" --seed 7 >/dev/null 2>&1' sh "$here"
    CUDA_VISIBLE_DEVICES=-1 "$here/selftest_posix" --json "$results/hidden.json" >/dev/null 2>&1
    check "CUDA_VISIBLE_DEVICES=-1: device-hidden" says "$results/hidden.json" 'r["verdict"]' device-hidden
    rm -f "$results/hidden.json"
}

sanitizer() {
    part "The self-test under compute-sanitizer"
    tool=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
    if [ -z "$tool" ]; then
        echo "  SKIP  there is no compute-sanitizer here"
        return
    fi
    : >"$results/sanitizer.txt"
    for each in memcheck initcheck synccheck; do
        echo "== $each" >>"$results/sanitizer.txt"
        code=0
        timeout 200 "$tool" --tool $each --error-exitcode 99 "$here/selftest_posix" --quick >"$results/sanitizer.one" 2>&1 || code=$?
        tail -n 3 "$results/sanitizer.one" >>"$results/sanitizer.txt"
        check "$each ($(($(date +%s) - start)) s)" [ "$code" = 0 ]
        grep -E "ERROR SUMMARY" "$results/sanitizer.one"
    done
    rm -f "$results/sanitizer.one"
}

# ---- the Windows programs ----

wine=/usr/lib/wine/wine64
win() { timeout 120 "$wine" "$@" 2>>"$results/windows.err" </dev/null; }
tree_listing() { (cd "$toolkit" && find . -type f -printf '%P %s %T@ ' -exec sha256sum {} \; && find . -type d) | sort; }
machine_values() { win reg query 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' | tr -d '\r' | grep -iE '^ +(path|cuda_path)' | sort; }
finds_cudnn() { # by bare name through the PATH of the registry, in a new process
    win 'C:\gpu\cudnn-probe.exe' /selftest-as:current >"$results/found.json"
    [ "$(field "$results/found.json" 'r["modules"][0]["loaded"]')" = "$1" ]
}

windows() {
    part "The Windows programs in Wine"
    export WINEPREFIX=/opt/pfx WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=,mshtml="
    : >"$results/windows.err"
    [ -f "$results/native.json" ] || "$here/selftest_posix" --json "$results/native.json" >/dev/null 2>&1
    drive=/opt/pfx/drive_c
    toolkit="$drive/CUDA tools/v10.1"
    mkdir -p "$toolkit" "$drive/gpu"
    cp -r "$here/toolkit/." "$toolkit/"
    cp "$here/bridge/cudart64_101.dll" "$toolkit/bin/" # the runtime that computes on the GPU
    cp "$here/programs/"*.exe "$drive/gpu/"
    "$python" "$here/make_package.py" "$here/sample" "$here/bridge/cudnn64_8.dll" "$(version_of "$results/native.json")" "$drive/gpu"
    win reg add 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' /v CUDA_PATH_V10_1 /d 'C:\CUDA tools\v10.1' /f >/dev/null
    tree_listing >"$results/tree-before"
    machine_values >"$results/values-before"
    check "before: a new process does not find cudnn64_8.dll" finds_cudnn False

    win 'C:\gpu\cudnn-setup.exe' /install /quiet '/archive:C:\gpu\cudnn-bridge.zip' '/manifest:C:\gpu\cudnn-bridge.json' /selftest:require \
        /selftest-as:current '/json:C:\gpu\result.json' '/report:C:\gpu\report.html' >"$results/windows.txt"
    cp "$drive/gpu/result.json" "$results/windows.json"
    cp "$drive/gpu/report.html" "$results/windows.html"
    for each in exit result message; do printf '  %s: %s\n' $each "$(field "$results/windows.json" "r['$each']")"; done
    for each in files loading gpu; do printf '  proof, %s: %s\n' $each "$(field "$results/windows.json" "r['proof']['$each']")"; done
    check "installed, exit 0" says "$results/windows.json" 'r["exit"]' 0
    check "stage 1, files: passed" says "$results/windows.json" 'r["proof"]["files"].split(":")[0]' passed
    check "stage 2, loading: loaded" says "$results/windows.json" 'r["proof"]["verdicts"]["loading"]' loaded
    check "stage 3, GPU: passed" says "$results/windows.json" 'r["proof"]["verdicts"]["gpu"]' passed
    check "on the device that is here" says "$results/windows.json" 'r["proof"]["machine"]["device"]' \
        "$(field "$results/native.json" '[d["name"] for d in r["devices"] if d["used"]][0]')"
    check "as many right computations as natively" says "$results/windows.json" 'sum(c["outcome"] == "right" for c in r["proof"]["calls"])' \
        "$(field "$results/native.json" 'sum(c["outcome"] == "right" for c in r["runs"])')"
    "$python" "$here/table.py" "$results/windows.json" >"$results/windows.md"
    win 'C:\gpu\cudnn-probe.exe' /stage:device /selftest-as:current >"$results/devices.json"
    check "the driver alone names that device too" says "$results/devices.json" 'r["gpu"]["devices"][0]["name"]' \
        "$(field "$results/native.json" '[d["name"] for d in r["devices"] if d["used"]][0]')"
    check "a new process finds cudnn64_8.dll by bare name" finds_cudnn True
    check "in the toolkit" says "$results/found.json" 'r["modules"][0]["path"]' 'C:\CUDA tools\v10.1\bin\cudnn64_8.dll'
    win 'C:\Program Files\cudnn-setup\cudnn-probe.exe' /stage:gpu /selftest-as:current >"$results/probe.json"
    check "and computes with it on the GPU" says "$results/probe.json" 'r["gpu"]["verdict"]' passed

    win 'C:\gpu\cudnn-setup.exe' /uninstall /quiet '/json:C:\gpu\uninstall.json' >>"$results/windows.txt"
    cp "$drive/gpu/uninstall.json" "$results/uninstall.json"
    check "uninstalled, exit 0" says "$results/uninstall.json" 'r["exit"]' 0
    tree_listing >"$results/tree-after"
    machine_values >"$results/values-after"
    check "the toolkit is exactly as before" cmp -s "$results/tree-before" "$results/tree-after"
    check "the environment is exactly as before" cmp -s "$results/values-before" "$results/values-after"
    check "after: a new process does not find cudnn64_8.dll" finds_cudnn False
    rm -f "$results"/tree-* "$results"/values-* "$results/found.json" "$results/probe.json" "$results/devices.json" "$results/uninstall.json"
    /usr/lib/wine/wineserver -k
}

for each in $parts; do
    case $each in
    native | sanitizer | windows) $each ;;
    *) echo "run.sh: no part is called $each" >&2 && exit 2 ;;
    esac
done
echo "$(($(date +%s) - start)) s in all"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
