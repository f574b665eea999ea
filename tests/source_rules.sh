#!/bin/sh
# Rules of the source tree that no compiler knows. Prints each breach, and "N passed, N failed" last: one count per rule.
set -u
cd "$(dirname "$0")/.."

results=$(mktemp)   # one line per rule: the rules run in pipelines, so in shells of their own
trap 'rm -f "$results"' EXIT
rule() { # rule TEXT: standard input holds the breaches, one a line
    found=$(cat)
    if [ -z "$found" ]; then
        echo ok >>"$results"
    else
        echo FAIL >>"$results"
        printf 'FAIL  %s:\n' "$1"
        printf '%s\n' "$found" | sed 's/^/      /'
    fi
}

sources() { # sources FOLDER…: C files below
    find "$@" -name '*.[ch]' 2>/dev/null | sort
}

# shellcheck disable=SC2046
{
    grep -nE '#[ \t]*include[ \t]*<(windows|winbase|winnt|winreg|winsvc|shlobj|aclapi|bcrypt|winternl)\.h>' \
        $(sources include src/core src/doctor src/selftest src/posix) /dev/null |
        rule "Windows headers only in src/win32 and installer"
    grep -nE '#[ \t]*include[ \t]*<(unistd|fcntl|dirent|dlfcn|pthread|sys/[a-z]+)\.h>' \
        $(sources include src/core src/doctor src/selftest src/win32 installer) /dev/null |
        rule "POSIX headers only in src/posix"
    grep -nE '\b(_WIN32|__linux__|__unix__|__MINGW32__)\b' $(sources include src/core src/doctor src/selftest) /dev/null |
        rule "no code for one system outside src/win32 and src/posix"
    grep -nE '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|wcscpy|wcscat|swprintf|lstrcpy[AW]?|lstrcat[AW]?|wsprintf[AW]?)[ \t]*\(' \
        $(sources include src installer) /dev/null |
        rule "no string functions without a bound"
    grep -nE '\b(Create(File|Directory|Process|Event|Mutex|Service)|Reg[A-Z][A-Za-z]*|Load(Library|LibraryEx|String)|GetModule(FileName|Handle|HandleEx)|(Move|Copy|Delete)File(Ex)?|MessageBox|Find(First|Next)File|GetEnvironmentVariable|SetEnvironmentVariable|ShellExecute(Ex)?)A[ \t]*\(' \
        $(sources src installer) /dev/null |
        rule "wide Win32 functions only"
    grep -nE '\b(malloc|calloc|realloc|free|strdup|_wcsdup|wcsdup)[ \t]*\(' $(sources src installer) /dev/null |
        grep -vE '^[^:]*:[0-9]+: *(/?\*|//)' | grep -vE '^src/(core/buffer\.c|posix/[a-z_]*\.c:[0-9]+: *free\()' |
        rule "allocation by cs_alloc and its kind only (but for what POSIX itself allocated)"
    grep -nE '\b(exit|_exit|abort)[ \t]*\(' $(sources src) /dev/null | grep -vE '^[^:]*:[0-9]+: *(/?\*|//)' |
        grep -v '^src/posix/' | rule "no exit below main"
    grep -nE '\bskip\(\)' $(sources tests/unit) /dev/null | rule "a skipped test says why (SKIP of tests/support/skip.h)"
    for file in $(sources include src installer cmake/tools tests); do
        lines=$(wc -l <"$file")
        case $file in tests/*) most=700 ;; *) most=500 ;; esac
        [ "$lines" -le $most ] || echo "$file: $lines lines, at most $most"
    done | rule "files that can be read in one go"
    grep -nE '\b(TODO|FIXME|XXX)\b' $(sources include src installer cmake/tools tests) /dev/null | rule "nothing left to be done in comments"
}
python3 -B tests/sentences.py 2>&1 | rule "sentences that people see have their Chinese, and only they (tests/sentences.py)"
for file in dev .ci/run $(find cmake tests -name '*.sh'); do
    sh -n "$file" 2>&1
    head -n 1 "$file" | grep -q '^#!/bin/sh' || echo "$file: must be a POSIX shell script"
done | rule "scripts parse and are for sh"

failed=$(grep -c FAIL "$results")
echo "$(grep -c ok "$results") passed, $failed failed"
[ "$failed" = 0 ]
