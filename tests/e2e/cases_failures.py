"""Bad input, missing rights, files in use: the documented exit code, a sentence that helps, and nothing changed."""

import os

import wine
from machine import DEFAULT_TREE, P, TREE, Machine
from cases_install import check_same


def refused(t, m, expected, arguments, what, words=()):
    before = m.snapshot()
    code, result, text = m.setup(*arguments)
    t.equal(code, expected, what + ": exit code: " + text[-300:])
    check_same(t, before, m.snapshot(), what + ": nothing changed")
    if result:
        for word in words:
            t.check(word.lower() in result["message"].lower(), "%s: the message has '%s': %s" % (what, word, result["message"]))
    return result


def case_command_line(t):
    """every way to get the command line wrong is 1639 and changes nothing"""
    with Machine(t) as m:
        for arguments in (["/quiet", "/frobnicate"], ["/quiet", "/install", "/uninstall"], ["/quiet", "/env:some"],
                          ["/quiet", "/archive:"], ["/quiet", "/archive", "/cuda:C:\\x"], ["/quiet", "/cuda:C:\\dir\" /force"],
                          ["/quiet", "/selftest:perhaps"], ["/quiet", "/tree:nothex", "/uninstall"], ["/quiet", "stray"]):
            code, _, text = m.setup(*arguments)
            t.equal(code if code > 255 else code + 0x600 + 0x0, 1639, " ".join(arguments) + ": " + text[-200:])
        t.check(not m.wine.exists(P + "\\state"), "no state was made")
        code, text = m.wine.run([m.setup_exe, "/?"])
        t.equal(code, 0, "/?")
        for word in ("/install", "/uninstall", "/quiet", "/archive", "1642", "1604"):
            t.check(word in text, "/? has " + word)


def case_archives(t):
    """not a zip, a renamed tgz, a web page, an empty file, a missing file: refused by name"""
    with Machine(t, media="C:\\m") as m:
        _, manifest = m.add_archive()
        shapes = {"page.zip": b"<!DOCTYPE html><html><head><title>Login</title></head></html>", "linux.zip": b"\x1f\x8b\x08\0" + b"x" * 100,
                  "empty.zip": b"", "text.zip": b"hello world, this is no archive at all"}
        for name, data in shapes.items():
            with open(os.path.join(m.media_unix, name), "wb") as file:
                file.write(data)
        tail = ["/quiet", "/manifest:" + manifest, "/selftest:skip"]
        refused(t, m, 1620, ["/archive:C:\\m\\page.zip"] + tail, "a web page", ["web page"])
        refused(t, m, 1620, ["/archive:C:\\m\\linux.zip"] + tail, "a tgz", ["gzip"])
        refused(t, m, 1620, ["/archive:C:\\m\\empty.zip"] + tail, "an empty file", ["empty"])
        refused(t, m, 1620, ["/archive:C:\\m\\text.zip"] + tail, "a text")
        refused(t, m, 1619, ["/archive:C:\\m\\missing.zip"] + tail, "a missing file", ["missing.zip"])
        refused(t, m, 1619, ["/archive:C:\\m"] + tail, "a folder")
        whole = m.sample_file("*.zip")
        with open(whole, "rb") as file:
            data = file.read()
        for name, content in (("cut.zip", data[:-1000]), ("flip.zip", data[:5000] + bytes([data[5000] ^ 1]) + data[5001:])):
            with open(os.path.join(m.media_unix, name), "wb") as file:
                file.write(content)
            refused(t, m, 1620, ["/archive:C:\\m\\" + name] + tail, name)


def case_manifests(t):
    """a manifest with a fault: refused, with the place"""
    with Machine(t, media="C:\\m") as m:
        archive, manifest = m.add_archive()
        with open(m.wine.unix(manifest), "rb") as file:
            text = file.read().decode("utf-8")
        faults = {"unknown key": text.replace('"product"', '"produce"', 1), "escape": text.replace("bin/cudnn64_8.dll", "bin/../x.dll"),
                  "schema 2": text.replace('"schema": 1', '"schema": 2').replace('"schema":1', '"schema":2'), "no JSON": "hello",
                  "cut": text[:len(text) // 2]}
        for name, content in faults.items():
            t.check(content != text, "the fault is in the text: " + name)
            with open(os.path.join(m.media_unix, "fault.json"), "wb") as file:
                file.write(content.encode("utf-8"))
            refused(t, m, 1603, ["/quiet", "/archive:" + archive, "/manifest:C:\\m\\fault.json"], name, ["fault.json"])


def case_no_toolkit(t):
    """no CUDA 10.1 at all: 1642 and where was looked"""
    with Machine(t, toolkit=False) as m:
        archive, manifest = m.add_archive()
        tail = ["/quiet", "/archive:" + archive, "/manifest:" + manifest]
        refused(t, m, 1642, tail, "no toolkit")
        os.makedirs(m.wine.unix("C:\\renamed\\v10.1\\bin"))
        refused(t, m, 1642, tail + ["/cuda:C:\\renamed\\v10.1"], "a folder without the toolkit", ["cudart64_101.dll"])
        refused(t, m, 1642, tail + ["/cuda:C:\\nowhere"], "a missing folder", ["C:\\nowhere"])


def case_rights(t):
    """without administrator rights: 740 for what changes, fine for what reads"""
    with Machine(t, media="C:\\m") as m:
        archive, manifest = m.add_archive()
        code, _ = m.wine.run([m.wine.helper, "restricted",
                              '"%s" /quiet "/archive:%s" "/manifest:%s"' % (m.setup_exe, archive, manifest)])
        t.equal(code, 740 & 0xFF, "install without rights")
        t.check(not m.wine.exists(P), "nothing was made")
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install with rights: " + text[-300:])
        for verb, expected in (("/verify", 0), ("/status", 0), ("/uninstall", 740)):
            code, text = m.wine.run([m.wine.helper, "restricted", '"%s" %s /quiet' % (m.setup_exe, verb)])
            t.equal(code, expected & 0xFF, verb + " without rights: " + text[-300:])


def case_newer(t):
    """a newer cuDNN 8 in the tree: 1638, /force goes on, and it comes back"""
    with Machine(t) as m:
        include = m.wine.make(m.tree + "\\include")
        with open(include + "/cudnn_version.h", "wb") as file:
            file.write(b"#define CUDNN_MAJOR 8\r\n#define CUDNN_MINOR 2\r\n#define CUDNN_PATCHLEVEL 1\r\n")
        before = m.snapshot()
        code, result, _ = m.install("/selftest:skip")
        t.equal(code, 1638, "exit code")
        t.check("8.2.1" in result["message"], "the message names the version: " + result["message"])
        check_same(t, before, m.snapshot(), "nothing changed")
        code, _, text = m.install("/selftest:skip", "/force")
        t.equal(code, 0, "with /force: " + text[-300:])
        code, _, _ = m.setup("/uninstall", "/quiet")
        check_same(t, before, m.snapshot(), "after uninstall")


def case_targets_locked(t):
    """a target that another program keeps open without sharing: 1603, its path, and everything back"""
    with Machine(t) as m:
        m.add_old_cudnn()
        before = m.snapshot()
        lock, ready, stop = m.tree + "\\include\\cudnn.h", m.wine.out("ready"), m.wine.out("stop")
        locker = m.wine.popen([m.wine.helper, "lock", lock, ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 30, "the locker")
        code, result, text = m.install("/selftest:skip")
        t.equal(code, 1603, "exit code: " + text[-300:])
        t.check("cudnn.h" in result["message"], "the message names the file: " + result["message"])
        m.wine.make(stop)
        locker.wait(30)
        check_same(t, before, m.snapshot(), "everything is back")


def case_lock_held(t):
    """while another run holds the lock: 1618 and nothing changed; a killed run's lock blocks nobody"""
    with Machine(t) as m:
        m.wine.make(P + "\\state")
        lock, ready, stop = P + "\\state\\lock", m.wine.out("ready"), m.wine.out("stop")
        with open(m.wine.unix(lock), "wb"):
            pass
        locker = m.wine.popen([m.wine.helper, "lock", lock, ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 30, "the lock")
        before = m.snapshot()
        code, _, _ = m.install("/selftest:skip")
        t.equal(code, 1618, "while the lock is held")
        check_same(t, before, m.snapshot(), "nothing changed")
        wine.kill(locker)
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "after the holder was killed: " + text[-300:])


def case_theirs(t):
    """a file that somebody replaced after the install is theirs: kept and reported, the rest goes"""
    with Machine(t) as m:
        before = m.snapshot()
        code, _, _ = m.install("/selftest:skip")
        t.equal(code, 0, "install")
        mine = m.wine.unix(m.tree + "\\include\\cudnn.h")
        with open(mine, "wb") as file:
            file.write(b"mine")
        code, result, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall: " + text[-300:])
        with open(mine, "rb") as file:
            t.equal(file.read(), b"mine", "the replaced file")
        os.unlink(mine)
        after = m.snapshot()
        check_same(t, before, after, "the rest")
        t.check("include/cudnn.h" in [f["target"] for f in result["files"] if f["state"] == "kept"], "reported as kept")


def case_tree_gone(t):
    """the CUDA tree was deleted: uninstall still cleans environment, entry and itself"""
    import shutil
    with Machine(t) as m:
        code, _, _ = m.install("/selftest:skip")
        t.equal(code, 0, "install")
        shutil.rmtree(m.wine.unix(m.tree))
        code, _, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall: " + text[-300:])
        t.equal(m.path_value(), (wine.REG_EXPAND_SZ, wine.utf16(m.path)), "PATH")
        t.equal(sorted(os.listdir(m.wine.unix(P))), ["logs", "state"], "Program Files")
