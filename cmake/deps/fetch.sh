#!/bin/sh
# Fetches the source packages named in pins.txt with apt, checks them and unpacks them with their patches.
#   fetch.sh FOLDER      leaves FOLDER/src/<source>/ and FOLDER/versions
# Our own patches, cmake/deps/<source>-*.patch, come last.
# Needs apt-get, dpkg-source and patch, no root: apt works in a private folder, with a deb-src entry derived from the
# machine's own entries, so nothing of the machine's configuration changes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$1
pins=$here/pins.txt

die() {
    printf 'fetch: %s\n' "$*" >&2
    exit 1
}

release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
[ -n "$release" ] || die "/etc/os-release names no VERSION_CODENAME: which distribution release is this?"
sources=$(awk -v r="$release" '$1 == r { print $2 }' "$pins")
[ -n "$sources" ] ||
    die "no pinned sources for the release '$release'. Add its rows to cmake/deps/pins.txt (the head of that file says how), or give CMake a prefix with static libraries (docs/building.md)."

# The distribution's own entries, as apt itself understands them: "file:number" (number: stanza or line).
own=$(apt-get indextargets --format '$(ORIGIN)|$(SOURCESENTRY)' 2>/dev/null |
    sed -n -e 's/^Debian|//p' -e 's/^Ubuntu|//p' | sort -u)
[ -n "$own" ] || die "apt knows no entry of Debian or Ubuntu; run 'apt-get update' first"

apt=$work/apt
rm -rf "$apt" "$work/src" "$work/download"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" "$work/src" "$work/download"

# deb822: the stanza with Types: deb-src; one line: deb-src for deb. Everything else of the entry stays as it is.
for entry in $own; do
    file=${entry%:*}
    number=${entry##*:}
    name=$(basename "$file")
    case $file in
    *.sources)
        awk -v n="$number" 'BEGIN { RS = ""; ORS = "\n\n" } NR == n' "$file" |
            awk '/^[Tt]ypes:/ { print "Types: deb-src"; next } /^[Aa]rchitectures:/ { next } { print }' >"$apt/parts/$number-$name"
        ;;
    *)
        awk -v n="$number" 'NR == n { sub(/^[ \t]*deb(-src)?[ \t]/, "deb-src "); print }' "$file" >>"$apt/parts/${name%.list}.list"
        ;;
    esac
done

cat >"$apt/apt.conf" <<EOF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/parts";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "$(id -un)";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "3";
EOF

apt-get -q -c "$apt/apt.conf" update

: >"$work/versions"
for source in $sources; do
    # shellcheck disable=SC2046
    set -- $(awk -v r="$release" -v s="$source" '$1 == r && $2 == s { print $3, $4 }' "$pins")
    hash=$1
    tarball=$2
    (cd "$work/download" && apt-get -q -c "$apt/apt.conf" source --download-only --only-source "$source")
    dsc=$(find "$work/download" -name "${source}_*.dsc")
    version=$(sed -n 's/^Version: //p' "$dsc")
    [ -f "$work/download/$tarball" ] ||
        die "$release now has $source $version, whose upstream tarball is not the pinned $tarball; see the head of cmake/deps/pins.txt"
    printf '%s  %s\n' "$hash" "$work/download/$tarball" | sha256sum --quiet --check ||
        die "$tarball does not have the pinned SHA-256 $hash"
    # apt verified every file of the package against the signed index; --no-check only skips a second, weaker look.
    dpkg-source --no-check -q -x "$dsc" "$work/src/$source"
    for patch in "$here/$source"-*.patch; do
        [ -f "$patch" ] || continue
        (cd "$work/src/$source" && patch -p1 --fuzz=0 --no-backup-if-mismatch) <"$patch" || die "$(basename "$patch") does not fit $source $version"
    done
    printf '%s %s\n' "$source" "$version" >>"$work/versions"
done
rm -rf "$apt" "$work/download"
