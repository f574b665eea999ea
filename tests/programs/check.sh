#!/bin/sh
# Checks what a linked program may import and what its headers say, with objdump alone.
#   check.sh FOLDER      folder with cudnn-setup.exe, cudnn-doctor.exe, cudnn-probe.exe
# Prints one line per check and "N passed, N failed" last.
set -u

folder=$1
objdump=${OBJDUMP:-x86_64-w64-mingw32-objdump}
allowed='kernel32 ntdll user32 gdi32 advapi32 shell32 ole32 comctl32 msvcrt'
passed=0
failed=0

check() { # check RESULT WHAT
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "ok    $name: $2"
    else
        failed=$((failed + 1))
        echo "FAIL  $name: $2"
    fi
}

equal() { # equal ACTUAL EXPECTED WHAT
    [ "$1" = "$2" ]
    check $? "$3: $1$([ "$1" = "$2" ] || echo " (must be $2)")"
}

field() { # field NAME: its value in the headers
    awk -v f="$1" '$1 == f { print $2; exit }' "$dump"
}

directory() { # directory HEXDIGIT: "address size", without leading zeros
    awk -v d="$1" '$1 == "Entry" && $2 == d { sub(/^0+/, "", $3); sub(/^0+/, "", $4); print ($3 == "" ? 0 : $3), ($4 == "" ? 0 : $4); exit }' "$dump"
}

resource() { # resource ID WHAT: a resource of this type is there
    grep -q "^0[0-9a-f]*   Entry: ID: $1," "$dump"
    check $? "has $2"
}

manifest() { # manifest TEXT WHAT
    LC_ALL=C grep -aqF "$1" "$program"
    check $? "manifest: $2"
}

load_flags() { # the DependentLoadFlags of the load configuration, as 4 hex digits
    base=$(field ImageBase)
    address=$(directory a)
    start=$((0x$base + 0x${address% *} + 78))
    "$objdump" -s --start-address=$start --stop-address=$((start + 2)) "$program" |
        awk 'n { print substr($2, 3, 2) substr($2, 1, 2); exit } /^Contents/ { n = 1 }'
}

check_program() { # check_program NAME SUBSYSTEM
    name=$1
    program=$folder/$1.exe
    if [ ! -f "$program" ]; then
        check 1 "is not built"
        return
    fi
    "$objdump" -p "$program" >"$dump"
    for dll in $(awk '/DLL Name:/ { print tolower($3) }' "$dump" | sort -u); do
        case " $allowed " in
        *" ${dll%.dll} "*) check 0 "imports $dll" ;;
        *) check 1 "imports $dll, which is not on the list of system DLLs" ;;
        esac
    done
    equal "$(directory 0)" "0 0" "exports"
    equal "$(directory d)" "0 0" "delay imports"
    equal "$(field DllCharacteristics)" 00008160 "ASLR, high entropy, DEP, terminal server aware"
    flags=$(awk '$1 == "Characteristics" { print $2; exit }' "$dump")
    equal $((flags & 0x0c01)) $((0x0c00)) "run from swap for removable and network media, relocations kept"
    equal "$(field MajorSubsystemVersion).$(field MinorSubsystemVersion)" 10.0 "subsystem version"
    equal "$(field Subsystem)" "$2" "subsystem"
    grep -q 'Time/Date.*Thu Jan  1 00:00:00 1970' "$dump"
    check $? "no build time in the header"
    [ "$(field CheckSum)" != 00000000 ]
    check $? "header checksum set"
    resource 0x000003 "icons"
    resource 0x00000e "an icon group"
    resource 0x000010 "a version resource"
    resource 0x000018 "a manifest"
    manifest 'level="asInvoker"' asInvoker
    manifest 'PerMonitorV2' "per-monitor DPI"
    manifest '>UTF-8</activeCodePage>' "UTF-8"
    manifest '{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}' "Windows 10"
    manifest 'Microsoft.Windows.Common-Controls" version="6.0.0.0"' "common controls 6"
    manifest '<longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true<' "long paths"
}

dump=$(mktemp)
trap 'rm -f "$dump"' EXIT
for part in setup doctor; do
    check_program cudnn-$part "$([ $part = setup ] && echo 00000002 || echo 00000003)"
    [ -f "$program" ] || continue
    equal "$(directory a | cut -d' ' -f2)" 70 "size of the load configuration (hex)"
    equal "$(load_flags)" 0800 "DependentLoadFlags"
    [ $part = setup ] || continue
    for other in cudnn-doctor cudnn-probe; do
        grep -qi "Entry: name: .*: $other\\.exe," "$dump"
        check $? "carries $other.exe"
    done
done
# The probe must look for DLLs as any program does.
check_program cudnn-probe 00000003
[ -f "$program" ] && equal "$(directory a)" "0 0" "load configuration"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
