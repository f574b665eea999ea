"""The window where it is looked at closely: every page at every size, dropped files, the mouse, long names, the window killed."""

import os
import signal
import time

import wine
from cases_install import check_same
from cases_inuse import Watched, add_variant, install_words
from cases_recovery import journals
from cases_wizard import RESULT, go_on, plan, result, workers
from machine import DEFAULT_TREE, P
from window import (AMOUNT, CANCEL, CHANGES, CHECK_AGAIN, COPY, CUDA_PATH, EXPLAIN, FILE, HEADING, INSTALL, REPORT, ROLL_BACK, ROWS, STEP, TEXT,
                    TOOLKITS, TRY_AGAIN, UNINSTALL, VERIFY, YES, Seat)

# ---- every page at every size ----

LANGUAGES = ("en", "zh-CN")
SCALES = (96, 120, 144, 168, 192, 240)    # 100 to 250 percent


def language_of(dialog):
    buttons = "".join(control.text for control in dialog.controls if control.kind == "Button" and control.id != CUDA_PATH)
    return "zh-CN" if any("\u4e00" <= letter <= "\u9fff" for letter in buttons) else "en"


def kind_of(dialog):
    """Which page a dialog shows; None: it is on its way to one."""
    if dialog.is_question():
        return "question"
    if dialog[TEXT]:
        return "text"
    if dialog.said(HEADING) == dialog.text:
        return None    # it is looking: the heading is the first that is read, and the last that is set
    if dialog[STEP]:
        return "working" if dialog.said(AMOUNT) and dialog.said(FILE) else None
    for control, kind in ((TRY_AGAIN, "failed"), (REPORT, "good"), (TOOLKITS, "two"), (INSTALL, "ready"), (VERIFY, "installed"),
                          (CHECK_AGAIN, "blocked")):
        if dialog[control]:
            return kind
    return None


class Gallery:
    """Windows side by side, looked at together: each start takes its time, and they take it at once."""

    def __init__(self, s, dpi):
        self.s, self.dpi, self.processes = s, dpi, []

    def start(self, *words):
        self.s.start(*words)
        self.processes.append(self.s.program)

    def look(self):
        """{(kind, language): measured dialog} of what is to be seen."""
        return {(kind_of(d), language_of(d)): d for d in self.s.look("measure") if kind_of(d)}

    def await_kinds(self, *kinds):
        """The pages of these kinds, in both languages, as they come; they are judged."""
        wanted = {(kind, language) for kind in kinds for language in LANGUAGES}
        found, end = {}, time.monotonic() + 60
        while not wanted <= set(found):
            assert time.monotonic() < end, "at %d, not seen: %s; seen: %s" % (self.dpi, sorted(wanted - set(found)), sorted(found))
            found = self.look()
        for key in wanted:
            self.s.fit(found[key], "%s in %s at %d dots per inch" % (*key, self.dpi))
        return found

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                wine.kill(process)
        self.processes = []


def press_all(s, found, *buttons):
    s.press(*((found[kind, language], button) for kind, button in buttons for language in LANGUAGES))


def show_still_pages(s, dpi, words, trees):
    chosen, _, installed = trees
    gallery = Gallery(s, dpi)
    for language in LANGUAGES:
        gallery.start("/lang:" + language, "/cuda:" + chosen, "/env:none", *words)
        gallery.start("/lang:" + language, *words)
        gallery.start("/lang:" + language, "/cuda:" + chosen, "/archive:" + s.m.media + "\\cudnn-wrong.zip")
        gallery.start("/lang:" + language, "/cuda:" + installed, *words)
    first = gallery.await_kinds("ready", "two", "blocked", "installed")
    for language in LANGUAGES:
        s.t.check(first["two", language][CUDA_PATH], "the box for CUDA_PATH is shown")
    press_all(s, first, ("two", CHANGES), ("installed", UNINSTALL))
    found = gallery.await_kinds("text", "question")
    press_all(s, found, ("question", CANCEL))
    wine.wait_until(lambda: not any(kind == "question" for kind, _ in gallery.look()), 60, "the end of the question")
    manifest = s.m.wine.unix(s.m.media) + "/cudnn-sample.json"
    os.rename(manifest, manifest + ".away")     # so nothing can be installed
    press_all(s, first, ("ready", INSTALL), ("installed", VERIFY))
    gallery.await_kinds("good", "failed")
    os.rename(manifest + ".away", manifest)
    gallery.close()


def big_words(s):
    """The full-size sample takes seconds, so there is a middle to see."""
    paths = []
    for end in (".zip", ".json"):
        name = "cudnn-sample-fullsize" + end
        os.link(os.path.join(s.t.sample("fullsize"), name), s.m.wine.unix(s.m.media + "\\" + name))
        paths.append(s.m.media + "\\" + name)
    return ["/archive:" + paths[0], "/manifest:" + paths[1], "/selftest:skip"]


def show_working_pages(s, words, tree):
    for dpi in SCALES:
        s.resolution(dpi)
        for language in LANGUAGES:
            s.start("/lang:" + language, "/cuda:" + tree, "/passive", "/env:none", *words)
            page = s.until(lambda d: kind_of(d) == "working", "the work")
            s.fits(page, "working in %s at %d dots per inch" % (language, dpi))
            wine.kill(s.program)
            wine.wait_until(lambda: not workers(s.m), 60, "the worker's end")


def case_window_layout(t):
    """every kind of page in both languages at 100, 125, 150, 175, 200 and 250 %: nothing outside, nothing on another, no text cut"""
    trees = (DEFAULT_TREE, "C:\\CUDA other\\v10.1", "C:\\CUDA installed\\v10.1")
    with Seat(t, screen="2560x1600", tree=DEFAULT_TREE, media="C:\\media") as s:
        m = s.m
        for tree in trees[1:]:
            m.add_toolkit(tree)
        m.add_toolkit("C:\\CUDA\\v11.0")
        os.rename(m.wine.unix("C:\\CUDA\\v11.0\\bin\\cudart64_101.dll"), m.wine.unix("C:\\CUDA\\v11.0\\bin") + "/cudart64_110.dll")
        m.wine.set_value("CUDA_PATH", wine.REG_SZ, wine.utf16("C:\\CUDA\\v11.0"))
        m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(trees[1]))
        with open(m.wine.unix(m.media + "\\cudnn-wrong.zip"), "wb") as file:
            file.write(b"<!DOCTYPE html><html><title>Log in</title></html>")
        archive, manifest = m.add_archive()
        words = ["/archive:" + archive, "/manifest:" + manifest, "/selftest:skip"]
        code, _, text = m.setup("/install", "/quiet", "/cuda:" + trees[2], "/env:none", *words)
        t.equal(code, 0, "installed: " + text[-300:])
        for dpi in SCALES:
            s.resolution(dpi)
            show_still_pages(s, dpi, words, trees)
        show_working_pages(s, big_words(s), trees[0])


def case_window_small_screen(t):
    """at 250 % on screens that the window does not fit into: it is as large as they are, and everything inside"""
    for screen in ("1920x1000", "1280x900"):
        width, height = map(int, screen.split("x"))
        with Seat(t, screen=screen) as s:
            archive, manifest = s.m.add_archive()
            s.resolution(240)
            for language in LANGUAGES:
                s.start("/lang:" + language, "/archive:" + archive, "/manifest:" + manifest)
                page = s.until(lambda d: d[INSTALL] is not None, "ready")
                right, bottom = page.corner[0] + page.client[2], page.corner[1] + page.client[3]
                t.check(page.corner[0] >= 0 and page.corner[1] >= 0 and right <= width and bottom <= height,
                        "on the screen of %s: %s to %d, %d" % (screen, page.corner, right, bottom))
                s.fits(page, "%s in %s" % (screen, language))
                rows = page[ROWS]
                t.check(rows.bottom - rows.top > height // 8, "the list has room: %d to %d" % (rows.top, rows.bottom))
                s.key("Escape")
                s.end_is(1602, "closed")


# ---- files dropped, files found ----

# A folder and a name with all that people and shells trip over; what a variable is called must stay its name.
DROPPED = "C:\\my zips 压缩包 [1]\\cudnn 8.0 (2) [x] 100% %PATH% 副本.zip"


def row_of_archive(s, page, name, what):
    s.t.equal(s.measured(page).cell(0, 1), name, "the row of the archive, " + what)


def case_window_dropped(t):
    """a zip dropped on the program, on the window, beside the program and in Downloads: the window has exactly that one"""
    with Seat(t, media="C:\\media") as s:
        m = s.m
        archive, manifest = m.add_archive()
        for path in (DROPPED, "C:\\zips\\cudnn.zip"):
            m.wine.put(m.wine.unix(archive), path)
            s.start(path)
            page = s.page("cuDNN 8.0.3 for CUDA 10.1")
            t.check(page.said(EXPLAIN).startswith("This is not the archive") and path in page.said(EXPLAIN),
                    "the program's own list knows no sample; it is the dropped one that was looked at: " + page.said(EXPLAIN))
            t.equal(page[INSTALL], None, "nothing can be installed from a sample without its manifest")
            s.key("Escape")
            s.end_is(1602, "closed")

        os.rename(m.wine.unix(archive), m.wine.unix("C:\\zips") + "/away.zip")
        s.start("/lang:en", "/manifest:" + manifest)
        page = s.page("cuDNN 8.0.3 for CUDA 10.1")
        row_of_archive(s, page, "none", "before")
        s.drop(page, DROPPED)
        page = s.until(lambda d: d[INSTALL] is not None, "ready with the dropped archive")
        t.check(DROPPED in page.said(EXPLAIN), "its whole path: " + page.said(EXPLAIN))
        s.key("Escape")
        s.end_is(1602, "closed")

        published = downloads(m) + "\\cudnn-10.1-windows10-x64-v8.0.3.33.zip"
        m.wine.put(m.wine.unix(DROPPED), published)
        s.start("/lang:en", "/manifest:" + manifest)
        page = s.page("cuDNN 8.0.3 for CUDA 10.1")
        row_of_archive(s, page, "none", "a window with administrator rights does not look into Downloads")
        t.check("only a window without administrator rights" in page.said(EXPLAIN), "it says so: " + page.said(EXPLAIN))
        s.key("Escape")
        s.end_is(1602, "closed")
        line = '"%s" /manifest:"%s" /lang:en' % (m.setup_exe, manifest)
        s.program = m.wine.popen([m.wine.helper, "restricted", line])
        page = s.until(lambda d: d[INSTALL] is not None, "ready with the archive in Downloads")
        t.check(published in page.said(EXPLAIN), "its whole path: " + page.said(EXPLAIN))
        s.fits(page, "with the shield")
        s.key("Escape")
        s.end_is(1602, "closed")
        os.rename(m.wine.unix("C:\\zips") + "/away.zip", m.wine.unix(archive))
        s.program = m.wine.popen([m.wine.helper, "restricted", line])
        page = s.until(lambda d: d[INSTALL] is not None, "ready with the archive beside the program")
        t.check(archive in page.said(EXPLAIN), "the one beside the program comes first: " + page.said(EXPLAIN))
        s.key("Escape")
        s.end_is(1602, "closed")
        t.check(not m.wine.exists(P), "nothing is in Program Files")

        for path, language, said in (("C:\\zips\\cudnn.tgz", "en", "this is no .zip archive"), ("C:\\zips\\cudnn.tgz", "zh-CN", "这不是 .zip 压缩包"),
                                     ("/instal", "zh-CN", "没有这个选项")):
            s.program = m.wine.popen(["start", "/wait", m.setup_exe, path, "/lang", language])  # as from the desktop, without a console
            s.until(lambda d: any(said in c.text and path in c.text for c in d.controls), "the box: " + said)
            s.key("Return")
            s.end_is(1639, path)
        t.equal(os.listdir(m.wine.unix(P)), ["logs"], "what a refused command line leaves")


def downloads(m):
    names = [name for name in os.listdir(m.wine.unix("C:\\users")) if name != "Public"]
    assert len(names) == 1, names
    return "C:\\users\\%s\\Downloads" % names[0]


# ---- by mouse ----

OPENED = "C:\\e2e\\opened"


def take_reports(s):
    """What opens web pages here tells which one it was asked for."""
    classes = "HKLM\\Software\\Classes\\"
    command = '"%s" note %s "%%1"' % (s.m.wine.helper, OPENED)
    for key, value in ((".html", "e2e.page"), ("e2e.page\\shell\\open\\command", command)):
        code, text = s.m.wine.run(["reg", "add", classes + key, "/ve", "/d", value, "/f"])
        assert code == 0, text


def check_report(s, log):
    wine.wait_until(lambda: s.m.wine.exists(OPENED), 30, "something is opened")
    opened = s.m.wine.text(OPENED)
    s.t.equal(opened, log[:-4] + ".html", "the report that is opened")
    s.t.check("<html" in s.m.wine.text(opened), "it is a web page")
    os.unlink(s.m.wine.unix(OPENED))


def check_copied(s, heading):
    wine.wait_until(lambda: s.clipboard().startswith(heading), 10, "the details are copied: " + heading)


def question(s):
    return s.until(lambda d: d.is_question(), "the question")


def case_window_mouse(t):
    """clicks: Install, Try again after a locked file, Copy details, Open report, Close; of two installations the newest is rolled back"""
    with Seat(t) as s:
        m = s.m
        m.add_old_cudnn()
        take_reports(s)
        watch = Watched(t, m)
        before = m.snapshot()
        ready, stop = m.wine.out("ready"), m.wine.out("stop")
        s.start(*plan(s, "/lang:en", "/selftest:skip"))
        page = s.page("cuDNN 8.0.3 for CUDA 10.1")
        locker = m.wine.popen([m.wine.helper, "lock", m.tree + "\\include\\cudnn.h", ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 30, "the locker")
        s.click(page, INSTALL)
        page = s.page("It could not be done", 60)
        m.wine.make(stop)
        locker.wait(30)
        t.equal(result(s)["exit"], 1603, "the first try")
        check_same(t, before, m.snapshot(), "after the failure")
        s.click(page, TRY_AGAIN)
        page = s.page("The sample of cuDNN 8.0.3 is installed", 60)
        told = result(s)
        t.equal((told["exit"], told["result"]), (0, "done"), "the second try")
        s.click(page, COPY)
        check_copied(s, "The sample of cuDNN 8.0.3 is installed")
        s.click(page, REPORT)
        check_report(s, told["log"])
        s.click(page, CANCEL)
        s.end_is(0, "closed by a click")
        level_1 = watch.picture()

        archive, manifest = add_variant(m)
        t.equal(m.setup(*install_words(archive, manifest), "/quiet")[0], 0, "another package over it")
        level_2 = watch.picture()
        s.start("/lang:en", "/archive:" + archive, "/manifest:" + manifest, "/json:" + RESULT)
        page = s.until(lambda d: d[ROLL_BACK] is not None, "Roll back is offered")
        s.click(page, ROLL_BACK)
        s.click(question(s), CANCEL)
        page = s.page("cuDNN 8.0.3 is installed")
        watch.same(level_2, "after Keep")
        s.click(page, ROLL_BACK)
        s.click(question(s), YES)
        s.page("The newest installation is undone", 60)
        told = result(s)
        t.equal((told["verb"], told["exit"], told["result"]), ("rollback", 0, "done"), "the result")
        s.key("alt+d")
        check_copied(s, "The newest installation is undone")
        s.key("alt+p")
        check_report(s, told["log"])
        s.key("Escape")
        s.end_is(0, "rolled back")
        watch.same(level_1, "after Roll back", records=False)
        t.equal(m.setup("/uninstall", "/quiet")[0], 0, "uninstall")
        check_same(t, before, m.snapshot(), "after uninstalling")


# ---- names of 30 and of 200 characters ----

def padded(start, end, length):
    """A path of exactly so many characters, in folders of at most 40."""
    middle = length - len(start) - len(end)
    folders = [("文件夹-folder-" * 4)[:40] for _ in range(middle // 41)]
    rest = middle - 41 * len(folders)
    return start + "".join(folder + "\\" for folder in folders) + ("r" * (rest - 1) + "\\" if rest > 1 else "r" * rest) + end


def case_window_long_names(t):
    """paths of 30 and of 200 characters, Chinese ones too: elided in the middle, whole in the explanation; and installing works"""
    trees = padded("C:\\", "v10.1", 30), padded("C:\\工具\\", "v10.1", 200)
    archives = padded("C:\\m\\", "cudnn.zip", 30), padded("C:\\压缩包\\", "cudnn-" + "很长的名字-" * 9 + ".zip", 200)
    t.equal([len(path) for path in trees + archives], [30, 200] * 2, "lengths")
    with Seat(t, tree=trees[0], media="C:\\media") as s:
        m = s.m
        sample, manifest = m.add_archive()
        for archive in archives:
            m.wine.put(m.wine.unix(sample), archive)
        words = ["/manifest:" + manifest, "/selftest:skip", "/json:" + RESULT]
        s.start("/lang:en", "/archive:" + archives[0], *words)
        page = s.measured(s.page("cuDNN 8.0.3 for CUDA 10.1"))
        check_names(s, page, archives[0], trees[0])
        s.key("Return")
        check_long_install(s, "The sample of cuDNN 8.0.3 is installed", trees[0])

        other = padded("C:\\其他\\", "v11.0", 200)
        for tree in (trees[1], other, DEFAULT_TREE):
            m.add_toolkit(tree)
        os.rename(m.wine.unix(other + "\\bin\\cudart64_101.dll"), m.wine.unix(other + "\\bin") + "/cudart64_110.dll")
        m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(trees[1]))
        m.wine.set_value("CUDA_PATH", wine.REG_SZ, wine.utf16(other))
        s.start("/lang:zh-CN", "/archive:" + archives[1], *words)
        page = s.measured(s.until(lambda d: d[TOOLKITS] is not None, "the list of toolkits"))
        check_names(s, page, archives[1], trees[1])
        check_elided(t, page.said(TOOLKITS), trees[1], "the toolkit in the list of toolkits")
        t.check("\u2026" in page.said(CUDA_PATH), "what CUDA_PATH is now, elided: " + page.said(CUDA_PATH))
        s.key("alt+t", "Down")
        s.until(lambda d: d.said(TOOLKITS) == DEFAULT_TREE and d[INSTALL] is not None, "the other toolkit")
        s.key("alt+t", "Up")
        s.until(lambda d: d.said(TOOLKITS) == page.said(TOOLKITS) and d[INSTALL] is not None, "the first one again")
        s.key("alt+i")
        check_long_install(s, "cuDNN 8.0.3 的示例已安装", trees[1])


def check_names(s, page, archive, tree):
    """On the first page, where the row of the archive is selected."""
    what = "%d characters" % len(tree)
    s.fit(page, what)
    check_elided(s.t, page.cell(0, 1), archive.rpartition("\\")[2], "the archive, " + what)
    check_elided(s.t, page.cell(1, 1), tree, "the toolkit, " + what)
    s.t.check(archive in page.said(EXPLAIN), "the archive's whole path: " + page.said(EXPLAIN))
    s.key("Down")
    s.until(lambda d: tree in (d.said(EXPLAIN) or ""), "the toolkit's whole path", 10)


def check_long_install(s, heading, tree):
    page = s.page(heading, 60)
    s.fits(page, "installed into %d characters" % len(tree))
    s.key("Escape")
    s.end_is(0, tree)
    told = result(s)
    s.t.equal((told["tree"]["path"], told["result"]), (tree, "done"), "the result")
    s.t.check(s.m.wine.exists(tree + "\\bin\\cudnn64_8.dll"), "it is in the tree")
    s.t.equal(s.m.setup("/uninstall", "/quiet")[0], 0, "uninstall")


def check_elided(t, shown, whole, what):
    if len(whole) <= 30:
        t.equal(shown, whole, what)
        return
    start, _, end = shown.partition("\u2026")
    t.check(len(start) >= 3 and len(end) >= 5 and whole.startswith(start) and whole.endswith(end), "%s: %s" % (what, shown))


# ---- the window killed ----

def reach(s, moment, words):
    """Starts an installation and stops its worker in the moment: unpacking, or when a record of that name is there. False: it was
    too fast."""
    m = s.m
    s.start(*words, "/lang:en", "/passive")
    if moment == "unpack":
        s.until(lambda d: (d.said(STEP) or "").startswith("Verifying and unpacking") and d.said(AMOUNT), "unpacking", 60)
    else:
        wine.wait_until(lambda: workers(m), 30, "the worker")
        while s.program.poll() is None and moment not in journals(m):
            pass
    for process in workers(m):
        os.kill(process, signal.SIGSTOP)
    return bool(workers(m)) and (moment == "unpack" or moment in journals(m))


def case_window_killed(t):
    """the window killed while its worker unpacks, while files move and once it is final: the worker ends by itself, as before or as after"""
    with Seat(t) as s:
        m = s.m
        m.add_old_cudnn()
        before = m.snapshot()
        for moment, words in (("unpack", big_words(s)), *((name, plan(s, "/selftest:skip")) for name in ("journal", "committed"))):
            for _ in range(10):
                if reach(s, moment, words):
                    break
                go_on(s)
                s.end(60)
                m.setup("/uninstall", "/quiet")
            else:
                t.check(False, "stopped in the moment: " + moment)
                continue
            wine.kill(s.program)
            go_on(s)
            wine.wait_until(lambda: not workers(m), 60, "the worker's end, killed at " + moment)
            t.equal(journals(m), [], "interrupted work, killed at " + moment)
            if moment == "committed":
                t.equal(m.setup("/verify", "/quiet")[0], 0, "what is final stays, whole")
                t.equal(m.setup("/uninstall", "/quiet")[0], 0, "and can be uninstalled")
            check_same(t, before, m.snapshot(), "killed at " + moment)
