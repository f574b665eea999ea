#!/usr/bin/env python3
"""End-to-end tests: the real cudnn-setup.exe in Wine, judged by the tree, the registry and the /json result it leaves.

usage: run.py --programs DIR --samples DIR --work DIR [--only TEXT] [--kill N] [--seed TEXT] [--list] [--keep]

--programs  folder with cudnn-setup.exe, cudnn-doctor.exe, cudnn-probe.exe and e2e_helper.exe
--samples   folder made by the sample maker: sample/, toolkit/, old76/ and, for the fullsize case, fullsize/
--work      scratch folder; the prepared Wine prefix is kept there for the next run
--clients   folder with independent programs that use cuDNN, made by clients.sh; --no-clients TEXT says why there is none
--pictures  folder for the pictures of the documentation: makes these instead of running cases
--kill      how often the cases named kill_... kill the program in all; --seed gives them the same instants again
"""

import argparse
import concurrent.futures
import importlib
import os
import random
import shutil
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import wine  # noqa: E402

# Long ones first, so that they do not run alone at the end.
FIRST = ("cases_kill", "cases_together", "cases_inuse")
NAMES = sorted(name[:-3] for name in os.listdir(sys.path[0]) if name.startswith("cases_") and name.endswith(".py"))
GROUPS = [importlib.import_module(name) for name in sorted(NAMES, key=lambda name: (*FIRST, name).index(name))]


class Skip(Exception):
    """Raised by a case that cannot run, with the reason."""


class Case:
    """What one case may use: checks that are counted, prefixes that are cleaned up, the samples."""

    def __init__(self, name, options, display):
        self.name, self.options, self.display = name, options, display
        self.passed, self.failures = 0, []
        self.lines = []
        self.prefixes = []

    def say(self, text):
        self.lines.append("      " + text)

    def check(self, condition, what):
        if condition:
            self.passed += 1
        else:
            self.failures.append(what)
            self.say("FAIL " + what)

    def equal(self, actual, expected, what):
        self.check(actual == expected, "%s: is %s, must be %s" % (what, short(actual), short(expected)))

    def skip(self, reason):
        raise Skip(reason)

    def prefix(self):
        root = os.path.join(self.options.work, "prefix-%s-%d" % (self.name, len(self.prefixes)))
        shutil.rmtree(root, ignore_errors=True)
        wine.clone_prefix(os.path.join(self.options.work, "template"), root)
        prefix = wine.Prefix(root, os.path.join(self.options.work, "home"), self.display)
        self.prefixes.append(prefix)
        return prefix

    def sample(self, *parts):
        path = os.path.join(self.options.samples, *parts)
        if not os.path.exists(path):
            raise Skip("sample %s was not made" % "/".join(parts))
        return path

    def program(self, name):
        return os.path.join(self.options.programs, name)

    def close(self):
        for prefix in self.prefixes:
            prefix.stop()
            if not self.options.keep and not self.failures:
                shutil.rmtree(prefix.root, ignore_errors=True)
                shutil.rmtree(prefix.root + "-states", ignore_errors=True)


def short(value):
    text = repr(value)
    return text if len(text) < 600 else text[:300] + " ... " + text[-280:]


def prepare_template(options, display):
    """Makes the prefix that every case copies, once per Wine version."""
    version = subprocess.run(["wine", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    stamp = os.path.join(options.work, "template.version")
    template = os.path.join(options.work, "template")
    if os.path.isfile(stamp):
        with open(stamp, "rb") as file:
            if file.read() == version and os.path.isdir(template):
                return
    shutil.rmtree(template, ignore_errors=True)
    wine.make_template(template, os.path.join(options.work, "home"), display)
    with open(stamp, "wb") as file:
        file.write(version)


def run_case(name, function, options, display):
    """Runs one case; its lines come out in one piece. Returns (passed, failed, skipped)."""
    case = Case(name, options, display)
    start = time.monotonic()
    skipped = None
    try:
        function(case)
    except Skip as reason:
        skipped = str(reason)
    except Exception:   # a case that stops half-way is a failure with its trace
        case.check(False, "stopped: " + traceback.format_exc())
    finally:
        case.close()
    title = (function.__doc__ or name).strip().splitlines()[0]
    state = "SKIP" if skipped else "FAIL" if case.failures else "ok"
    case.lines.append("  %-4s %-24s %3d checks %6.1f s  %s%s" % (state, name, case.passed, time.monotonic() - start, title,
                                                              "  (skipped: %s)" % skipped if skipped else ""))
    print("\n".join(case.lines), flush=True)
    return case.passed, len(case.failures), 1 if skipped else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--samples", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    parser.add_argument("--kill", type=int, default=20, help="kills in all by the cases named kill_...")
    parser.add_argument("--pictures", default="", help="folder: make the documentation's pictures, run no cases")
    parser.add_argument("--clients", default="", help="folder that clients.sh made; \"\": there is none")
    parser.add_argument("--no-clients", default="", help="why there is none")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1 << 32)), help="of the kills' instants")
    parser.add_argument("--jobs", type=int, default=2, help="cases at once; each has its own prefix")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the prefixes of passed cases too")
    options = parser.parse_args()
    for name in ("programs", "samples", "work"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    options.clients = options.clients and os.path.abspath(options.clients)
    options.pictures = options.pictures and os.path.abspath(options.pictures)
    groups = [importlib.import_module("pictures")] if options.pictures else GROUPS
    cases = [(name[5:], function) for group in groups for name, function in vars(group).items()
             if name.startswith("case_") and options.only in name]
    if options.list:
        print("\n".join("%s: %s" % (name, (function.__doc__ or "").strip().splitlines()[0]) for name, function in cases))
        return 0
    if not cases:
        sys.exit("no case is named like '%s'" % options.only)
    os.makedirs(options.work, exist_ok=True)
    display = wine.Display()
    totals = []
    try:
        prepare_template(options, display.name)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            totals = list(pool.map(lambda case: run_case(case[0], case[1], options, display.name), cases))
    finally:
        display.close()
    passed, failed, skipped = (sum(column) for column in zip(*totals))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
