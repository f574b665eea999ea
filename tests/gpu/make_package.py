#!/usr/bin/env python3
"""Makes the package whose cuDNN is the bridge: the sample's zip with the bridge's stub as cudnn64_8.dll, and a manifest that pins
it. It does not call itself a sample, because what it computes with is a GPU.

usage: make_package.py SAMPLE_FOLDER STUB CUDNN_VERSION OUT_FOLDER      (CUDNN_VERSION: what cudnnGetVersion answers, 91400)"""

import hashlib
import json
import os
import sys
import zipfile

sample, stub, version, out = sys.argv[1:]
number = int(version)
factor = 1000 if number < 10000 else 10000   # cuDNN 9 changed the formula
major, minor, patch = number // factor, number % factor // 100, number % 100
target = os.path.join(out, "cudnn-bridge.zip")
with open(stub, "rb") as file:
    bridge = file.read()
with zipfile.ZipFile(os.path.join(sample, "cudnn-sample.zip")) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
    replaced = 0
    for row in old.infolist():
        ours = row.filename.endswith("/bin/cudnn64_8.dll")
        replaced += ours
        new.writestr(row, bridge if ours else old.read(row))
assert replaced == 1, "the sample has one cudnn64_8.dll"
with open(os.path.join(sample, "cudnn-sample.json"), encoding="utf-8") as file:
    manifest = json.load(file)
with open(target, "rb") as file:
    data = file.read()
manifest.update(product="cuDNN bridge for tests", version="%d.%d.%d.0" % (major, minor, patch), cudnn_version=number, sample=False)
for limit in ("driver_min", "compute_min", "compute_max"):   # of CUDA 10.1; the bridge leads to another
    manifest.pop(limit, None)
manifest["archive"] = {"names": ["cudnn-bridge.zip"], "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
with open(os.path.join(out, "cudnn-bridge.json"), "w", encoding="utf-8") as file:
    json.dump(manifest, file, indent=2)
