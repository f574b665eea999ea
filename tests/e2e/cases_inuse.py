"""Programs that hold the target's DLLs: named with process, program and module, left alone, and worked around only on request."""

import hashlib
import json
import os
import zipfile

import wine
from machine import Machine
from state import Picture, Store, differences, write_times

SHIM = "bin\\cudnn64_8.dll"
OPS = "bin\\cudnn_ops_infer64_8.dll"
CNN = "bin\\cudnn_cnn_infer64_8.dll"


class Holder:
    """A program that holds DLLs of the tree until it is told to end."""

    def __init__(self, m, *targets):
        self.m, self.ready, self.stop = m, m.wine.out("ready"), m.wine.out("stop")
        self.modules = sorted(m.tree + "\\" + target for target in targets)
        self.process = self.start()
        wine.wait_until(lambda: m.wine.exists(self.ready), 60, "the holder")
        self.pid = int(m.wine.text(self.ready))

    name = "e2e_helper.exe"

    def start(self):
        return self.m.wine.popen([self.m.wine.helper, "hold", "|".join(self.modules), self.ready, self.stop])

    def rows(self):
        return [(self.pid, self.name, module.lower()) for module in self.modules]

    def end(self):
        self.m.wine.make(self.stop)
        self.process.wait(30)

    def kill(self):
        wine.kill(self.process)


class NodeHolder(Holder):
    """The same by a program of others, which finds cuDNN by its name."""

    name = "node.exe"

    def start(self):
        return self.m.wine.popen(["C:\\node\\node.exe", "C:\\node\\client.js", "C:\\node\\koffi", self.m.wine.out("said"), self.ready,
                                  self.stop])


class Watched:
    """A machine with the means to compare whole states."""

    def __init__(self, t, m):
        self.t, self.m = t, m
        self.store = Store(m, m.wine.root + "-states")

    def picture(self):
        return Picture(self.store, self.store.look())

    def same(self, expected, what, records=True):
        found = differences(expected, self.picture(), write_times(expected.state), records)
        self.t.check(not found, "%s: %s" % (what, "; ".join(found[:5])))

    def run(self, words, expected, what):
        code, result, text = self.m.setup(*words, "/quiet")
        self.t.equal(code, expected, "%s: exit code: %s" % (what, text[-400:]))
        return result

    def named(self, result, holders, what):
        """Each holder in /json, in the log and in the words for people."""
        rows = sorted((row["pid"], row["name"], row["module"].lower()) for row in result["in_use"])
        self.t.equal(rows, sorted(row for holder in holders for row in holder.rows()), what + ": in_use")
        log = self.m.wine.text(result["log"])
        words = result["message"] + " ".join(warning["text"] for warning in result["warnings"])
        for holder in holders:
            self.t.check("%s (process %d)" % (holder.name, holder.pid) in words, "%s: named to people: %s" % (what, words))
            self.t.check(any(os.path.basename(module.replace("\\", "/")) in words for module in holder.modules),
                         "%s: with a module: %s" % (what, words))
            for module in holder.modules:
                line = "%s (process %d) holds %s" % (holder.name, holder.pid, module)
                self.t.check(line.lower() in log.lower(), "%s: in the log: %s" % (what, line))

    def refused(self, words, holders, what):
        """The default, the word for it and a dry run: 1603, all are named, nothing changes."""
        before = self.picture()
        for more in ((), ("/inuse:fail",), ("/dryrun",)):
            result = self.run(list(words) + list(more), 1603, "%s %s" % (what, " ".join(more)))
            self.named(result, holders, "%s %s" % (what, " ".join(more)))
            self.same(before, "%s %s: nothing changed" % (what, " ".join(more)))
        self.t.check("nothing was changed" in result["message"].lower(), what + ": and it is said: " + result["message"])

    def aside(self, words, holders, what):
        result = self.run(list(words) + ["/inuse:aside"], 0, what + " /inuse:aside")
        self.named(result, holders, what + " /inuse:aside")
        self.t.check("in-use.aside" in [warning["id"] for warning in result["warnings"]], what + ": the warning")


def install_words(archive, manifest):
    return ["/install", "/archive:" + archive, "/manifest:" + manifest, "/selftest:skip"]


def add_variant(m):
    """Another package of the same kind, with other bytes in every file, and its pinned manifest."""
    archive, manifest = m.media + "\\cudnn-variant.zip", m.media + "\\cudnn-variant.json"
    with zipfile.ZipFile(m.sample_file("*.zip")) as source, zipfile.ZipFile(m.wine.unix(archive), "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            if not name.endswith("/"):
                target.writestr(name, source.read(name) + (b"\n" if name.endswith((".h", ".txt")) else b"\0" * 16))
    with open(m.wine.unix(archive), "rb") as file:
        data = file.read()
    with open(m.sample_file("*.json"), "rb") as file:
        value = json.loads(file.read().decode("utf-8"))
    value["archive"] = {"names": ["cudnn-variant.zip"], "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    with open(m.wine.unix(manifest), "w", encoding="utf-8") as file:
        json.dump(value, file)
    return archive, manifest


def add_older_8(m):
    """A DLL that somebody put under the name of ours long ago; it can be loaded."""
    m.add_old_cudnn()
    os.rename(m.wine.unix(m.tree + "\\bin\\cudnn64_7.dll"), m.wine.unix(m.tree + "\\" + SHIM))


def case_in_use(t):
    """install over, repair, rollback, uninstall while the DLLs are held: named, refused, or gone under and cleaned up later"""
    with Machine(t) as m:
        add_older_8(m)
        w = Watched(t, m)
        first, second = install_words(*m.add_archive()), install_words(*add_variant(m))
        before = w.picture()

        holder = Holder(m, SHIM)
        w.refused(first, [holder], "install")
        w.aside(first, [holder], "install")
        holder.end()
        w.run(["/verify"], 0, "verify after the install")
        level_1 = w.picture()

        holder = Holder(m, SHIM, OPS)
        w.refused(second, [holder], "install over ours")
        w.aside(second, [holder], "install over ours")
        holder.end()
        w.run(["/verify"], 0, "verify after the second install")

        damage = m.wine.unix(m.tree + "\\" + CNN)
        os.unlink(damage)
        with open(damage, "wb") as file:
            file.write(b"damaged")
        holder = Holder(m, SHIM)
        repair = ["/repair", "/archive:" + m.media + "\\cudnn-variant.zip"]
        w.refused(repair, [holder], "repair")
        w.aside(repair, [holder], "repair")
        w.run(["/verify"], 0, "verify after the repair")
        w.run(["/forget", "/force"], 0, "drop the damaged file that the repair kept aside")
        w.refused(["/rollback"], [holder], "rollback")
        w.aside(["/rollback"], [holder], "rollback")
        w.run(["/verify"], 0, "verify after the rollback")
        holder.end()
        w.run(["/recover"], 0, "a later run")
        w.same(level_1, "a later run drops what was held during the rollback", records=False)

        holder = Holder(m, SHIM, OPS)
        w.refused(["/uninstall"], [holder], "uninstall")
        w.aside(["/uninstall"], [holder], "uninstall")
        t.check(m.wine.exists(m.tree + "\\.cudnn-setup"), "what is held is still there")
        w.run(["/recover"], 0, "a run while it is held")
        t.check(m.wine.exists(m.tree + "\\.cudnn-setup"), "and still there")
        holder.end()
        w.run(["/recover"], 0, "a run after the holder's end")
        w.same(before, "after uninstall and the holder's end")


def case_in_use_many(t):
    """several programs with several DLLs each; one ends in between and is not named any more"""
    with Machine(t) as m:
        w = Watched(t, m)
        before = w.picture()
        w.run(install_words(*m.add_archive()), 0, "install")
        holders = [Holder(m, SHIM, OPS, CNN), Holder(m, OPS), Holder(m, SHIM)]
        w.refused(["/uninstall"], holders, "three holders")
        holders.pop(0).kill()
        w.refused(["/uninstall"], holders, "one was killed")
        holders.pop(0).end()
        w.refused(["/uninstall"], holders, "one has ended")
        holders.pop().end()
        result = w.run(["/uninstall"], 0, "all have ended")
        t.equal(result["in_use"], [], "in_use after that")
        w.same(before, "after uninstall")


def case_in_use_elsewhere(t):
    """a DLL of the same name from another folder holds up nothing"""
    with Machine(t) as m:
        w = Watched(t, m)
        w.run(install_words(*m.add_archive()), 0, "install")
        m.wine.make("C:\\elsewhere")
        m.wine.put(m.wine.unix(m.tree + "\\" + OPS), "C:\\elsewhere\\cudnn_ops_infer64_8.dll")
        ready, stop = m.wine.out("ready"), m.wine.out("stop")
        other = m.wine.popen([m.wine.helper, "hold", "C:\\elsewhere\\cudnn_ops_infer64_8.dll", ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 60, "the holder")
        result = w.run(["/uninstall"], 0, "uninstall")
        t.equal(result["in_use"], [], "in_use")
        m.wine.make(stop)
        other.wait(30)


def case_node_client(t):
    """node.exe with koffi: finds cudnn64_8.dll by name after the install only, calls it, and is named as its holder"""
    if not t.options.clients:
        t.skip(t.options.no_clients or "no --clients")
    with Machine(t) as m:
        for folder, _, files in os.walk(t.options.clients):
            for name in files:
                if not name.endswith((".tgz", ".log")):
                    target = os.path.join(m.wine.make("C:\\node"), os.path.relpath(os.path.join(folder, name), t.options.clients))
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    os.symlink(os.path.join(folder, name), target)
        m.wine.put(os.path.join(os.path.dirname(os.path.abspath(__file__)), "client.js"), "C:\\node\\client.js")

        def said():
            out = m.wine.out("said")
            m.wine.popen(["C:\\node\\node.exe", "C:\\node\\client.js", "C:\\node\\koffi", out]).wait(60)
            return m.wine.text(out)

        w = Watched(t, m)
        before = w.picture()
        t.check(said().startswith("error: "), "before the install: " + said())
        w.run(install_words(*m.add_archive()), 0, "install")
        t.equal(said(), "version 8003", "after the install")
        holder = NodeHolder(m, SHIM)
        w.refused(["/uninstall"], [holder], "uninstall while node.exe holds it")
        w.aside(["/uninstall"], [holder], "uninstall while node.exe holds it")
        t.check(said().startswith("error: "), "after uninstall: " + said())
        holder.end()
        w.run(["/recover"], 0, "a later run")
        w.same(before, "after uninstall and node's end")
