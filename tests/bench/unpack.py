#!/usr/bin/env python3
"""The full-size sample's installation beside unzip and 7z on the same archive and disk.

The peers only unpack; cudnn-setup in Wine also hashes the archive and every file, writes beside, flushes and records. Times are
Wine's on this machine: what they say about Windows is the order of magnitude."""

import argparse
import os
import shutil
import subprocess
import sys
import time


def timed(command):
    os.sync()
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=900)
    return time.monotonic() - start, done.returncode


def peers(archive, work):
    """Name and seconds of every unpacker that is there."""
    commands = (("unzip", ["unzip", "-q", "-o", archive, "-d", work]), ("7z x", ["7z", "x", "-y", "-bd", "-o" + work, archive]))
    for name, command in commands:
        if not shutil.which(command[0]):
            print("  %-52s SKIP: not installed" % name)
            continue
        shutil.rmtree(work, ignore_errors=True)
        seconds, code = timed(command)
        shutil.rmtree(work, ignore_errors=True)
        if code != 0:
            print("  %-52s failed (exit %d)" % (name, code))
            continue
        print("  %-52s %6.2f s" % (name, seconds))
        yield name, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--archive", required=True)
    parser.add_argument("--setup", required=True)
    parser.add_argument("--wine", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--windows", required=True, help="the archive and its manifest as Windows paths, without extension")
    options = parser.parse_args()
    print("%s: %d MB" % (os.path.basename(options.archive), os.path.getsize(options.archive) // 1000000))
    times = list(peers(options.archive, options.work))
    ours, code = timed([options.wine, options.setup, "/install", "/quiet", "/archive:" + options.windows + ".zip",
                        "/manifest:" + options.windows + ".json", "/selftest:skip"])
    if code != 0:
        sys.exit("cudnn-setup failed (low byte of its exit code: %d)" % code)
    print("  %-52s %6.2f s" % ("cudnn-setup /install in Wine: hash, write, flush", ours))
    for name, seconds in times:
        print("  cudnn-setup takes %.2f times as long as %s" % (ours / seconds, name))


if __name__ == "__main__":
    main()
