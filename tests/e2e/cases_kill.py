"""The real program, killed at random instants with the full-size archive: what the next run leaves is exactly the state before or
exactly the state after, in the tree, in Program Files and in the registry, and it agrees with what was reported."""

import json
import os
import random
import shutil
import time

import wine
from cases_install import check_same
from machine import P, REGISTRY_ROOTS, Machine
from state import RECORDS, Picture, Store, differences, take_out_parked, write_times

POLL = 0.0005
MANY = 50   # kills: from here on it is told how far it is
PHASES = ("nothing", "staging", "journal", "committed", "undone", "finished")


class Verb:
    """One kind of run: where it starts, what it does, where it ends undisturbed, and how long its parts take."""

    def __init__(self, name, arguments, installed=False):
        self.name, self.arguments = name, arguments
        self.installed = installed   # run by the program in Program Files, as the entry in Apps & Features does
        self.start = self.before = self.after = None   # State, and pictures of both ends
        self.times = {}
        self.whole = self.applying = self.cleaning = 0.0   # seconds: all; from the journal to the commit; from there to the end
        self.recovering = None                             # seconds of its recovery

    def take_over(self, other):
        """The same run by another copy of the program: the same ends and about the same times."""
        for name in ("start", "before", "after", "times", "whole", "applying", "cleaning", "recovering"):
            setattr(self, name, getattr(other, name))

    def pick(self, generator):
        """An instant: (what to wait for first, seconds after it). Most of a run unpacks or hashes, and what is dangerous takes
        milliseconds: three quarters of the instants lie there."""
        kind = generator.random()
        if kind < 0.25:
            return (), generator.random() * self.whole
        if kind < 0.7:
            return ("journal", "committed"), generator.random() * self.applying
        return ("committed",), generator.random() * self.cleaning


class Row:
    """Counts of one verb, for the report."""

    def __init__(self):
        self.kills = self.running = self.before = self.after = self.next_verb = self.bad = 0
        self.phases = dict.fromkeys(PHASES, 0)


class Killer:
    def __init__(self, t, m):
        self.t, self.m = t, m
        self.store = Store(m, m.wine.root + "-states")
        self.generator = random.Random("%s %s" % (t.options.seed, t.name))
        self.rows = {}
        self.number = 0
        self.waiting = []   # states that a kill left, with the picture that recovery has to end in

    # ---- running ----

    def state_folder(self):
        """S: one folder of this machine's one tree, known as soon as anything was installed or begun."""
        state = self.m.wine.unix(P + "\\state")
        found = [one for one in os.listdir(state) if len(one) == 32] if os.path.isdir(state) else []
        return os.path.join(state, found[0]) if found else None

    def program(self, verb):
        return P + "\\cudnn-setup.exe" if verb.installed else self.m.setup_exe

    def has(self, names):
        folder = self.state_folder()
        return bool(folder) and any(os.path.exists(os.path.join(folder, name)) for name in names)

    def measure(self, verb):
        """The undisturbed run, from verb.start; leaves its end."""
        started = time.monotonic()
        journal = committed = None
        process = self.m.wine.popen([self.program(verb), "/quiet"] + verb.arguments)
        while process.poll() is None:
            now = time.monotonic() - started
            if journal is None and self.has(("journal", "committed")):
                journal = now
            if committed is None and self.has(("committed",)):
                committed = now
            time.sleep(POLL)
        verb.whole = time.monotonic() - started
        self.t.equal(process.returncode, 0, verb.name + " undisturbed")
        self.t.check(journal is not None, verb.name + ": a journal was seen")
        verb.cleaning = verb.whole - (committed or verb.whole - 0.02)
        verb.applying = max(0.02, verb.whole - verb.cleaning - (journal or 0))

    def prepare(self, verb):
        """From the state that the machine is in now: notes it as the start, runs the verb, notes the end."""
        verb.start = self.store.keep()
        verb.before = Picture(self.store, verb.start)
        self.measure(verb)
        end = self.store.keep()
        verb.after = Picture(self.store, end)
        verb.times = write_times(verb.start)
        self.t.say("%s: %.1f s undisturbed; %.0f ms from the journal to the commit, %.0f ms from there to the end"
                   % (verb.name, verb.whole, verb.applying * 1000, verb.cleaning * 1000))
        return end

    def strike(self, program, arguments, waits, seconds):
        """Starts the program and kills it at that instant: (whether it still ran, its exit code, its /json or None)."""
        out = self.m.wine.out("result") + ".json"
        process = self.m.wine.popen([program, "/quiet", "/json:" + out] + arguments)
        while waits and process.poll() is None and not self.has(waits):
            time.sleep(POLL)
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end:
            time.sleep(max(0.0, min(POLL, end - time.monotonic())))
        running = process.poll() is None
        if running:
            with open("/proc/%d/cmdline" % process.pid, "rb") as file:
                words = file.read()   # none: it has just ended
            assert not words or b"cudnn-setup.exe" in words, "the process to be killed is another one: %r" % words
            wine.kill(process)
            running = process.returncode < 0
            self.settle()
        result = None
        if self.m.wine.exists(out):
            with open(self.m.wine.unix(out), "rb") as file:
                result = json.loads(file.read().decode("utf-8"))
        return running, process.returncode, result

    def settle(self):
        """What a killed program had asked for last, and the deletes that its open files ask for, the server may still be doing. It
        has done so by the time when another program has run."""
        self.m.wine.value("PATH")

    # ---- judging ----

    def phase(self, verb, now):
        """How far the run had come, from what lies in Program Files alone."""
        there = now.records()
        for name in RECORDS:
            if name in there:
                return name
        if now.head() != verb.start.head():
            return "finished"
        return "staging" if there or now.roots["programs"].keys() - verb.start.roots["programs"].keys() else "nothing"

    def finish(self, verb, row, after):
        """/recover or, in some cases, the next changing verb. Returns what was wrong with its answer."""
        installed = any(name.endswith("head") for name in (verb.after if after else verb.before).state.head())
        if self.generator.random() < 0.2:
            row.next_verb += 1
            code, result, text = self.m.setup("/repair", "/quiet")
            return [] if code == (0 if installed else 1605) else ["repair answers %s: %s" % (code, text[-300:])]
        pending = self.has(RECORDS)
        code, result, text = self.m.setup("/recover", "/quiet")
        wrong = [] if code == 0 else ["recover answers %s: %s" % (code, text[-300:])]
        if pending and result and result["result"] != "done":
            wrong.append("recover had work and says " + result["result"])
        return wrong

    def judge(self, verb, row, after, what):
        """Runs recovery and compares: the state is the one that is due, and a second recovery writes nothing."""
        wrong = self.finish(verb, row, after)
        state = self.store.look()
        registry = {key: dict(values) for key, values in state.registry.items()}
        if verb.installed:
            wrong += ["nothing removes " + name for name in take_out_parked(state)]
        picture = Picture(self.store, state)
        due, other = (verb.after, verb.before) if after else (verb.before, verb.after)
        found = differences(due, picture, verb.times)
        if found:
            wrong.append("%s is due; %s" % ("the state after" if after else "the state before", "; ".join(found[:5])))
            wrong.append("it is the other one" if not differences(other, picture, verb.times) else "it is neither")
        print_before = self.store.fingerprint()
        code, result, text = self.m.setup("/recover", "/quiet")
        if code != 0 or result["result"] != "already":
            wrong.append("a second recovery answers %s, %s: %s" % (code, result and result["result"], text[-300:]))
        self.store.known = self.m.registry(REGISTRY_ROOTS)
        if self.store.fingerprint() != print_before or self.store.known != registry:
            wrong.append("a second recovery changed something")
        row.after += after
        row.before += not after
        self.t.check(not wrong, "%s: %s" % (what, "; ".join(wrong)))
        row.bad += bool(wrong)
        if wrong:
            self.keep_evidence(what, wrong, state)

    def keep_evidence(self, what, wrong, state):
        """Beside the prefix: the next kill overwrites everything. The logs of the runs since the start are among it."""
        folder = self.m.wine.root + "-bad-%d" % self.number
        os.makedirs(folder, exist_ok=True)
        for name in ("logs", "state"):
            if self.m.wine.exists(P + "\\" + name):
                shutil.copytree(self.m.wine.unix(P + "\\" + name), os.path.join(folder, name), dirs_exist_ok=True)
        with open(os.path.join(folder, "what.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join([what] + wrong + sorted(root + "/" + name for root in state.roots for name in state.roots[root])))
        if self.t.options.kill > MANY:
            print("      FAIL %s: %s" % (what, "; ".join(wrong)), flush=True)

    # ---- kills ----

    def row(self, name):
        return self.rows.setdefault(name, Row())

    def counted(self, row, running, phase):
        row.kills += 1
        row.running += running
        row.phases[phase] += 1
        self.number += 1
        if self.t.options.kill > MANY and self.number % 10 == 0:
            print("      %s: %d kills, %d bad" % (self.t.name, self.number, sum(one.bad for one in self.rows.values())), flush=True)

    def kill_run(self, verb):
        """One kill of a run that starts clean. A machine that is busy makes runs longer or shorter than the one measured."""
        row = self.row(verb.name)
        self.store.put_back(verb.start)
        waits, seconds = verb.pick(self.generator)
        what = "%s, kill %d (%s + %.3f s)" % (verb.name, self.number, "/".join(waits) or "start", seconds)
        running, code, result = self.strike(self.program(verb), verb.arguments, waits, seconds)
        now = self.store.look(registry=False)
        phase = self.phase(verb, now)
        self.counted(row, running, phase)
        after = phase in ("committed", "finished")
        three = sorted(set(now.records()) & set(RECORDS))
        self.t.check(len(three) < 2, "%s: at most one record, not %s" % (what, three))
        if not running or result:
            self.t.check(after and (running or code == 0) and (not result or result["exit"] == 0),
                         "%s: it said %s (exit code %s), so the state after is due" % (what, result and result["exit"], code))
        if phase in ("staging", "journal", "committed") and len(self.waiting) < 8:
            self.waiting.append((verb, self.store.keep(), after))
        self.judge(verb, row, after, what)

    def pick_recovery(self, verb, state):
        """As Verb.pick. The moments after everything is put back are few."""
        if "journal" in state.records() and self.generator.random() < 0.3:
            return ("undone",), self.generator.random() * 0.02
        return (), self.generator.random() * verb.recovering

    def kill_recovery(self, index):
        """Recovery itself, killed one to four times over."""
        verb, state, after = self.waiting[index % len(self.waiting)]
        row = self.row("recovery of " + verb.name)
        self.store.put_back(state)
        if verb.recovering is None:
            started = time.monotonic()
            self.m.wine.popen([self.m.setup_exe, "/recover", "/quiet"]).wait(60)
            verb.recovering = time.monotonic() - started
            self.store.put_back(state)
        instants = [self.pick_recovery(verb, state) for _ in range(self.generator.choice((1, 1, 2, 3, 4)))]
        what = "recovery of %s, kill %d (%s)" % (verb.name, self.number,
                                                 ", ".join("%s + %.3f s" % (waits[0] if waits else "start", one) for waits, one in instants))
        for waits, seconds in instants:
            running, _, _ = self.strike(self.m.setup_exe, ["/recover"], waits, seconds)
            now = self.store.look(registry=False)
            three = sorted(set(now.records()) & set(RECORDS))
            self.t.check(len(three) < 2, "%s: at most one record, not %s" % (what, three))
            self.counted(row, running, self.phase(verb, now))
        self.judge(verb, row, after, what)
        return len(instants)

    def rounds(self, verbs, kills):
        """Runs and recoveries in turn, until so many kills were made: about half hit runs."""
        runs = recoveries = 0
        try:
            while self.number < kills:
                if self.waiting and runs >= len(verbs) and recoveries * 2 < self.number:
                    recoveries += self.kill_recovery(runs + recoveries)
                else:
                    self.kill_run(verbs[runs % len(verbs)])
                    runs += 1
        finally:
            self.tell()

    def tell(self):
        self.t.say("seed %s; the same choices again: ./dev crash --kill %d --seed %s" % (self.t.options.seed, self.t.options.kill,
                                                                                    self.t.options.seed))
        self.t.say("%-34s %5s %7s | %s | %6s %5s %6s %3s" % ("killed", "kills", "running", " ".join("%9s" % one for one in PHASES),
                                                             "before", "after", "repair", "bad"))
        for name, row in self.rows.items():
            self.t.say("%-34s %5d %7d | %s | %6d %5d %6d %3d" % (
                name, row.kills, row.running, " ".join("%9d" % row.phases[one] for one in PHASES), row.before, row.after,
                row.next_verb, row.bad))
        self.t.equal(self.store.check(), [], "kept files that were written to")


def install_words(m):
    archive, manifest = m.add_archive()
    return ["/install", "/archive:" + archive, "/manifest:" + manifest, "/selftest:skip"]


def case_kill_install(t):
    """SIGKILL at random instants of the full-size install and of its recovery: before or after, nothing else"""
    t.sample("fullsize")
    with Machine(t, sample="fullsize") as m:
        m.add_old_cudnn()
        killer = Killer(t, m)
        install = Verb("install", install_words(m))
        killer.prepare(install)
        killer.rounds([install], (t.options.kill + 1) // 2)


def case_kill_undo(t):
    """SIGKILL at random instants of full-size uninstall, rollback and their recovery: before or after, nothing else"""
    t.sample("fullsize")
    with Machine(t) as m:
        m.add_old_cudnn()
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install of the first level: " + text[-300:])
        m.sample_folder = "fullsize"
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install of the second level: " + text[-300:])
        killer = Killer(t, m)
        uninstall, rollback = Verb("uninstall", ["/uninstall"]), Verb("rollback", ["/rollback"])
        entry = Verb("uninstall by its entry", ["/uninstall"], installed=True)
        two_levels = killer.store.keep()
        for verb in (uninstall, rollback):
            killer.store.put_back(two_levels)
            killer.prepare(verb)
        entry.take_over(uninstall)
        killer.rounds([uninstall, rollback, entry], t.options.kill // 2)


def case_session_end(t):
    """log-off and shutdown: asked first, it goes on; told, it cancels in time and everything is as before"""
    t.sample("fullsize")
    with Machine(t, sample="fullsize") as m:
        before = m.snapshot()
        out = m.wine.out("result") + ".json"
        process = m.wine.popen([m.setup_exe, "/quiet", "/json:" + out] + install_words(m))
        wine.wait_until(lambda: m.wine.exists(m.tree + "\\.cudnn-setup") or process.poll() is not None, 60, "the unpacking")
        m.wine.help("endsession", "cudnn-setup session end", "goes-on")
        time.sleep(1)
        t.check(process.poll() is None, "a session that goes on after all ends nothing")
        told = time.monotonic()
        m.wine.help("endsession", "cudnn-setup session end", "ends")
        process.wait(300)
        seconds = time.monotonic() - told
        with open(m.wine.unix(out), "rb") as file:
            result = json.loads(file.read().decode("utf-8"))
        t.equal((result["exit"], result["result"]), (1602, "cancelled"), "how it ended")
        t.check(seconds < 5, "ended %.1f s after it was told: the system waits for about 5 s" % seconds)
        check_same(t, before, m.snapshot(), "after the cancelled install")
