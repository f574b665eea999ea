"""PATH, CUDA_PATH and the broadcast, in awkward registries."""

import shutil
import time

import wine
from machine import TREE, Machine
from cases_install import check_same


def cycle(t, m, expected_path, what):
    """install, compare PATH, uninstall, compare everything."""
    before = m.snapshot()
    code, _, text = m.install("/selftest:skip")
    t.equal(code, 0, what + ": install: " + text[-300:])
    t.equal(m.path_value(), expected_path, what + ": PATH")
    code, _, _ = m.setup("/uninstall", "/quiet")
    t.equal(code, 0, what + ": uninstall")
    check_same(t, before, m.snapshot(), what + ": after uninstall")


def case_path_shapes(t):
    """PATH values as real machines have them: type and every foreign byte stay, and come back"""
    entry = (TREE + "\\bin").encode("utf-16-le")
    semicolon = ";".encode("utf-16-le")
    text = "C:\\a;;%NoSuch%\\b;\"C:\\q;uoted\";C:\\end;".encode("utf-16-le")
    shapes = {
        "REG_SZ with %": (wine.REG_SZ, text + b"\0\0"),
        "no terminator": (wine.REG_EXPAND_SZ, text),
        "two terminators": (wine.REG_EXPAND_SZ, text + b"\0\0\0\0"),
        "lone surrogate": (wine.REG_EXPAND_SZ, b"C\0:\0\\\0\x00\xd8;\0D\0:\0\\\0" + b"\0\0"),
    }
    with Machine(t) as m:
        for name, (kind, data) in shapes.items():
            m.wine.set_value("PATH", kind, data)
            cycle(t, m, (kind, entry + semicolon + data), name)
        m.wine.set_value("PATH", wine.REG_EXPAND_SZ, None)
        cycle(t, m, (wine.REG_EXPAND_SZ, entry + b"\0\0"), "no PATH at all")


def case_path_refused(t):
    """values that cannot be edited safely: refused before anything changes"""
    with Machine(t) as m:
        for name, kind, data in (("a number", wine.REG_DWORD, b"\1\0\0\0"), ("odd byte count", wine.REG_EXPAND_SZ, b"C\0:\0\\\0x"),
                                 ("too long", wine.REG_EXPAND_SZ, wine.utf16("C:\\" + "x" * 32750))):
            m.wine.set_value("PATH", kind, data)
            before = m.snapshot()
            code, result, text = m.install("/selftest:skip")
            t.equal(code, 1603, name + ": exit code")
            check_same(t, before, m.snapshot(), name + ": nothing changed")
            t.check("PATH" in result["message"].upper(), name + ": the message names PATH: " + result["message"])
            code, result, text = m.install("/selftest:skip", "/env:none")
            t.equal(code, 0, name + ": with /env:none: " + text[-300:])
            t.equal(m.path_value(), (kind, data), name + ": /env:none leaves PATH alone")
            code, _, _ = m.setup("/uninstall", "/quiet")
            t.equal(code, 0, name + ": uninstall")


def case_already_on_path(t):
    """our folder under another spelling: nothing is added; a quoted twin does not count"""
    with Machine(t, tree="C:\\Program Files\\CUDA\\v10.1") as m:
        for path in ("C:\\x;c:\\program files\\cuda\\V10.1\\BIN\\", "%ProgramFiles%\\CUDA\\v10.1\\bin;C:\\y",
                     "C:/Program Files/CUDA\\.\\v10.1/bin"):   # 8.3 names: Wine makes other ones; tested behind the seam
            m.wine.set_value("PATH", wine.REG_EXPAND_SZ, wine.utf16(path))
            cycle(t, m, (wine.REG_EXPAND_SZ, wine.utf16(path)), path)
        quoted = "\"C:\\Program Files\\CUDA\\v10.1\\bin\";C:\\y"
        m.wine.set_value("PATH", wine.REG_EXPAND_SZ, wine.utf16(quoted))
        cycle(t, m, (wine.REG_EXPAND_SZ, wine.utf16(m.tree + "\\bin;" + quoted)), "a quoted twin")


def case_awkward_trees(t):
    """a tree named with % is taken as it is; one with ; is filled too, but PATH cannot carry it, and that is said"""
    for tree, on_path in (("C:\\100% 工具 ! ^ ' =\\v10.1", True), ("C:\\a ; b & [c]\\v10.1", False)):
        with Machine(t, tree=tree) as m:
            entry = m.tree + "\\bin;" if on_path else ""
            before = m.snapshot()
            code, result, text = m.install("/selftest:skip")
            t.equal(code, 0, tree + ": install: " + text[-300:])
            t.equal(m.path_value(), (wine.REG_EXPAND_SZ, wine.utf16(entry + m.path)), tree + ": PATH")
            t.equal("path.cannot-name" in [w["id"] for w in result["warnings"]], not on_path, tree + ": the warning")
            code, _, _ = m.setup("/verify", "/quiet")
            t.equal(code, 0, tree + ": verify")
            code, _, _ = m.setup("/uninstall", "/quiet")
            t.equal(code, 0, tree + ": uninstall")
            check_same(t, before, m.snapshot(), tree + ": after uninstall")


def case_edited_between(t):
    """somebody edits PATH between install and uninstall: only our entry goes"""
    with Machine(t) as m:
        code, _, _ = m.install("/selftest:skip")
        t.equal(code, 0, "install")
        kind, data = m.path_value()
        text = data.decode("utf-16-le").rstrip("\0")
        m.wine.set_value("PATH", kind, wine.utf16("C:\\first;" + text + ";C:\\last"))
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall")
        t.equal(m.path_value(), (kind, wine.utf16("C:\\first;" + m.path + ";C:\\last")), "PATH")


def case_cuda_path_policy(t):
    """another working toolkit keeps CUDA_PATH unless told otherwise"""
    other = "C:\\CUDA\\v11.0"
    with Machine(t) as m:
        m.wine.make(other + "\\bin")
        for name in ("bin\\cudart64_110.dll", "version.txt"):
            with open(m.wine.unix(other + "\\" + name), "wb") as file:
                file.write(b"CUDA Version 11.0.228\n")
        kept = (wine.REG_SZ, wine.utf16(other))
        m.wine.set_value("CUDA_PATH", *kept)
        code, result, _ = m.install("/selftest:skip")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, kept), "kept by default")
        t.check("cudapath.kept" in [w["id"] for w in result["warnings"]], "and said: %s" % result["warnings"])
        code, _, _ = m.setup("/uninstall", "/quiet")
        code, _, _ = m.install("/selftest:skip", "/cudapath:take")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, (wine.REG_SZ, wine.utf16(m.tree))), "taken on request")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, kept), "and given back")
        m.wine.set_value("CUDA_PATH", wine.REG_SZ, wine.utf16("C:\\gone"))
        code, _, _ = m.install("/selftest:skip")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, (wine.REG_SZ, wine.utf16(m.tree))), "a broken one is made right")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, (wine.REG_SZ, wine.utf16("C:\\gone"))), "and given back as it was")


def case_env_modes(t):
    """/env:path leaves CUDA_PATH alone, /env:none leaves all alone"""
    with Machine(t) as m:
        code, _, _ = m.install("/selftest:skip", "/env:path")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, None), "/env:path: CUDA_PATH")
        t.equal(m.path_value()[1], wine.utf16(m.tree + "\\bin;" + m.path), "/env:path: PATH")
        code, _, _ = m.setup("/uninstall", "/quiet")
        code, _, _ = m.install("/selftest:skip", "/env:none")
        t.equal((code, m.wine.value("CUDA_PATH")), (0, None), "/env:none: CUDA_PATH")
        t.equal(m.path_value()[1], wine.utf16(m.path), "/env:none: PATH")


def case_hung_windows(t):
    """thirty hung windows hold up no broadcast: install, rollback and uninstall; a window that answers hears of each once"""
    with Machine(t) as m:
        stop, heard, listening = m.wine.out("stop"), m.wine.out("heard"), m.wine.out("listening")
        ready = [m.wine.out("ready") for _ in range(30)]
        hung = [m.wine.popen([m.wine.helper, "hang", name, stop]) for name in ready]
        hung.append(m.wine.popen([m.wine.helper, "listen", heard, listening, stop]))
        wine.wait_until(lambda: all(m.wine.exists(name) for name in ready + [listening]), 90, "thirty hung windows and one that is not")
        told = 0
        for what, run in (("install", lambda: m.install("/selftest:skip")), ("rollback", lambda: m.setup("/rollback", "/quiet")),
                          ("install again", lambda: m.install("/selftest:skip")), ("uninstall", lambda: m.setup("/uninstall", "/quiet"))):
            started = time.monotonic()
            code, result, text = run()
            seconds = time.monotonic() - started
            told += 1
            t.equal(code, 0, what + ": " + text[-300:])
            t.check("broadcast.hung" in [w["id"] for w in result["warnings"]], "%s says that windows hung: %s" % (what, result["warnings"]))
            t.say("%s with 30 hung windows: %.1f s" % (what, seconds))
            t.check(seconds < 12, "the %s took %.1f s: the broadcast's bound is 5 s" % (what, seconds))
            wine.wait_until(lambda: m.wine.exists(heard) and len(m.wine.text(heard).splitlines()) >= told, 10, "the broadcast of the " + what)
            t.equal(m.wine.text(heard).splitlines(), ["Environment"] * told, what + ": one broadcast, of the environment")
        m.wine.make(stop)
        for process in hung:
            process.wait(30)


def case_search_order(t):
    """the doctor's search order, for the machine and for a named toolkit, and what it makes of a second copy"""
    with Machine(t) as m:
        code, _, text = m.doctor("search-order", "/cuda:" + m.tree)
        t.equal(code, 0, "before: " + text[-300:])
        t.check("is not in the search order" in text, "the toolkit's bin is not in PATH yet: " + text[-300:])
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-300:])
        code, _, text = m.doctor("search-order", "/cuda:" + m.tree)
        t.equal(code, 0, "after: " + text[-300:])
        t.check("That is the toolkit in question" in text, "its cudnn64_8.dll comes first: " + text[-300:])
        other = m.wine.make("C:\\other")
        shutil.copy(m.wine.unix(m.tree + "\\bin\\cudnn64_8.dll"), other + "/cudnn64_8.dll")
        kind, path = m.path_value()
        m.wine.set_value("PATH", kind, "C:\\other;".encode("utf-16-le") + path)
        code, _, text = m.doctor("search-order", "/cuda:" + m.tree)
        t.check(code == 0 and "comes later" in text, "the other copy hides it: " + text[-300:])
        code, _, text = m.doctor()
        t.equal(code, 2, "the diagnosis of mixed copies: " + text[-300:])
        t.check("the parts of two copies get mixed" in text and "Good to know" in text, "and what it says: " + text[-2000:])
        code, _, text = m.doctor("search-order", "/cuda:C:\\nowhere")
        t.equal(code, 1642, "a folder that is no toolkit: " + text[-300:])


def case_trees_oldest_first(t):
    """two trees, uninstalled oldest first: PATH and both variables are as before the first"""
    second = "C:\\second tree\\v10.1"
    with Machine(t) as m:
        m.add_toolkit(second)
        before = m.registry(["HKLM\\System"])
        for tree in (m.tree, second):
            code, _, text = m.install("/selftest:skip", "/cuda:" + tree)
            t.equal(code, 0, tree + ": install: " + text[-300:])
        t.equal(m.wine.value("CUDA_PATH"), (wine.REG_SZ, wine.utf16(second)), "CUDA_PATH belongs to the last")
        code, _, text = m.setup("/uninstall", "/quiet", "/cuda:" + m.tree)
        t.equal(code, 0, "uninstall of the first: " + text[-300:])
        t.equal(m.wine.value("CUDA_PATH"), (wine.REG_SZ, wine.utf16(second)), "CUDA_PATH stays the second's")
        code, _, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall of the second: " + text[-300:])
        t.equal(m.registry(["HKLM\\System"]), before, "every value is as before")


def case_toolkit_choice(t):
    """which toolkit is taken: the named one, CUDA_PATH_V10_1, the registry key, CUDA_PATH; a 10.2 is refused"""
    key = r"SOFTWARE\NVIDIA Corporation\GPU Computing Toolkit\CUDA\v10.1"
    with Machine(t, toolkit=False) as m:
        trees = ["C:\\by option\\v10.1", "C:\\by variable\\v10.1", "C:\\by key\\v10.1", "C:\\by path\\v10.1"]
        for tree in trees:
            m.add_toolkit(tree)
        m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(trees[1]))
        m.wine.set_value("InstallDir", wine.REG_SZ, wine.utf16(trees[2]), key)
        m.wine.set_value("CUDA_PATH", wine.REG_SZ, wine.utf16(trees[3] + "\\"))
        for tree, take in zip(trees, (["/cuda:" + trees[0]], [], [], [])):
            code, result, text = m.install("/dryrun", *take)
            t.equal((code, result["tree"] and result["tree"]["path"]), (0, tree), "taken: " + text[-300:])
            if tree == trees[1]:
                m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, None)
            if tree == trees[2]:
                m.wine.set_value("InstallDir", wine.REG_SZ, None, key)
        wrong = m.wine.make("C:\\wrong\\v10.1\\bin")
        for name in ("cudart64_102.dll", "cudart64_101.dll"):
            with open(wrong + "/" + name, "wb") as file:
                file.write(b"MZ")
        with open(m.wine.unix("C:\\wrong\\v10.1") + "/version.txt", "wb") as file:
            file.write(b"CUDA Version 10.2.89\n")
        code, result, _ = m.install("/cuda:C:\\wrong\\v10.1")
        t.equal(code, 1642, "a 10.2 in a folder named v10.1")
        t.check("10.2" in result["message"], "the message says what it is: " + result["message"])
