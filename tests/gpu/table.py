#!/usr/bin/env python3
"""Prints the result of a self-test as a table for docs/verified.md.

usage: table.py RESULT.json      the posix twin's --json, or the /json result of cudnn-setup"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    result = json.load(file)
if "proof" in result:   # of setup
    machine, calls = result["proof"].get("machine", {}), result["proof"].get("calls", [])
    verdict, sentence = result["proof"].get("verdicts", {}).get("gpu"), result["proof"].get("gpu")
else:
    used = [device for device in result["devices"] if device["used"]] or [{}]
    machine = {"device": used[0].get("name"), "capability": used[0].get("capability"), "memory_free": used[0].get("memory_free", 0),
               "memory_total": used[0].get("memory_total", 0), **{key: value for key, value in result["versions"].items() if "path" not in key}}
    calls, verdict, sentence = result["runs"], result["verdict"], result["sentence"]
print(sentence if sentence.startswith(verdict) else "%s: %s" % (verdict, sentence))
print(", ".join("%s %s" % item for item in machine.items()))
print()
counts = {}
for call in calls:
    counts[call["outcome"]] = counts.get(call["outcome"], 0) + 1
print("%d computations: %s" % (len(calls), ", ".join("%d %s" % (count, name) for name, count in sorted(counts.items()))))
print()
print("| operation | shape | type | algorithm | outcome | error | limit | first call | later calls |")
print("|---|---|---|---|---|---|---|---|---|")
for call in calls:
    times = ["%.1f \u00b5s" % (call[key] / 1000) if call.get(key) else "" for key in ("first_ns", "later_ns")]
    print("| %s |" % " | ".join([call["operation"], call["shape"], call["type"], call["algorithm"], call["outcome"], call.get("error", ""),
                                 call.get("limit", "")] + times))
