"""Two runs at once: the second is told 1618 whatever the verbs and the order, one of them finishes as if alone, and a killed one holds
up nobody."""

import json
import os
import random
import time

import wine
from cases_inuse import Watched, add_older_8, add_variant, install_words
from machine import P, Machine

BUSY = 1618
FEW = 50   # kills asked for; with more of them all pairs are tried
VERBS = ("install", "uninstall", "rollback", "repair", "recover", "forget")


class Run:
    """One run of the program that goes on while others are started."""

    def __init__(self, m, words, program=None):
        self.m, self.out = m, m.wine.out("result") + ".json"
        self.process = m.wine.popen([program or m.setup_exe] + words + ["/quiet", "/json:" + self.out])

    def working(self):
        return self.process.poll() is None

    def end(self, seconds=300):
        """(exit code, result object)."""
        self.process.wait(seconds)
        if not self.m.wine.exists(self.out):
            return self.process.returncode, None
        with open(self.m.wine.unix(self.out), "rb") as file:
            result = json.loads(file.read().decode("utf-8"))
        return result["exit"], result


def logs(m, verb):
    folder = m.wine.unix(P + "\\logs")
    return [one for one in (os.listdir(folder) if os.path.isdir(folder) else []) if "-%s-" % verb in one and one.endswith(".log")]


def start(m, verb, words):
    """Starts a run and waits until its log says that it looks at the tree: by then it has the lock."""
    known = logs(m, verb)
    run = Run(m, words)

    def at_work():
        for name in set(logs(m, verb)) - set(known):
            with open(os.path.join(m.wine.unix(P + "\\logs"), name), "rb") as file:
                if m.tree.encode("utf-8") in file.read().split(b"\n", 4)[-1]:
                    return True
        return not run.working()
    wine.wait_until(at_work, 60, verb + " at work")
    return run


def all_refused(t, m, first, what, words):
    """Every verb beside a run that is at work, from the program in Program Files and from another copy of it."""
    programs = (m.setup_exe, P + "\\cudnn-setup.exe" if m.wine.exists(P + "\\cudnn-setup.exe") else m.setup_exe)
    seconds = [(verb, Run(m, words[verb], programs[number % 2])) for number, verb in enumerate(VERBS)]
    for verb, second in seconds:
        code, result = second.end()
        t.equal(code, BUSY, "%s beside %s" % (verb, what))
        t.check(result and "another run" in result["message"], "%s beside %s says why: %s" % (verb, what, result and result["message"]))
    t.check(first.working(), "%s was still at work when all others had ended" % what)


def case_second_is_refused(t):
    """six verbs beside an install, a repair, a rollback and an uninstall: 1618; a killed holder of the lock blocks nobody"""
    t.sample("fullsize")   # long enough to meet it at work
    with Machine(t) as m:
        w = Watched(t, m)
        m.add_old_cudnn()
        before = w.picture()
        w.run(install_words(*m.add_archive()), 0, "install of the first level")
        m.sample_folder = "fullsize"
        install = install_words(*m.add_archive())
        words = {verb: ["/" + verb] for verb in VERBS}
        words["install"] = install

        first = start(m, "install", install)
        all_refused(t, m, first, "install", words)
        t.equal(first.end()[0], 0, "the install")
        two_levels = w.picture()

        first = start(m, "repair", ["/repair"])
        all_refused(t, m, first, "repair", words)
        t.equal(first.end()[0], 0, "the repair")
        w.same(two_levels, "a repair with nothing to do")

        first = start(m, "rollback", ["/rollback"])
        all_refused(t, m, first, "rollback", words)
        t.check(first.working(), "the rollback is still at work when it is killed")
        wine.kill(first.process)
        started = time.monotonic()
        w.run(["/recover"], 0, "recover right after the kill")
        t.check(time.monotonic() - started < 30, "and at once")
        w.same(two_levels, "after a killed rollback")

        first = start(m, "uninstall", ["/uninstall"])
        all_refused(t, m, first, "uninstall", words)
        t.equal(first.end()[0], 0, "the uninstall")
        w.same(before, "after the uninstall")


# ---- short runs, started within milliseconds ----

def alone(verb, depth):
    """(exit code, levels after it) of a verb alone on a machine with so many levels. The install is of the second level's package."""
    if verb == "install":
        return 0, max(depth, 1)
    if verb == "recover":
        return 0, depth
    if depth == 0:
        return 1605, 0
    return 0, {"uninstall": 0, "rollback": depth - 1}.get(verb, depth)


def serial(one, other, depth):
    """What may come of two runs: one after the other, or one of them refused. {(code of one, code of other, levels)}"""
    code, left = alone(one, depth)
    ends = {(code, BUSY, left), (code,) + alone(other, left)}
    code, left = alone(other, depth)
    after, last = alone(one, left)
    return ends | {(BUSY, code, left), (after, code, last)}


def levels(m):
    state = m.wine.unix(P + "\\state")
    for folder in os.listdir(state) if os.path.isdir(state) else []:
        head = os.path.join(state, folder, "head")
        if os.path.exists(head):
            with open(head, "rb") as file:
                return len(json.loads(file.read().decode("utf-8"))["stack"])
    return 0


def case_races(t):
    """pairs of verbs started within milliseconds: as one after the other, or one of them refused; the tree is right"""
    generator = random.Random("%s races" % t.options.seed)
    with Machine(t) as m:
        w = Watched(t, m)
        add_older_8(m)
        states = [w.store.keep()]
        pictures = [w.picture()]
        variant = install_words(*add_variant(m))
        for package in (install_words(*m.add_archive()), variant):
            w.run(package, 0, "install")
            states.append(w.store.keep())
            pictures.append(w.picture())
        words = {verb: ["/" + verb] for verb in VERBS}
        words["install"] = variant
        refused, depth = 0, 2
        pairs = [(one, other, 2) for one in VERBS for other in VERBS]
        pairs += [("install", "install", 0), ("install", "recover", 0), ("uninstall", "install", 0)]
        if t.options.kill <= FEW:
            pairs = sorted(generator.sample(pairs, 12), key=lambda pair: pair[2])
        for one, other, begin in pairs:
            if depth != begin:
                w.store.put_back(states[begin])
            first = Run(m, words[one])
            time.sleep(generator.random() * 0.02)
            second = Run(m, words[other])
            (code, _), (code_2, _) = first.end(), second.end()
            depth = levels(m)
            what = "%s and %s on %d levels" % (one, other, begin)
            t.check((code, code_2, depth) in serial(one, other, begin), "%s: exit codes %s and %s, %d levels" % (what, code, code_2, depth))
            refused += BUSY in (code, code_2)
            if depth == 1:   # by a rollback, or over what was there: the same files under other records
                w.run(["/verify"], 0, what + ": verify")
            else:
                w.same(pictures[depth], what, records=False)
        t.say("%d pairs, one of the two refused in %d (seed %s)" % (len(pairs), refused, t.options.seed))
