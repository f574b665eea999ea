#!/usr/bin/env python3
"""How long the product takes beside its peers, in one run, and where its time goes.

Everything takes turns within each round, on two processors and a warm cache, into fresh folders on one disk, so that the ratios mean
something where the times do not: the processor seconds beside them hardly depend on what else the machine does.

--write FILE puts the tables between the markers of that file, and the plot beside it, as performance.svg.
"""

import argparse
import itertools
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "twin"))

import plot  # noqa: E402
import run as twin  # noqa: E402
import zips  # noqa: E402

PROCESSORS = 2
PYTHON_UNZIP = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])"
HASH_EACH = 'find "%s" -type f -exec openssl dgst -sha256 {} + >/dev/null'


class Time:
    """One run: seconds on the clock and of the processors, and what it printed."""

    def __init__(self, wall, cpu, out):
        self.wall, self.cpu, self.out = wall, cpu, out

    def value(self, name):
        for line in self.out.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return 0.0


def timed(command, environment=None):
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             errors="replace", env=environment)
    out = child.stdout.read()
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit("%s failed (exit %d): %s" % (" ".join(command), child.returncode, errors[-600:]))
    return Time(wall, usage.ru_utime + usage.ru_stime, out)


class Middle:
    """Medians over the rounds."""

    def __init__(self, times):
        self.wall = statistics.median(t.wall for t in times)
        self.best = min(t.wall for t in times)
        self.cpu = statistics.median(t.cpu for t in times)
        self.peak = max(t.value("peak_kib") for t in times) * 1.024 / 1000  # MB; 0: it does not say
        self.times = times


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)


def empty(folder):
    """Frees the space and keeps the files: ext4 without a journal takes ever longer for a new file after many were deleted."""
    for path, _, names in os.walk(folder):
        for name in names:
            os.truncate(os.path.join(path, name), 0)


FRESH = itertools.count()


def measure(contenders, work, rounds, afterwards=remove):
    """contenders: name -> function(folder) that gives the command; in turns, each into a fresh folder."""
    times = {name: [] for name in contenders}
    for number in range(rounds + 1):  # the first warms the cache and does not count
        for name, command in contenders.items():
            folder = os.path.join(work, "out%d" % next(FRESH))
            os.sync()
            one = timed(command(folder))
            afterwards(folder)
            if number or rounds == 0:
                times[name].append(one)
        if rounds == 0:
            break
    return {name: Middle(all_of_it) for name, all_of_it in times.items()}


# ---- who takes part ----

def peers(archive):
    shell = lambda text: ["sh", "-ec", text]  # noqa: E731
    wanted = {
        "`7z x`": ("7z", lambda f: ["7z", "x", "-y", "-bd", "-o" + f, archive]),
        "unzip": ("unzip", lambda f: ["unzip", "-q", archive, "-d", f]),
        "bsdtar": ("bsdtar", lambda f: shell('mkdir -p "%s"; bsdtar -xf "%s" -C "%s"' % (f, archive, f))),
        "python zipfile": ("python3", lambda f: [sys.executable, "-c", PYTHON_UNZIP, archive, f]),
        "`7z x`, then `openssl dgst -sha256` of each": (
            "openssl", lambda f: shell(('7z x -y -bd "-o%s" "%s" >/dev/null; ' + HASH_EACH) % (f, archive, f))),
        "by hand: unzip, copy, `sha256sum`": (
            "unzip", lambda f: shell('mkdir -p "%s"; unzip -q "%s" -d "%s/a"; cp -r "%s/a" "%s/b"; find "%s/b" -type f -exec sha256sum {} + >/dev/null'
                                     % (f, archive, f, f, f, f))),
    }
    for name, (program, command) in wanted.items():
        if shutil.which(program):
            yield name, command
        else:
            print("  %-52s SKIP: %s is not installed" % (name, program))


OURS = "**cudnn-setup, pinned**"
SEALED = "**cudnn-setup, sealed**"
ALONE = "cudnn-setup, pinned, one thread"
FLUSHED = "cudnn-setup, pinned, and flushed to the disk"
TELLING = "telling the progress"
QUESTIONS, BLOCK = 5000000, 128 * 1024
ZLIB = "cudnn-setup, pinned, with plain zlib"


def ours(programs, archive, pinned, sealed):
    tool = os.path.join(programs, "bench_unpack")
    yield OURS, lambda f: [tool, "all", archive, pinned, f]
    yield SEALED, lambda f: [tool, "all", archive, sealed, f]
    yield ALONE, lambda f: [tool, "all", archive, pinned, f, "workers=1"]
    yield FLUSHED, lambda f: [tool, "all", archive, pinned, f, "flush"]
    if os.path.exists(tool + "_zlib"):
        yield ZLIB, lambda f: [tool + "_zlib", "all", archive, pinned, f]
    else:
        print("  %-52s SKIP: this build inflates with zlib anyway" % ZLIB)


def parts(programs, archive, total):
    """Each part of the work alone, on one processor."""
    tool = os.path.join(programs, "bench_unpack")
    yield "SHA-256 of the archive", lambda f: [tool, "archive", archive]
    yield "inflate and CRC-32", lambda f: [tool, "inflate", archive]
    yield "SHA-256 of the files", lambda f: [tool, "hash", str(total)]
    yield "writing", lambda f: [tool, "write", str(total), f]
    yield TELLING, lambda f: [tool, "tell", str(QUESTIONS)]


# ---- tables ----

def ratio(a, b):
    return "%.2f" % (a / b) if b else ""


def verdict(value, limit):
    return "%.2f (at most %.2f: %s)" % (value, limit, "met" if value <= limit else "**missed**")


def table_of_peers(got):
    seven = got["`7z x`"].wall if "`7z x`" in got else 0
    rows = ["| who | seconds | ÷ `7z x` | fastest | processor seconds | peak MB |", "|---|---|---|---|---|---|"]
    for name, m in got.items():
        rows.append("| %s | %.2f | %s | %.2f | %.2f | %s |" % (name, m.wall, ratio(m.wall, seven), m.best, m.cpu, "%.0f" % m.peak if m.peak else ""))
    return rows


def bound_of(got, pinned):
    files = sum(got[name].cpu for name in ("inflate and CRC-32", "SHA-256 of the files", "writing"))
    return (got["SHA-256 of the archive"].cpu if pinned else 0) + files / PROCESSORS, files


def table_of_parts(got):
    got = {name: m for name, m in got.items() if name != TELLING}
    whole = sum(m.cpu for m in got.values())
    rows = ["| part, alone on one processor | processor seconds | share |", "|---|---|---|"]
    for name, m in got.items():
        rows.append("| %s | %.2f | %.0f %% |" % (name, m.cpu, 100 * m.cpu / whole))
    return rows


def table_of_targets(peer, part, total):
    """By the clock: the medians, and the fastest of each, which is nearer to a machine that does nothing else."""
    rows = ["| target | medians | fastest of each |", "|---|---|---|"]
    mine, sealed = peer[OURS], peer[SEALED]

    def add(what, m, other, limit):
        rows.append("| %s | %s | %s |" % (what, verdict(m.wall / other.wall, limit), verdict(m.best / other.best, limit)))

    for name, limit in (("`7z x`", 0.42), ("`7z x`, then `openssl dgst -sha256` of each", 0.37), ("by hand: unzip, copy, `sha256sum`", 0.13)):
        if name in peer:
            add("pinned ÷ %s" % name, mine, peer[name], limit)
    if "`7z x`" in peer:
        add("sealed ÷ `7z x`", sealed, peer["`7z x`"], 0.36)
    for what, m, pinned in (("pinned", mine, True), ("sealed", sealed, False)):
        bound, _ = bound_of(part, pinned)
        rows.append("| %s ÷ its bound, %.2f s%s | %s | %s |" % (
            what, bound, " (%.2f of `7z x`'s processor seconds)" % (bound / peer["`7z x`"].cpu) if "`7z x`" in peer else "",
            verdict(m.wall / bound, 1.2), verdict(m.best / bound, 1.2)))
    _, files = bound_of(part, True)
    alone = files + part["SHA-256 of the archive"].cpu
    rows.append("| one thread: processor seconds ÷ sum of the parts, %.2f s | %s | |" % (alone, verdict(peer[ALONE].cpu / alone, 1.2)))
    rows.append("| peak memory, MB | %s | |" % verdict(max(mine.peak, sealed.peak), 32))
    told = part[TELLING].cpu / QUESTIONS * (total / BLOCK) / mine.cpu
    rows.append("| progress: processor seconds for a question with every block ÷ all | %.5f (at most 0.01: %s) | |" % (told, "met" if told <= 0.01 else "**missed**"))
    between = mine.times[0].value("events") - 4  # of both steps, archive and unpack, the first and the last are told at once
    rows.append("| progress: events a second | %s | |" % verdict(max(between, 0) / mine.times[0].wall, 10))
    return rows


# ---- growth ----

def growth_by_size(options, pieces, results):
    tool = os.path.join(options.programs, "bench_unpack")
    points = (10, 50, 100) if options.quick else (10, 50, 100, 200, 300, 400)  # per cent
    for percent in points:
        archive = os.path.join(options.work, "grown.zip")
        manifest, total = zips.grown(archive, pieces, options.manifest, options.archive, percent)
        got = measure({"ours": lambda f: [tool, "all", archive, manifest, f], "7z": lambda f: ["7z", "x", "-y", "-bd", "-o" + f, archive]},
                      options.work, 0 if options.quick else 1)
        results.append((percent, os.path.getsize(archive) / 1e6, total / 1e6, got["ours"], got["7z"]))
        print("  %4d %% of the size: %.2f s, 7z %.2f s, peak %.0f MB" % (percent, got["ours"].wall, got["7z"].wall, got["ours"].peak), flush=True)
        os.unlink(archive)


def growth_by_entries(options, pieces, results):
    tool = os.path.join(options.programs, "bench_many")
    points = (31, 3100) if options.quick else (31, 3100, 9300, 15500, 24800, 31000)
    for count in points:
        archive = os.path.join(options.work, "crowded.zip")
        zips.crowded(archive, pieces, count, 310000000)
        got = measure({"ours": lambda f: [tool, "many", archive, f], "7z": lambda f: ["7z", "x", "-y", "-bd", "-o" + f, archive]},
                      options.work, 0 if options.quick else 1, afterwards=empty)
        results.append((count, got["ours"], got["7z"]))
        print("  %5d entries: %.2f s, 7z %.2f s" % (count, got["ours"].wall, got["7z"].wall), flush=True)
        os.unlink(archive)


def table_of_growth(sizes, entries):
    rows = ["| % of the size | zipped MB | unpacked MB | seconds | processor s | processor s for 100 MB | peak MB | `7z x` |", "|---|---|---|---|---|---|---|---|"]
    for percent, zipped, unpacked, mine, seven in sizes:
        rows.append("| %d | %.0f | %.0f | %.2f | %.2f | %.3f | %.0f | %.2f |" % (percent, zipped, unpacked, mine.wall, mine.cpu, mine.cpu / unpacked * 100, mine.peak, seven.wall))
    if entries:
        rows += ["", "| entries, 310 MB in all | seconds | processor s | more for one entry, µs | `7z x` |", "|---|---|---|---|---|"]
        first = entries[0]
        for count, mine, seven in entries:
            more = "%.0f" % ((mine.cpu - first[1].cpu) / (count - first[0]) * 1e6) if count > first[0] else ""
            rows.append("| %s | %.2f | %.2f | %s | %.2f |" % ("{:,}".format(count), mine.wall, mine.cpu, more, seven.wall))
    return rows


def draw_growth(path, sizes, entries):
    panels = [("Size of the package", "unpacked, MB", "processor seconds",
               [("cudnn-setup", plot.OURS, [(u, m.cpu) for _, _, u, m, _ in sizes]), ("7z x", plot.PEER, [(u, s.cpu) for _, _, u, _, s in sizes])])]
    if entries:
        panels.append(("Number of entries, 310 MB in all", "entries", "processor seconds",
                       [("cudnn-setup", plot.OURS, [(n, m.cpu) for n, m, _ in entries]), ("7z x", plot.PEER, [(n, s.cpu) for n, _, s in entries])]))
    plot.draw(path, panels)


# ---- the whole program: again, and from its start ----

def again(options):
    """A second installation changes nothing: it hashes what is there. Beside it sha256sum of the same files on all processors."""
    folder = os.path.join(options.work, "machine")
    shutil.rmtree(folder, ignore_errors=True)
    machine = twin.Machine(options.twin, folder)
    words = ["/install", "/quiet", "/archive:" + twin.windows(options.archive), "/manifest:" + twin.windows(options.manifest), "/selftest:skip"]
    start = time.monotonic()
    machine.run(*words)
    rows = [("a whole installation, with flushes and records", time.monotonic() - start, None)]
    targets = subprocess.run(["find", machine.tree, "-type", "f", "-newer", options.archive], capture_output=True, text=True).stdout
    listing = os.path.join(options.work, "files")
    with open(listing, "w") as file:
        file.write(targets)
    environment = machine.environment()
    contenders = {"again": [os.path.join(options.twin, "twin-setup"), *words],
                  "sums": ["sh", "-c", 'xargs -d "\\n" -P %d -n 1 sha256sum <"%s" >/dev/null' % (PROCESSORS, listing)],
                  "help": [os.path.join(options.twin, "twin-setup"), "/?"],
                  "status": [os.path.join(options.twin, "twin-setup"), "/status"]}
    got = {name: [] for name in contenders}
    for _ in range(options.rounds or 1):
        for name, command in contenders.items():
            got[name].append(timed(command, environment))
    again_, sums, help_, status = (Middle(got[name]) for name in ("again", "sums", "help", "status"))
    rows.append(("the same again: nothing to do, all files hashed", again_.wall, again_.cpu))
    rows.append(("`sha256sum` of those files on %d processors" % PROCESSORS, sums.wall, sums.cpu))
    rows.append(("`/status`: what is installed, all files hashed", status.wall, status.cpu))
    rows.append(("`/?`: start to end", help_.wall, help_.cpu))
    shutil.rmtree(folder, ignore_errors=True)
    out = ["| the program (its twin on Linux) | seconds | processor seconds |", "|---|---|---|"]
    out += ["| %s | %.3f | %s |" % (what, wall, "" if cpu is None else "%.3f" % cpu) for what, wall, cpu in rows]
    out += ["", "Again ÷ `sha256sum`: %s by the clock, %.2f by processor seconds. Start: %s." % (
        verdict(again_.wall / sums.wall, 1.1), again_.cpu / sums.cpu, verdict(help_.wall * 1000, 50).replace("(", "ms ("))]
    return out


# ---- in Wine ----

def in_wine(options, pinned, sealed):
    tool = os.path.join(options.windows, "tests", "bench", "bench_unpack.exe")
    z = lambda path: "Z:" + os.path.abspath(path).replace("/", "\\")  # noqa: E731
    all_of_it = lambda m, f, *more: [options.wine, tool, "all", z(options.archive), z(m), z(f), *more]  # noqa: E731
    contenders = {"cudnn-setup, one thread": lambda f: all_of_it(pinned, f, "workers=1"),
                  "**cudnn-setup, pinned**": lambda f: all_of_it(pinned, f),
                  "**cudnn-setup, sealed**": lambda f: all_of_it(sealed, f)}
    if options.seven:
        contenders = {"7za.exe x": lambda f: [options.wine, options.seven, "x", "-y", "-bd", "-o" + z(f), z(options.archive)], **contenders}
    got = measure(contenders, options.work, min(options.rounds, 3))
    first = next(iter(got.values())).wall
    rows = ["| Windows programs, in Wine | seconds | ÷ the first |", "|---|---|---|"]
    rows += ["| %s | %.2f | %s |" % (name, m.wall, ratio(m.wall, first)) for name, m in got.items()]
    setup = [options.wine, os.path.join(options.windows, "bin", "cudnn-setup.exe"), "/install", "/quiet", "/archive:" + z(options.archive),
             "/manifest:" + z(pinned), "/selftest:skip"]
    rows.append("| cudnn-setup.exe /install: all of it, flushed | %.2f | |" % timed(setup).wall)
    rows.append("| the same again: nothing to do | %.2f | |" % timed(setup).wall)
    return rows


# ---- all of it ----

def machine_line(options):
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    flags = next((line for line in lines if line.startswith("flags")), "")
    return "%s, %d of its processors, %sSHA instructions; Linux %s; load before: %.1f; medians of %d rounds." % (
        model, PROCESSORS, "" if " sha_ni" in flags else "no ", platform.release(), options.load, options.rounds)


def put_between(path, name, lines):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- %s: written by ./dev bench -->" % name, "<!-- end of %s -->" % name
    if begin not in text or end not in text:
        raise SystemExit("%s has no markers for %s" % (path, name))
    before, rest = text.split(begin, 1)
    text = before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def compare(options, archive, manifest, name):
    """The peers and us on one archive."""
    sealed = zips.seal(manifest, archive, os.path.join(options.work, name + "-sealed.json"))
    contenders = dict(peers(archive))
    contenders.update(ours(options.programs, archive, manifest, sealed))
    got = measure(contenders, options.work, options.rounds)
    total = int(got[OURS].times[0].value("bytes"))
    part = measure(dict(parts(options.programs, archive, total)), options.work, options.rounds)
    head = "%s: %.0f MB zipped, %.0f MB unpacked, %d files." % (
        name, os.path.getsize(archive) / 1e6, total / 1e6, got[OURS].times[0].value("entries"))
    return [head, ""] + table_of_peers(got) + [""] + table_of_parts(part) + [""] + table_of_targets(got, part, total), sealed


def main():
    global PROCESSORS
    parser = argparse.ArgumentParser()
    parser.add_argument("--archive", required=True, help="the full-size sample")
    parser.add_argument("--manifest", required=True, help="its pinned manifest")
    parser.add_argument("--programs", required=True, help="folder of bench_unpack")
    parser.add_argument("--twin", required=True, help="folder of twin-setup, optimised")
    parser.add_argument("--work", required=True)
    parser.add_argument("--windows", help="build folder of the Windows programs")
    parser.add_argument("--wine")
    parser.add_argument("--seven", help="a 7za.exe, for Wine")
    parser.add_argument("--zip", help="another archive, of DLLs")
    parser.add_argument("--quick", action="store_true", help="one round, few points")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processors", type=int, default=PROCESSORS)
    parser.add_argument("--only", help="one of peers, dlls, again, wine, growth")
    parser.add_argument("--write", help="a document with markers")
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    options.load = os.getloadavg()[0]
    available = sorted(os.sched_getaffinity(0))[:options.processors]
    os.sched_setaffinity(0, set(available))
    PROCESSORS = len(available)
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    sections = {}

    def part(name, make):
        if options.only in (None, name):
            sections[name] = make()
            print("\n".join(sections[name]) + "\n", flush=True)

    def whole():
        lines, _ = compare(options, options.archive, options.manifest, "the full-size sample")
        return [machine_line(options), ""] + lines

    def dlls():
        manifest = zips.pin_dlls(options.zip, options.manifest, os.path.join(options.work, "dlls.json"))
        return compare(options, options.zip, manifest, "real GPU DLLs for Windows")[0]

    def growth():
        sizes, entries, pieces = [], [], zips.Pieces()
        growth_by_size(options, pieces, sizes)
        growth_by_entries(options, pieces, entries)
        draw_growth(os.path.join(options.work, "performance.svg"), sizes, entries)
        return table_of_growth(sizes, entries)

    part("peers", whole)
    if options.zip:
        part("dlls", dlls)
    part("again", lambda: again(options))
    if options.wine:
        part("wine", lambda: in_wine(options, options.manifest,
                                     zips.seal(options.manifest, options.archive, os.path.join(options.work, "sealed.json"))))
    part("growth", growth)
    if options.write:
        for name, lines in sections.items():
            put_between(options.write, name, lines)
        svg = os.path.join(options.work, "performance.svg")
        if os.path.exists(svg):
            shutil.copy(svg, os.path.join(os.path.dirname(os.path.abspath(options.write)), "performance.svg"))


if __name__ == "__main__":
    main()
