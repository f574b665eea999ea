"""What people do between two runs: the real programs answer sensibly, lose nothing and say what to do next."""

import os
import shutil

import wine
from machine import P, TREE, Machine
from cases_install import check_same

STATE = P + "\\state"


def head_of(m, tree_id):
    return m.wine.unix("%s\\%s\\head" % (STATE, tree_id))


def write(path, data):
    """As an editor does it: a new file under the name."""
    os.unlink(path)
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def warned(result, name):
    return name in [warning["id"] for warning in result["warnings"]]


def has(t, result, words, what):
    text = result["message"] + " ".join(warning["text"] for warning in result["warnings"])
    for word in words:
        t.check(word in text, "%s: '%s' is said: %s" % (what, word, text[:700]))


def case_between_records(t):
    """one tree's record is damaged: that tree waits and says the way out, the other one goes on, giving up keeps the record"""
    with Machine(t) as m:
        second = "C:\\second\\v10.1"
        m.add_toolkit(second)
        before_second = m.wine.tree(second)
        code, first, text = m.install("/selftest:skip")
        t.equal(code, 0, "first tree: " + text[-300:])
        code, other, text = m.install("/selftest:skip", "/cuda:" + second)
        t.equal(code, 0, "second tree: " + text[-300:])
        one, two = first["tree"]["id"], other["tree"]["id"]
        head = head_of(m, one)
        whole = read(head)
        installed = m.wine.tree(m.tree)

        write(head, b"")
        for verb in ("/uninstall", "/rollback", "/repair", "/verify", "/forget"):
            code, result, _ = m.setup(verb, "/quiet", "/tree:" + one)
            t.equal(code, 1604, verb + " of the damaged one")
            has(t, result, ["\\head", "/forget /force /tree:" + one, "Nothing was changed"], verb)
        code, result, _ = m.setup("/recover", "/quiet")
        t.equal(code, 1604, "/recover")
        has(t, result, ["/forget /force /tree:" + one], "/recover")
        code, result, _ = m.install("/selftest:skip", "/cuda:" + m.tree)
        t.equal(code, 1604, "installing into the damaged one")
        code, _, text = m.doctor("status")
        t.equal(code, 1604, "status")
        t.check(one in text and second in text, "status shows both: " + text[-600:])
        code, result, _ = m.setup("/verify", "/quiet", "/tree:" + two)
        t.equal(code, 0, "verify of the other one")
        t.check(warned(result, "state.unreadable"), "with a warning")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 1639, "uninstall of nobody knows which")
        code, _, text = m.setup("/uninstall", "/quiet", "/tree:" + two)
        t.equal(code, 0, "uninstall of the other one: " + text[-300:])
        t.equal(m.wine.tree(second), before_second, "the other tree is as before")
        t.equal(m.wine.tree(m.tree), installed, "the first tree was not touched")
        t.check(m.wine.exists(P + "\\cudnn-setup.exe"), "the programs stay for it")

        code, result, text = m.setup("/forget", "/force", "/quiet", "/tree:" + one)
        t.equal(code, 0, "giving the record up: " + text[-300:])
        aside = m.wine.unix("%s\\given-up\\%s-00\\head" % (STATE, one))
        t.equal(read(aside), b"", "the record is kept")
        t.equal(m.wine.tree(m.tree), installed, "and the tree is as it was")
        code, _, _ = m.setup("/recover", "/quiet")
        t.equal(code, 0, "/recover has nothing in its way")

        folder = os.path.dirname(head)
        os.makedirs(folder, exist_ok=True)
        write(aside, whole)
        os.rename(aside, head)
        os.rename(os.path.join(os.path.dirname(aside), "manifests"), os.path.join(folder, "manifests"))
        code, _, text = m.setup("/verify", "/quiet")
        t.equal(code, 0, "brought back from a backup, it is known again: " + text[-300:])
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "and can be uninstalled")
        t.equal(m.path_value(), (wine.REG_EXPAND_SZ, wine.utf16(m.path)), "PATH")


def case_between_planted(t):
    """a finished journal is put back: nothing is undone by it"""
    with Machine(t) as m:
        m.add_old_cudnn()
        code, result, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-300:])
        head = head_of(m, result["tree"]["id"])
        journal = os.path.join(os.path.dirname(head), "journal")
        installed = m.snapshot()
        shutil.copyfile(head, journal)
        for verb in ("/recover", "/uninstall", "/repair"):
            code, result, _ = m.setup(verb, "/quiet")
            t.equal(code, 1604, verb)
            has(t, result, ["\\journal", "finished"], verb)
        check_same(t, installed, m.snapshot(), "nothing was touched")
        os.unlink(journal)
        code, _, _ = m.setup("/recover", "/quiet")
        t.equal(code, 0, "with the journal moved away")


def case_between_files(t):
    """an edited file is kept by repair and uninstall; names come back as they were spelled; PATH edits stay"""
    with Machine(t) as m:
        m.add_old_cudnn()
        os.makedirs(m.wine.unix(m.tree + "\\bin"), exist_ok=True)
        with open(os.path.join(m.wine.unix(m.tree + "\\bin"), "CUDNN64_8.DLL"), "wb") as file:
            file.write(b"an old one, in capitals")
        before = m.snapshot()
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-300:])
        t.check("cudnn64_8.dll" in os.listdir(m.wine.unix(m.tree + "\\bin")), "the new one has the package's spelling")
        header = m.wine.unix(m.tree + "\\include\\cudnn.h")
        write(header, b"my own edit")
        code, result, text = m.setup("/repair", "/quiet")
        t.equal(code, 0, "repair: " + text[-300:])
        t.check(warned(result, "repair.kept"), "the edit is kept, and said")
        code, _, text = m.doctor("status")
        t.check("cudnn.h" in text and ".cudnn-setup" in text, "status names it: " + text[-600:])
        code, result, _ = m.setup("/forget", "/force", "/dryrun", "/quiet")
        t.equal(code, 0, "forget, dry")
        has(t, result, ["would be dropped"], "forget, dry")
        code, _, _ = m.setup("/forget", "/force", "/quiet")
        t.equal(code, 0, "forget")
        write(header, b"edited again")
        edited = "C:\\mine;" + m.tree + "\\bin;" + m.path
        m.wine.set_value("PATH", wine.REG_EXPAND_SZ, wine.utf16(edited))
        code, result, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall: " + text[-300:])
        t.equal(read(header), b"edited again", "the edited header stays")
        t.equal(m.path_value(), (wine.REG_EXPAND_SZ, wine.utf16("C:\\mine;" + m.path)), "only our entry goes")
        t.check("CUDNN64_8.DLL" in os.listdir(m.wine.unix(m.tree + "\\bin")), "the old one comes back in capitals")
        after = m.snapshot()
        t.equal(after["tree"].get("bin\\CUDNN64_8.DLL"), before["tree"].get("bin\\CUDNN64_8.DLL"), "and is the old one")


def case_between_trees(t):
    """the tree is copied back to its path, or moved: verify, uninstall and install say what they can do and what not"""
    with Machine(t) as m:
        m.add_old_cudnn()
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-300:])
        tree, elsewhere = m.wine.unix(m.tree), m.wine.unix("C:\\") + "/elsewhere"
        os.rename(tree, elsewhere)
        code, result, _ = m.setup("/verify", "/quiet")
        t.equal(code, 13, "verify of a tree that is gone")
        has(t, result, ["gone"], "verify of a tree that is gone")
        code, result, _ = m.setup("/rollback", "/quiet")
        t.equal(code, 1603, "rollback of a tree that is gone")

        shutil.copytree(elsewhere, tree)
        code, result, _ = m.setup("/verify", "/quiet")
        t.equal(code, 13, "verify of a copy")
        has(t, result, ["another folder", "Install again"], "verify of a copy")
        code, result, _ = m.setup("/repair", "/quiet")
        t.equal(code, 1603, "repair of a copy")
        there = m.wine.tree(m.tree)
        code, result, _ = m.setup("/uninstall", "/quiet", "/dryrun")
        t.equal(code, 0, "uninstall of a copy, dry")
        has(t, result, ["no file would be removed"], "uninstall of a copy, dry")
        code, result, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall of a copy")
        has(t, result, ["no file was removed", "somebody else's"], "uninstall of a copy")
        now = m.wine.tree(m.tree)
        t.equal({name: row for name, row in now.items() if ".cudnn-setup" not in name},
                {name: row for name, row in there.items() if ".cudnn-setup" not in name}, "its files stay")


def case_between_lost(t):
    """P\\state is deleted: said by name, and installing again says what it found"""
    with Machine(t) as m:
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-300:])
        shutil.rmtree(m.wine.unix(STATE))
        for verb in ("/verify", "/uninstall"):
            code, result, _ = m.setup(verb, "/quiet")
            t.equal(code, 1605, verb)
            t.check(warned(result, "state.lost") or verb != "/verify", verb + " tells of the record that is gone")
        code, result, text = m.install("/selftest:skip")
        t.equal(code, 0, "install again: " + text[-300:])
        t.check(warned(result, "files.found"), "the files were found, not placed: %s" % result["warnings"])
