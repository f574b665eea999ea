"""The window, as a person uses it: real keys on a screen of its own; what came of it is read from tree, registry and /json."""

import json
import os
import random
import re
import signal
import zipfile

import wine
from cases_install import check_installed, check_same, zip_hashes
from cases_recovery import interrupt_with_journal
from machine import DEFAULT_TREE, P
from window import (ARCHIVE, CANCEL, CHECK_AGAIN, COPY, CUDA_PATH, EXPLAIN, HEADING, INSTALL, LINE, RECOVER, REPAIR, ROWS, STEP,
                    TOOLKIT, TOOLKITS, UNVERIFIED, VERIFY, Seat)

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


def cells(s, page):
    """What the list's rows say."""
    return [cell[4] for cell in s.measured(page)[ROWS].cells if cell[0] >= 0]


def all_chinese(s, page, what):
    """No two English words stand side by side, but in paths."""
    for text in [page.said(HEADING), page.said(LINE), page.said(EXPLAIN)] + cells(s, page):
        plain = re.sub(r"[A-Z]:\\[^\u4e00-\u9fff：，；。（）]*", "", text or "")
        s.t.equal(re.findall(r"\b[a-z]{2,} [a-z]{2,}\b", plain), [], "%s is Chinese throughout: %s" % (what, text))


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
        s.until(lambda d: focus(d) == [ROWS], "the keyboard in the list", 5)
        s.fits(page, "first page")
        order(t, page, "first page")
        ids = [c.id for c in page.controls]
        t.equal(ids.index(LINE) + 1, ids.index(ROWS), "the line that names the list stands before it")
        s.key("End")
        page = s.until(lambda d: "7.6.5" in (d.said(EXPLAIN) or ""), "the explanation of the last row")
        t.check("come back when you uninstall" in page.said(EXPLAIN), "it says that the old files come back")
        s.key("F1")
        page = s.until(lambda d: d.text == "Deployment guide, options and exit codes", "the guide")
        guide = page.controls[0].text.replace("||", "|")    # line ends are CR LF
        t.check("|What to ship|------------|" in guide and "|  1642  no usable" in guide, "guide, options, exit codes: " + guide[:300])
        t.check("```" not in guide and "](" not in guide, "it is plain text")
        s.picture("guide")
        s.key("Escape")
        s.page("cuDNN 8.0.3")
        s.key("alt+w")
        changes = s.until(lambda d: d.text == "What will change", "what will change").controls[0].text
        t.check(m.tree in changes and "include/cudnn.h" in changes and "PATH" in changes, "what will change: " + changes[:200])
        s.key("Escape")
        s.page("cuDNN 8.0.3")
        s.key("alt+l")
        page = s.until(lambda d: "cence" in d.controls[0].text and "Reading" not in d.controls[0].text, "the licence text of the archive")
        t.equal(page.text, "Licence text in cudnn-sample.zip", "whose it is")
        s.picture("licence")
        s.key("Escape")
        s.page("cuDNN 8.0.3")
        check_same(t, before, m.snapshot(), "looking changes nothing")
        t.check(not m.wine.exists(P), "nothing is in Program Files")

        s.key("Return")
        page = s.page("The sample of cuDNN 8.0.3 is installed")
        s.fits(page, "last page")
        order(t, page, "last page")
        t.equal(default(page), [CANCEL], "Enter closes")
        t.equal(page.said(CANCEL), "Close", "the button says Close")
        s.key("ctrl+c")
        copied = s.clipboard()
        s.until(lambda d: d.said(COPY) == "Copie&d", "the button that says so", 5)
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

        s.start("/lang:en", "/json:" + RESULT)    # the manifest built in is of another archive: no fault of what is installed
        page = s.page("cuDNN 8.0.3 is installed")
        t.equal((default(page), page.said(LINE)[:22]), ([VERIFY], "All 31 files are right"), "judged by its own record")
        s.key("alt+g")
        page = s.page("The test does not run with administrator rights")
        t.check("PATH" in page.said(EXPLAIN), "why: " + page.said(EXPLAIN))
        s.key("Escape")
        s.end_is(1639, "no test with these rights")
        t.equal(result(s)["verb"], "probe", "the verb")

        with open(m.wine.unix(m.tree + "\\include\\cudnn_version.h"), "ab") as file:
            file.write(b"/* edited */")
        s.start(*plan(s, "/lang:en"))
        page = s.page("cuDNN 8.0.3 is installed")
        t.equal((default(page), "not as installed" in page.said(LINE)), ([REPAIR], True), "what Enter means with a changed file")
        t.check("include/cudnn_version.h" in page.said(EXPLAIN) and page[ARCHIVE] is not None, "the file is named: " + page.said(EXPLAIN))
        s.fits(page, "a changed file")
        order(t, page, "a changed file")
        s.key("Escape")
        s.end_is(1602, "closed with a changed file")
        t.equal(result(s)["result"], "cancelled", "what is not right is not called installed already")
        s.start(*plan(s, "/lang:en"))
        s.page("cuDNN 8.0.3 is installed")
        s.key("Return")
        s.until(lambda d: d[HEADING] is None, "the question")
        s.key("alt+r")
        s.page("cuDNN is repaired", 60)
        s.key("Escape")
        s.end_is(0, "repair")
        t.equal(result(s)["verb"], "repair", "the verb")
        check_installed(t, m, {"tree": after}, hashes)
        t.equal(m.setup("/forget", "/force", "/quiet")[0], 0, "what the repair kept aside is dropped on order")

        s.start(*plan(s, "/lang:en"))
        s.page("cuDNN 8.0.3 is installed")
        s.key("alt+g")
        s.page("The test found nothing wrong", 90)
        s.key("Escape")
        s.end_is(0, "the test of the GPU")
        t.equal(result(s)["verb"], "probe", "the verb")

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


def order(t, page, what):
    """The Tab key goes through what stands there from top to bottom, from left to right; Cancel is last."""
    stops = [c for c in page.controls if c.kind in ("SysListView32", "Edit", "Button", "ComboBox")]
    t.equal([c.id for c in stops], [c.id for c in sorted(stops, key=lambda c: (c.top, c.left))], "the order of the Tab key, " + what)
    t.equal(stops[-1].id, CANCEL, "Cancel is last, " + what)


def choose_folder(s, path):
    s.key("alt+f")
    s.until(lambda d: d[HEADING] is None, "the dialog for a folder")
    s.type(path)
    s.key("Return")


def fullsize(t):
    """A seat with the full-size sample: it takes seconds, so there is a middle to cancel in."""
    t.sample("fullsize")
    return Seat(t, sample="fullsize")


def working(s):
    """Waits until the archive is being read or unpacked, and stops the worker there; go_on lets it go on."""
    page = s.until(lambda d: (d.said(STEP) or "").startswith(("Checking the archive", "Verifying and unpacking")), "the work", 60)
    for process in workers(s.m):
        os.kill(process, signal.SIGSTOP)
    return page


def go_on(s):
    for process in workers(s.m):
        os.kill(process, signal.SIGCONT)


def workers(m):
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and is_worker(m, name)]


def case_wizard_cancel(t):
    """Cancel in the middle, the window killed in the middle, /passive cancelled: everything as before; a stuck worker holds up no window"""
    with fullsize(t) as s:
        m = s.m
        m.add_old_cudnn()
        before = m.snapshot()
        s.start(*plan(s, "/lang:en", "/selftest:skip"))
        page = s.page("cuDNN", 60)
        if page.said(HEADING) == "cuDNN setup":
            s.key("Return")    # while it looks: nothing, least of all Cancel
            page = s.until(lambda d: (d.said(HEADING) or "").startswith(("cuDNN 8.0.3 for CUDA 10.1", "Installing")), "what comes next", 60)
        if page.said(HEADING).startswith("cuDNN"):
            s.key("Return")
        page = working(s)
        s.fits(page, "second page")
        t.equal((default(page), page.said(CANCEL)), ([CANCEL], "Cancel"), "the one button")
        t.equal(s.session_may_end(), False, "a log-off while it works is refused")
        s.key("Escape")
        page = s.until(lambda d: any("Stop and put everything back" in c.text for c in d.controls), "the question")
        t.equal(default(page), [CANCEL], "Enter stops nothing")
        s.key("alt+s")
        s.until(lambda d: d.said(STEP) == "Stopping, and putting everything back", "the stopping")
        go_on(s)
        page = s.page("Cancelled", 60)
        t.equal(page.said(LINE), "Everything is as before.", "what it says")
        t.equal(s.session_may_end(), True, "a log-off when it has ended")
        check_same(t, before, m.snapshot(), "after Cancel")
        t.equal(result(s)["exit"], 1602, "the result of the cancelled run")

        s.key("alt+t")
        working(s)
        t.check(workers(m), "a worker is there")
        wine.kill(s.program)
        go_on(s)
        wine.wait_until(lambda: not workers(m), 60, "the worker's end")
        check_same(t, before, m.snapshot(), "after the window was killed")
        t.check(not m.wine.exists(m.tree + "\\.cudnn-setup"), "nothing is left in the tree's private folder")
        if m.wine.exists(P + "\\state"):
            t.equal(os.listdir(m.wine.unix(P + "\\state")), ["lock"], "nothing is left of the state")

        s.start(*plan(s, "/lang:en", "/passive", "/selftest:skip"))
        page = working(s)
        t.equal((page.said(HEADING), page[ROWS]), ("Installing cuDNN 8.0.3", None), "/passive shows the progress only")
        s.key("Escape")
        s.until(lambda d: d.said(STEP) == "Stopping, and putting everything back", "the stopping")
        go_on(s)
        s.end_is(1602, "/passive, cancelled")
        t.equal(result(s)["result"], "cancelled", "the result of /passive")
        check_same(t, before, m.snapshot(), "after cancelling /passive")

        s.start(*plan(s, "/lang:en", "/selftest:skip"))
        s.page("cuDNN 8.0.3 for CUDA 10.1", 60)
        s.key("Return")
        working(s)
        s.key("Escape")
        s.until(lambda d: any("Stop and put everything back" in c.text for c in d.controls), "the question")
        go_on(s)
        s.page("The sample of cuDNN 8.0.3 is installed", 60)    # in front: nothing is asked any more
        s.key("Escape")
        s.end_is(0, "ended before the answer")

        s.start(*plan(s, "/lang:en"))
        s.page("cuDNN 8.0.3 is installed", 60)
        s.key("Return", "Escape")    # at once: there is nothing to put back, so nothing is asked
        s.page("Cancelled")
        s.key("alt+t")
        t.equal(s.session_may_end(), True, "a log-off while it only looks")
        s.page("Everything is as installed", 60)
        s.key("Escape")
        s.end_is(0, "verify")


def is_worker(m, process):
    try:
        with open("/proc/%s/cmdline" % process, "rb") as file, open("/proc/%s/environ" % process, "rb") as environment:
            return b"/worker:" in file.read() and m.wine.root.encode() + b"\0" in environment.read() + b"\0"
    except OSError:
        return False


def case_wizard_retry(t):
    """a locked file, in Chinese: what happened, everything as before; released, Try again installs; a warning"""
    with Seat(t) as s:
        m = s.m
        m.add_old_cudnn()
        before = m.snapshot()
        lock, ready, stop = m.tree + "\\include\\cudnn.h", m.wine.out("ready"), m.wine.out("stop")
        s.start(*plan(s, "/lang:zh-CN", "/selftest:skip"))
        s.page("用于 CUDA 10.1 的 cuDNN 8.0.3")
        locker = m.wine.popen([m.wine.helper, "lock", lock, ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 30, "the locker")
        s.key("Return")
        page = s.page("操作未能完成", 60)
        t.equal(page.said(LINE), "一切与之前相同。", "what it says")
        t.check("无法" in page.said(EXPLAIN) and "cudnn.h：正被其他程序使用（32）。" in page.said(EXPLAIN),
                "the file is named: " + page.said(EXPLAIN))
        all_chinese(s, page, "a failure")
        s.fits(page, "a failure")
        told = result(s)
        t.equal((told["exit"], "in use by another program (32)" in told["message"]), (1603, True), "the result: " + told["message"])
        m.wine.make(stop)
        locker.wait(30)
        check_same(t, before, m.snapshot(), "after the failure")
        s.key("alt+t")
        page = s.page("cuDNN 8.0.3 的示例已安装", 60)
        t.check(any("未检查访问权限" in text for text in cells(s, page)), "a warning: %s" % cells(s, page))
        all_chinese(s, page, "the result")
        s.key("Escape")
        s.end_is(0, "the second try")
        told = result(s)
        t.equal(told["result"], "done", "the result of the second try")
        log = m.wine.text(told["log"])
        t.check("[worker.log]" in log and "archive.by-name" not in log, "the worker read the archive that the window had open: " + log[-400:])


def case_wizard_refusals(t):
    """a wrong zip, no zip, no toolkit, in Chinese: said on the first page, and nothing is changed"""
    with Seat(t) as s:
        m = s.m
        before = m.snapshot()
        archive, manifest = m.add_archive()
        wrong = m.media + "\\cudnn-10.1-windows10-x64-v8.0.3.33.zip"
        with open(m.wine.unix(wrong), "wb") as file:
            file.write(b"<!DOCTYPE html><html><title>Log in</title></html>")
        s.start("/lang:zh-CN", "/archive:" + wrong, "/manifest:" + manifest)
        page = s.page("用于 CUDA 10.1 的 cuDNN 8.0.3")
        t.check(page.said(LINE).startswith("暂时无法安装"), "the line: " + page.said(LINE))
        t.check(page.said(EXPLAIN).startswith("这不是所需的压缩包") and "网页" in page.said(EXPLAIN),
                "it is named: " + page.said(EXPLAIN))
        all_chinese(s, page, "a refusal")
        t.equal((default(page), page[INSTALL]), ([ARCHIVE], None), "Install is not offered")
        s.fits(page, "a refusal in Chinese")
        s.key("Escape")
        s.end_is(1602, "closed without installing")

        os.unlink(m.wine.unix(wrong))
        os.unlink(m.wine.unix(archive))
        s.start("/lang:zh-CN", "/json:" + RESULT)
        page = s.page("用于 CUDA 10.1 的 cuDNN 8.0.3")
        t.check("cudnn-10.1-windows10-x64-v8.0.3.33.zip" in page.said(EXPLAIN), "which file to get: " + page.said(EXPLAIN))
        s.key("Escape")
        s.end_is(1602, "no archive")
        told = result(s)
        t.equal((told["exit"], told["result"], told["verb"]), (1602, "cancelled", "install"), "the result of a window that was closed")

        os.rename(m.wine.unix(m.tree), m.wine.unix(m.tree) + "-away")
        s.start("/lang:zh-CN", "/manifest:" + manifest)
        page = s.page("用于 CUDA 10.1 的 cuDNN 8.0.3")
        s.until(lambda d: "CUDA 10.1 工具包" in (d.said(EXPLAIN) or "") or "压缩包" in (d.said(EXPLAIN) or ""), "the explanation")
        t.equal(page[INSTALL], None, "Install is not offered without a toolkit")
        s.fits(page, "no toolkit")
        os.rename(m.wine.unix(m.tree) + "-away", m.wine.unix(m.tree))
        m.add_archive()
        s.key("alt+h")
        page = s.until(lambda d: d[INSTALL] is not None, "ready after checking again")
        t.equal(default(page), [INSTALL], "what Enter means now")
        m.wine.make("C:\\nothing\\here")
        choose_folder(s, "C:\\nothing")
        page = s.until(lambda d: "C:\\nothing" in (d.said(EXPLAIN) or ""), "the folder that was chosen")
        t.check("缺少 bin\\cudart64_101.dll" in page.said(EXPLAIN) and page[INSTALL] is None,
                "it is refused, and why: " + page.said(EXPLAIN))
        all_chinese(s, page, "a refused folder")
        t.equal((default(page), page.said(TOOLKITS)), ([TOOLKIT], ""), "the list has the others, and none is taken")
        s.fits(page, "a refused folder")
        choose_folder(s, m.tree)
        page = s.until(lambda d: d[INSTALL] is not None, "ready with the right folder")
        t.check(page[TOOLKITS] is None and default(page) == [INSTALL], "the one that is taken anyway is no choice")
        choose_folder(s, "C:\\nothing")
        s.until(lambda d: "C:\\nothing" in (d.said(EXPLAIN) or ""), "the folder that was chosen, again")
        s.key("alt+h")
        s.until(lambda d: d[INSTALL] is not None, "checking again, without the folder that was refused")
        s.key("Escape")
        s.end_is(1602, "closed")
        os.unlink(m.wine.unix(archive))
        check_same(t, before, m.snapshot(), "nothing was changed")
        t.check(not m.wine.exists(P), "nothing is in Program Files")


def case_wizard_pages(t):
    """installing at 96 dots per inch in Chinese, into a long Chinese path, and at 192 in English: each page on the way can be read whole"""
    short = "C:\\CUDA\\v10.1"
    long = "C:\\" + "\\".join(["工具 " + "folder-name" * 3] * 5)[:190].rstrip(" \\") + "\\v10.1"
    texts = {"en": ("cuDNN 8.0.3 for CUDA 10.1", "The sample of cuDNN 8.0.3"),
             "zh-CN": ("用于 CUDA 10.1 的 cuDNN 8.0.3", "cuDNN 8.0.3 的示例已安装")}
    with Seat(t, tree=short) as s:
        s.m.add_toolkit(long)
        for dpi, language, tree in ((96, "zh-CN", long), (192, "en", short)):
            what = "%s at %d" % (language, dpi)
            heading, done = texts[language]
            words = plan(s, "/lang:" + language, "/cuda:" + tree, *(() if tree == short else ("/selftest:skip",)))
            s.resolution(dpi)
            s.start(*words)
            page = s.page(heading)
            s.fits(page, what)
            s.key("Return")
            page = s.page(done, 60)
            s.fits(page, what)
            s.key("Escape")
            s.end_is(0, what)
            t.equal(result(s)["tree"]["path"], tree, "the tree")
            if tree == short:
                s.start(*words)
                page = s.until(lambda d: d[VERIFY] is not None, "the page of an installation")
                s.fits(page, what)
                s.key("Escape")
                s.end_is(0, "closed")
                t.equal(result(s)["result"], "already", "the result of closing")
            code, _, text = s.m.setup("/uninstall", "/quiet")
            t.equal(code, 0, "uninstall: " + text[-300:])


def case_wizard_passive(t):
    """/passive shows the progress alone, asks nothing and ends by itself"""
    with Seat(t) as s:
        before = s.m.snapshot()
        s.start(*plan(s, "/lang:zh-CN", "/passive", "/selftest:skip"))
        page = s.until(lambda d: d.said(HEADING) == "正在安装 cuDNN 8.0.3", "the progress in Chinese")
        t.equal((page[ROWS], page.said(CANCEL)), (None, "取消"), "only the progress is shown")
        s.end_is(0, "installed")
        t.equal(result(s)["result"], "done", "the result")
        s.start("/uninstall", "/passive", "/lang:en", "/json:" + RESULT)
        s.end_is(0, "uninstalled")
        check_same(t, before, s.m.snapshot(), "after uninstalling")


def case_wizard_rights(t):
    """a window without rights asks for them and its worker has none in Wine: 740; a worker without its window does nothing"""
    with Seat(t) as s:
        m = s.m
        before = m.snapshot()
        archive, manifest = m.add_archive()
        line = '"%s" /archive:"%s" /manifest:"%s" /lang:en /json:%s' % (m.setup_exe, archive, manifest, RESULT)
        s.program = m.wine.popen([m.wine.helper, "restricted", line])
        s.page("cuDNN 8.0.3 for CUDA 10.1")
        s.key("Return")
        page = s.page("Administrator rights are needed")
        t.equal(page.said(LINE), "Everything is as before.", "what it says")
        s.key("Escape")
        s.end_is(740, "no rights")
        t.equal(result(s)["exit"], 740, "the result")
        for word in ("/worker:" + "0" * 32 + ":8:0", "/worker:" + "0" * 32, "/worker:x"):
            code, _ = m.wine.run_once([m.setup_exe, word, "/install", "/quiet", "/archive:" + archive, "/manifest:" + manifest], 60, {})
            t.check(code in (1603 & 0xFF, 1639 & 0xFF), "a worker that nobody waits for: %d" % code)
        check_same(t, before, m.snapshot(), "nothing was changed")
        t.check(not m.wine.exists(P), "nothing is in Program Files")


def case_wizard_choices(t):
    """two toolkits, and CUDA_PATH that names another: the one that is chosen is changed, CUDA_PATH only if it is ticked"""
    with Seat(t, tree=DEFAULT_TREE) as s:
        m = s.m
        other, newer = "C:\\CUDA other\\v10.1", "C:\\CUDA\\v11.0"
        m.add_toolkit(other)
        m.add_toolkit(newer)
        os.rename(m.wine.unix(newer + "\\bin\\cudart64_101.dll"), m.wine.unix(newer + "\\bin") + "/cudart64_110.dll")
        m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(other))
        m.wine.set_value("CUDA_PATH", wine.REG_SZ, wine.utf16(newer))
        before = m.snapshot()
        m.wine.put(t.program("e2e_helper.exe"), "C:\\e2e\\pycharm64.exe")
        ready, stop = m.wine.out("ready"), m.wine.out("stop")
        editor = m.wine.popen(["C:\\e2e\\pycharm64.exe", "listen", m.wine.out("heard"), ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 30, "the editor")
        s.start(*plan(s, "/lang:en", "/selftest:skip"))
        page = s.page("cuDNN 8.0.3 for CUDA 10.1")
        t.equal(page.said(TOOLKITS), other, "the toolkit that comes first")
        t.check(newer in (page.said(CUDA_PATH) or ""), "the box names what CUDA_PATH is now: %s" % page.said(CUDA_PATH))
        s.fits(page, "with a list and a box")
        s.key("alt+t", "Down")
        page = s.until(lambda d: d.said(TOOLKITS) == DEFAULT_TREE and d[INSTALL] is not None, "the other toolkit")
        s.key("alt+p")
        s.key("alt+i")
        s.page("The sample of cuDNN 8.0.3 is installed", 60)
        s.key("ctrl+c")
        t.check("Running since before: pycharm64.exe" in s.clipboard(), "the editor that keeps the old PATH is named")
        m.wine.make(stop)
        editor.wait(30)
        s.key("Escape")
        s.end_is(0, "install")
        t.equal(result(s)["tree"]["path"], DEFAULT_TREE, "the tree")
        t.equal(m.wine.value("CUDA_PATH"), (wine.REG_SZ, wine.utf16(DEFAULT_TREE)), "CUDA_PATH, ticked")
        t.check(not m.wine.exists(other + "\\bin\\cudnn64_8.dll"), "the other toolkit is untouched")
        archive, manifest = m.add_archive()
        code, _, text = m.setup("/install", "/quiet", "/cuda:" + other, "/env:none", "/archive:" + archive, "/manifest:" + manifest)
        t.equal(code, 0, "into the other toolkit: " + text[-300:])
        s.start("/uninstall", "/lang:en", "/json:" + RESULT)
        page = s.until(lambda d: any("Which installation" in c.text for c in d.controls), "which of the two")
        choices = {c.text: c.id for c in page.controls if c.text in (other, DEFAULT_TREE)}
        t.equal(len(choices), 2, "both are offered: %s" % sorted(choices))
        s.click(page, choices[other])
        s.key("Return")
        s.until(lambda d: any("Uninstall cuDNN?" in c.text for c in d.controls), "the question")
        s.key("alt+u")
        s.page("cuDNN is uninstalled", 60)
        s.key("Escape")
        s.end_is(0, "uninstalled")
        t.equal(result(s)["tree"]["path"], other, "the tree that was chosen")
        code, _, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall: " + text[-300:])
        check_same(t, before, m.snapshot(), "after uninstalling")


def case_wizard_pending(t):
    """after a run that was killed: the first page offers to finish or undo it, and nothing else; then it installs"""
    with Seat(t) as s:
        m = s.m
        m.add_old_cudnn()
        before = m.snapshot()
        archive, manifest = m.add_archive()
        t.check(interrupt_with_journal(m, archive, manifest, random.Random(7)), "a kill left a journal")
        s.start(*plan(s, "/lang:en", "/selftest:skip"))
        page = s.page("cuDNN 8.0.3")
        t.equal((default(page), page[INSTALL]), ([RECOVER], None), "what is offered")
        t.check("interrupted" in page.said(EXPLAIN), "why: " + page.said(EXPLAIN))
        s.fits(page, "interrupted work")
        s.key("Return")
        page = s.page("Recovered")
        t.equal(default(page), [CHECK_AGAIN], "what Enter means then")
        s.key("Return")
        page = s.until(lambda d: d[INSTALL] is not None or d[VERIFY] is not None, "the first page again")
        if page[VERIFY] is None:
            check_same(t, before, m.snapshot(), "undone")
        s.key("Escape")
        s.end_is(0, "recovered")
        t.equal(result(s)["verb"], "recover", "the verb")
        t.equal(os.listdir(m.wine.unix(P + "\\state")) if page[VERIFY] is None else ["lock"], ["lock"], "no record is left of it")


def case_wizard_unverified(t):
    """a re-zipped copy: refused first; used only after a second step in words, and called unverified"""
    with Seat(t) as s:
        m = s.m
        archive, manifest = m.add_archive()
        copy = m.media + "\\copy.zip"
        with zipfile.ZipFile(m.wine.unix(archive)) as source, zipfile.ZipFile(m.wine.unix(copy), "w", zipfile.ZIP_DEFLATED) as target:
            for name in source.namelist():
                target.writestr(name, source.read(name))
        s.start("/lang:en", "/archive:" + copy, "/manifest:" + manifest, "/selftest:skip", "/json:" + RESULT)
        page = s.page("cuDNN 8.0.3")
        t.equal((default(page), page[INSTALL]), ([ARCHIVE], None), "the copy is refused")
        t.check(page[UNVERIFIED] is not None, "the second step is offered")
        s.fits(page, "a refused copy")
        s.key("alt+v")
        s.until(lambda d: any("nothing vouches for" in c.text for c in d.controls), "the question")
        s.key("Escape")
        page = s.page("cuDNN 8.0.3")
        t.equal(page[INSTALL], None, "refused as before")
        s.key("alt+v")
        s.until(lambda d: any("nothing vouches for" in c.text for c in d.controls), "the question")
        s.key("alt+u")
        page = s.until(lambda d: d[INSTALL] is not None, "ready with the copy")
        s.key("Return")
        s.page("The sample of cuDNN 8.0.3 is installed", 60)
        s.key("Escape")
        s.end_is(0, "installed")
        t.equal(result(s)["trust"]["kind"], "unverified", "the result calls it unverified")
