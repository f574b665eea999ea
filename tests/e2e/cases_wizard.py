"""The window, as a person uses it: real keys on a screen of its own; what came of it is read from tree, registry and /json."""

import json
import os

import wine
from cases_install import check_installed, check_same, zip_hashes
from machine import DEFAULT_TREE, P
from window import (AMOUNT, ARCHIVE, CANCEL, CHECK_AGAIN, COPY, EXPLAIN, HEADING, INSTALL, LICENCE, LINE, REPAIR, ROWS, STEP, TRY_AGAIN,
                    UNINSTALL, VERIFY, Seat)

RESULT = "C:\\e2e\\window.json"


def plan(s, *more):
    """The words that a person's double-click does not have, but a sample needs."""
    archive, manifest = s.m.add_archive()
    return ["/archive:" + archive, "/manifest:" + manifest, "/selftest-as:current", "/json:" + RESULT] + list(more)


def result(s):
    path = s.m.wine.unix(RESULT)
    with open(path, "rb") as file:
        object_ = json.loads(file.read().decode("utf-8"))
    os.unlink(path)
    problems = wine.SCHEMA.problems(object_)
    assert not problems, problems
    return object_


def focus(dialog):
    return [c.id for c in dialog.controls if "F" in c.flags]


def default(dialog):
    return [c.id for c in dialog.controls if "D" in c.flags]


def case_wizard_installs(t):
    """by keyboard alone: install, look at everything, verify, uninstall; the tree and the registry as after the quiet ones"""
    with Seat(t) as s:
        m = s.m
        hashes = zip_hashes(m)
        m.add_old_cudnn()
        before = m.snapshot()
        s.start(*plan(s, "/lang:en"))
        page = s.page("cuDNN 8.0.3 for CUDA 10.1")
        t.equal(page.said(LINE), "Ready to install. 2 things to know.", "the line under the heading")
        t.equal(default(page), [INSTALL], "what Enter means")
        t.equal(focus(page), [ROWS], "where the keyboard is")
        s.fits(page, "first page")
        s.key("End")
        page = s.until(lambda d: "7.6.5" in (d.said(EXPLAIN) or ""), "the explanation of the last row")
        t.check("come back when you uninstall" in page.said(EXPLAIN), "it says that the old files come back")
        s.key("F1")
        s.until(lambda d: d.text == "Options and exit codes" and "/quiet" in d.controls[0].text, "the guide")
        s.key("Escape")
        s.page("cuDNN 8.0.3")
        s.key("alt+w")
        changes = s.until(lambda d: "replaced" in d.controls[0].text, "what will change").controls[0].text
        t.check(m.tree in changes and "include/cudnn.h" in changes and "PATH" in changes, "what will change: " + changes[:200])
        s.key("Escape")
        s.page("cuDNN 8.0.3")
        s.key("alt+l")
        s.until(lambda d: "cence" in d.controls[0].text and "Reading" not in d.controls[0].text, "the licence text of the archive")
        s.key("Escape")
        s.page("cuDNN 8.0.3")
        check_same(t, before, m.snapshot(), "looking changes nothing")
        t.check(not m.wine.exists(P), "nothing is in Program Files")

        s.key("Return")
        page = s.page("The sample of cuDNN 8.0.3 is installed")
        s.fits(page, "last page")
        t.equal(default(page), [CANCEL], "Enter closes")
        t.equal(page.said(CANCEL), "Close", "the button says Close")
        s.key("ctrl+c")
        copied = s.clipboard()
        t.check("31 files are in place" in copied and "cudnnGetVersion() is 8003" in copied and ".log" in copied,
                "the copied details: " + copied[:400])
        s.key("Escape")
        s.end_is(0, "install")
        told = result(s)
        t.equal((told["exit"], told["result"], len(told["files"])), (0, "done", 31), "the result")
        t.check(str(told["proof"].get("loading")).startswith("passed"), "the proof: %s" % told["proof"])
        after = {name: row for name, row in before["tree"].items() if name not in hashes}
        check_installed(t, m, {"tree": after}, hashes)

        s.start(*plan(s, "/lang:en"))
        page = s.page("cuDNN 8.0.3 is installed")
        t.equal(default(page), [VERIFY], "what Enter means when it is installed")
        s.fits(page, "installed already")
        s.key("Return")
        s.page("Everything is as installed")
        s.key("Escape")
        s.end_is(0, "verify")
        t.equal(result(s)["verb"], "verify", "the verb")

        s.start(*plan(s, "/lang:en"))
        s.page("cuDNN 8.0.3 is installed")
        s.key("alt+u")
        s.until(lambda d: d[HEADING] is None, "the question")
        s.key("Escape")
        s.page("cuDNN 8.0.3 is installed")
        s.key("alt+u")
        s.until(lambda d: d[HEADING] is None, "the question")
        s.key("alt+u")
        s.page("cuDNN is uninstalled")
        s.key("Return")
        s.end_is(0, "uninstall")
        t.equal(result(s)["result"], "done", "uninstall")
        check_same(t, before, m.snapshot(), "after uninstalling by the window")
