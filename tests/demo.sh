#!/bin/sh
# The whole job, shown step by step in Wine. Read by ../dev, which sets WINEPREFIX, wine, win, samples, build and toolkit.

# One run of setup or doctor in Wine, told in two lines: what was asked and what came of it (the exit code of the JSON result:
# a Unix shell sees its low byte only).
wine_run() { # wine_run TITLE WANTED PROGRAM ARGUMENT…
    title=$1
    wanted=$2
    program=$3
    shift 3
    run_start=$(now)
    rm -f "$WINEPREFIX/drive_c/demo/result.json"
    timeout 600 "$wine" "$win/bin/$program" "$@" '/json:C:\demo\result.json' >"$build/scratch/demo.txt" 2>&1 </dev/null || true
    printf '\n%s   (%s)\n  > %s' "$title" "$(seconds "$run_start")" "$program"
    printf ' %s' "$@"
    printf '\n'
    python3 - "$WINEPREFIX/drive_c/demo/result.json" "$wanted" <<'EOF'
import json, sys
try:
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
except OSError:
    sys.exit("  no result was written")
print("  exit %d, %s: %s" % (result["exit"], result["result"], result["message"]))
for stage, verdict in (result.get("proof") or {}).items():
    if isinstance(verdict, str):
        print("  proof, %s: %s" % (stage, verdict))
for warning in result.get("warnings") or []:
    print("  warning: %s" % warning["text"])
if str(result["exit"]) != sys.argv[2]:
    sys.exit("  expected exit %s" % sys.argv[2])
EOF
}

tree_listing() { # what lies in the toolkit: folders; files with sizes, times, hashes
    (cd "$toolkit" && find . -type d -printf '%P/\n' && find . -type f -printf '%P %s %T@ ' -exec sha256sum {} \; | sed 's/ \.\/.*//' | sort)
}

machine_values() { # PATH and CUDA_PATH of the machine, as the registry holds them
    timeout 60 "$wine" reg query 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' 2>/dev/null | tr -d '\r' |
        grep -iE '^ +(path|cuda_path[a-z0-9_]*) ' | sort || true
}

# The probe starts afresh, so its PATH is what the registry now says. Wine's only account is an administrator.
probe_run() {
    printf '\nLoad it as any program would, by bare name through PATH\n  > cudnn-probe.exe /selftest-as:current\n'
    code=0
    timeout 120 "$wine" "$win/bin/cudnn-probe.exe" /selftest-as:current >"$build/scratch/probe.json" 2>/dev/null </dev/null || code=$?
    python3 - "$build/scratch/probe.json" <<'EOF'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    result = json.load(file)
for key, value in result.items():
    for row in value if isinstance(value, list) else [value]:
        print("  %s: %s" % (key, " ".join(str(cell) for cell in row.values() if cell is not True) if isinstance(row, dict) else row))
EOF
    [ "$code" = 0 ] || printf '  exit %s\n' "$code"
    return "$code"
}

demo_steps() {
    drive=$WINEPREFIX/drive_c
    toolkit="$drive/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v10.1"
    mkdir -p "$drive/demo" "$toolkit" "$build/scratch"
    cp -p "$samples/sample"/cudnn-sample.* "$drive/demo/"
    cp -pR "$samples/toolkit/." "$toolkit/"
    tree_listing >"$build/scratch/tree-before"
    machine_values >"$build/scratch/values-before"
    wine_run "Install the sample (31 files, labelled a sample everywhere)" 0 cudnn-setup.exe /install /quiet \
        '/archive:C:\demo\cudnn-sample.zip' '/manifest:C:\demo\cudnn-sample.json' /selftest-as:current || return 1
    machine_values | sed 's/^ */  now  /'
    wine_run "Verify all 31 files and the registry" 0 cudnn-setup.exe /verify /quiet || return 1
    probe_run || return 1
    wine_run "Uninstall" 0 cudnn-setup.exe /uninstall /quiet || return 1
    tree_listing >"$build/scratch/tree-after"
    machine_values >"$build/scratch/values-after"
    for what in tree values; do
        diff "$build/scratch/$what-before" "$build/scratch/$what-after" || return 1
    done
    printf '\nThe toolkit (%s files and folders: names, bytes, times) and the environment are exactly as before.\n' \
        "$(wc -l <"$build/scratch/tree-before")"
}
