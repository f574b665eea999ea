"""Killed half-way: the next run, or the next start of Windows, ends in the state before or the state after."""

import glob
import os
import random
import time

import wine
from machine import P, Machine
from cases_install import check_same

SERVICE = "HKEY_LOCAL_MACHINE\\System\\CurrentControlSet\\Services\\cudnn-setup-recover"


def journals(m):
    """Names of interrupted work in the state folder. Looks from outside: the program may be deleting them meanwhile."""
    state = glob.escape(m.wine.unix(P + "\\state"))
    return [os.path.basename(path) for name in ("journal", "committed", "undone")
            for path in glob.glob(os.path.join(state, "*", name))]


def start_install(m, archive, manifest):
    return m.wine.popen([m.setup_exe, "/quiet", "/archive:" + archive, "/manifest:" + manifest, "/selftest:skip"])


def journal_exists(m):
    return "journal" in journals(m)


def interrupt_with_journal(m, archive, manifest, generator):
    """Kills installs a few milliseconds after their journal appears, until one leaves both journal and recovery service: the
    service is switched on right after the journal, so a kill may also come between the two. False if it never did."""
    for _ in range(40):
        process = start_install(m, archive, manifest)
        while process.poll() is None and not journal_exists(m):
            pass
        time.sleep(generator.random() * 0.05)
        if process.poll() is None:
            wine.kill(process)
            time.sleep(0.2)
            if journals(m) and SERVICE in m.registry(["HKLM\\System\\CurrentControlSet\\Services"]):
                return True
        m.setup("/recover", "/quiet")
        m.setup("/uninstall", "/quiet")
    return False


def case_service_recovers(t):
    """killed while applying, then a restart of Windows: the recovery service puts everything back and removes itself"""
    with Machine(t) as m:
        m.add_old_cudnn()
        before = m.snapshot()
        archive, manifest = m.add_archive()
        t.check(interrupt_with_journal(m, archive, manifest, random.Random(7)), "a kill left a journal and the recovery service")
        committed = [name for name in journals(m) if name == "committed"]
        m.wine.restart()
        wine.wait_until(lambda: not journals(m), 60, "the service finishing the work")
        wine.wait_until(lambda: SERVICE not in m.wine.registry(["HKLM\\System\\CurrentControlSet\\Services"]), 30,
                        "the service removing itself")
        # The service's process still puts its own program aside after that: the next restart may not come in between.
        wine.wait_until(lambda: committed or not m.wine.exists(P + "\\cudnn-setup.exe"), 30, "the service's end")
        code, _, _ = m.setup("/verify", "/quiet")
        t.equal(code, 0 if committed else 1605, "verify: %s" % ("finished" if committed else "undone"))
        if committed:
            m.setup("/uninstall", "/quiet")
        # The service ran from Program Files: its own copy goes at the next start. Wine starts services while it still carries out the
        # deletes of the last one, and then forgets those asked for meanwhile: a later run drops such a copy.
        m.wine.restart()
        code, _, _ = m.setup("/recover", "/quiet")
        t.equal(code, 0, "recover with nothing to do")
        check_same(t, before, m.snapshot(), "after recovery and one more restart")
        t.equal([name for name in m.wine.tree(P) if wine.PARKED_COPY.match(name)], [], "renamed copies")


def case_pending_is_said(t):
    """with a journal about, read-only verbs report it and /recover finishes it"""
    with Machine(t) as m:
        before = m.snapshot()
        archive, manifest = m.add_archive()
        t.check(interrupt_with_journal(m, archive, manifest, random.Random(7)), "a kill left a journal")
        code, _, text = m.setup("/verify", "/quiet")
        t.equal(code, 1604, "verify: " + text[-300:])
        code, result, text = m.setup("/recover", "/quiet")
        t.equal(code, 0, "recover: " + text[-300:])
        t.equal(journals(m), [], "journals")
        code, _, _ = m.setup("/verify", "/quiet")
        way = "finished" if code == 0 else "taken back: everything is as before"
        t.check(way in result["message"], "which way it went: " + result["message"])
        if code == 0:
            m.setup("/uninstall", "/quiet")
        check_same(t, before, m.snapshot(), "after recovery")
