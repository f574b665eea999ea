#!/bin/sh
# Packs everything that tests/gpu/run.sh needs into one archive, for a bare x86-64 Linux machine with an NVIDIA driver, CUDA and
# cuDNN of whatever release, where neither Wine nor a network has to be:
#
#   tests/gpu/pack.sh OUT.tar.xz [WINDOWS_BUILD LINUX_BUILD]      here, on Debian 12
#   tar -C / -xf OUT.tar.xz && sh /opt/cudnn-gpu/run.sh RESULTS   there, as root
#
# The builds are those of ./dev (build/windows, build/linux-release with the samples). Needs the packages wine, wine64, libwine-dev
# and wine64-tools (for the bridge), gcc-mingw-w64-x86-64 (its strip), python3 and xz-utils.
set -eu
out=${1:?usage: pack.sh OUT.tar.xz [WINDOWS_BUILD LINUX_BUILD]}
case $out in /*) ;; *) out=$PWD/$out ;; esac
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
windows=${2:-$project/build/windows}
linux=${3:-$project/build/linux-release}
for needed in "$windows/bin/cudnn-setup.exe" "$windows/bin/cudnn-probe.exe" "$linux/tests/gpu/selftest_posix" "$linux/samples/sample/cudnn-sample.zip"; do
    [ -f "$needed" ] || { echo "pack.sh: $needed is not built" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
libraries=/usr/lib/x86_64-linux-gnu
unix=$libraries/wine/x86_64-unix
dlls=$libraries/wine/x86_64-windows
system=$root/opt/pfx/drive_c/windows/system32
gpu=$root/opt/cudnn-gpu

# ---- Wine, as far as programs without a window need it ----
mkdir -p "$root/usr/lib/wine" "$root$unix" "$root$dlls" "$root/usr/share/wine" "$system/drivers" "$root/opt/pfx/dosdevices" \
    "$root/opt/pfx/drive_c/users/root/Temp" "$root/opt/pfx/drive_c/Program Files" "$gpu/programs" "$gpu/bridge"
cp /usr/lib/wine/wine64 /usr/lib/wine/wineserver64 "$root/usr/lib/wine/"
ln -s wineserver64 "$root/usr/lib/wine/wineserver"
cp -r /usr/share/wine/nls "$root/usr/share/wine/"
cp -a $libraries/libunwind.so.8* "$root$libraries/"
cp $unix/ntdll.so $unix/win32u.so "$root$unix/"
for part in actxprxy.dll advapi32.dll apisetschema.dll bcrypt.dll cmd.exe combase.dll comctl32.dll comdlg32.dll conhost.exe \
    crypt32.dll dbghelp.dll dnsapi.dll explorer.exe gdi32.dll imm32.dll iphlpapi.dll kernel32.dll kernelbase.dll mountmgr.sys \
    msvcrt.dll ndis.sys nsi.dll nsiproxy.sys ntdll.dll ntoskrnl.exe ole32.dll oleaut32.dll plugplay.exe propsys.dll psapi.dll \
    reg.exe rpcrt4.dll rpcss.exe rstrtmgr.dll sechost.dll services.exe setupapi.dll shcore.dll shell32.dll shlwapi.dll start.exe \
    svchost.exe ucrtbase.dll user32.dll userenv.dll uxtheme.dll version.dll wevtsvc.dll win32u.dll wineboot.exe winedevice.exe \
    wintrust.dll ws2_32.dll zlib1.dll; do
    cp "$dlls/$part" "$root$dlls/"
    x86_64-w64-mingw32-strip -g "$root$dlls/$part" 2>/dev/null || true # those that are not PE stay as they are
    case $part in *.sys) cp "$root$dlls/$part" "$system/drivers/" ;; *) cp "$root$dlls/$part" "$system/" ;; esac
    [ ! -f "$unix/${part%.*}.so" ] || cp "$unix/${part%.*}.so" "$root$unix/"
done
strip -g "$root$unix"/*.so

# The registry of a real first start, without its files.
export WINEPREFIX="$work/pfx" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=,mshtml="
timeout 300 wineboot -i >/dev/null 2>&1
timeout 60 wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null 2>&1
timeout 60 wine reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug' /v Debugger /d false /f >/dev/null 2>&1
timeout 120 wineserver -w
cp "$work/pfx"/*.reg "$root/opt/pfx/"
echo disable >"$root/opt/pfx/.update-timestamp"
ln -s ../drive_c "$root/opt/pfx/dosdevices/c:"
ln -s / "$root/opt/pfx/dosdevices/z:"

# ---- the bridge: stubs that lie in the CUDA tree, and their other half beside Wine's own ----
mkdir "$work/bridge"
python3 "$here/make_bridge.py" "$project/src/selftest/abi.h" "$work/bridge"
for name in cudnn64_8 cudart64_101 nvcuda; do
    (cd "$work/bridge" && winegcc -m64 -shared -O2 -o $name.dll.so $name.spec $name.c -ldl &&
        winebuild -m64 --dll --fake-module -E $name.spec -o $name.dll)
    cp "$work/bridge/$name.dll.so" "$root$unix/"
    cp "$work/bridge/$name.dll" "$gpu/bridge/"
done
cp "$work/bridge/nvcuda.dll" "$system/" # where a real driver puts it

# ---- ours ----
cp "$windows/bin/cudnn-setup.exe" "$windows/bin/cudnn-doctor.exe" "$windows/bin/cudnn-probe.exe" "$gpu/programs/"
cp "$linux/tests/gpu/selftest_posix" "$gpu/"
cp -r "$linux/samples/sample" "$linux/samples/toolkit" "$gpu/"
cp "$here/run.sh" "$here/make_package.py" "$here/table.py" "$gpu/"
tar -C "$root" --owner=0 --group=0 -cf - . | xz -T0 -4 >"$out"
ls -l "$out"
