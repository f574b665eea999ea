"""Whole states of a sample machine: kept, put back within a second, and compared.

A state is the CUDA tree, Program Files\\cudnn-setup (but its logs) and the registry. Files are kept as hard links, so that a state of
700 MB costs nothing and files keep their identity, which interrupted work is decided by. The programs rename and delete files
but write into none of those, and Store.check says at the end whether that was so."""

import hashlib
import json
import os
import re
import shutil
import stat

import wine
from machine import P, REGISTRY_ROOTS

BULK = ".cudnn-setup"
VARIES = ("id", "created", "accessed", "written", "time", "txid")   # of records: differ from one run to the next
SMALL = 1 << 20
RECOVERY = "cudnn-setup-recover"
SERVICE = "HKEY_LOCAL_MACHINE\\System\\CurrentControlSet\\Services\\" + RECOVERY
SESSION_MANAGER = "HKEY_LOCAL_MACHINE\\System\\CurrentControlSet\\Control\\Session Manager"
RECORDS = ("journal", "committed", "undone")


class Entry:
    """One file or folder: what must come back, and its inode."""

    def __init__(self, path, info, sha):
        self.folder = stat.S_ISDIR(info.st_mode)
        self.mode, self.inode, self.changed = stat.S_IMODE(info.st_mode), info.st_ino, info.st_ctime_ns
        self.size, self.modified, self.sha = (0, 0, None) if self.folder else (info.st_size, info.st_mtime_ns, sha)
        self.written = self.modified // 100   # what Windows programs see and give back
        try:
            self.attributes = os.getxattr(path, "user.DOSATTRIB")   # where Wine keeps hidden and system
        except OSError:
            self.attributes = b""


class State:
    def __init__(self, roots, registry):
        self.roots, self.registry = roots, registry   # {"tree" or "programs": {relative name: Entry}}, {key: {name: text}}

    def head(self):
        """The newest record's name and bytes' hash: tells whether anything was committed since."""
        return {name: entry.sha for name, entry in self.roots["programs"].items() if name.endswith("/head")}

    def records(self):
        return sorted({name.rsplit("/", 1)[-1] for name in self.roots["programs"]} & {*RECORDS, "intent", "journal.tmp"})


class Store:
    """Keeps states of one machine below a folder on the same disk as its prefix."""

    def __init__(self, m, folder):
        self.m, self.folder = m, folder
        self.hashes = {}    # (inode, size, last write): sha256
        self.kept = {}      # inode: (path in the store, sha256)
        self.known = None   # the registry as it is now, where somebody has just looked
        shutil.rmtree(folder, ignore_errors=True)   # of a run that failed
        os.makedirs(folder)

    def root(self, name):
        return self.m.wine.unix(self.m.tree if name == "tree" else P)

    # ---- looking ----

    def sha(self, path, info):
        key = info.st_ino, info.st_size, info.st_mtime_ns
        if key not in self.hashes:
            self.hashes[key] = wine.sha256(path)
        return self.hashes[key]

    def walk(self, name, hashing=True):
        found, root = {}, self.root(name)
        for folder, folders, files in os.walk(root):
            relative = os.path.relpath(folder, root)
            if name == "programs" and relative == ".":
                folders[:] = [one for one in folders if one != "logs"]
            for one in folders + files:
                path = os.path.join(folder, one)
                info = os.lstat(path)
                sha = self.sha(path, info) if hashing and stat.S_ISREG(info.st_mode) else None
                found[os.path.normpath(os.path.join(relative, one))] = Entry(path, info, sha)
        return found

    def look(self, registry=True):
        """The machine's state now. Files whose inode, size and time are known are not read again."""
        return State({name: self.walk(name) for name in ("tree", "programs")}, self.m.registry(REGISTRY_ROOTS) if registry else None)

    def fingerprint(self):
        """Changes with anything that is written, renamed, made or deleted, whatever it is put back to."""
        return {name: {one: (entry.inode, entry.changed, entry.size) for one, entry in self.walk(name, False).items()}
                for name in ("tree", "programs")}

    # ---- keeping and putting back ----

    def keep(self):
        state = self.look()
        for name, entries in state.roots.items():
            for one, entry in entries.items():
                if not entry.folder and entry.inode not in self.kept:
                    path = os.path.join(self.folder, "%d" % len(self.kept))
                    os.link(os.path.join(self.root(name), one), path)
                    self.kept[entry.inode] = path, entry.sha
        return state

    def put_back(self, state):
        for name, entries in state.roots.items():
            self.put_back_root(self.root(name), entries)
        shutil.rmtree(os.path.join(self.root("programs"), "logs"), ignore_errors=True)
        if not state.roots["programs"] and os.path.isdir(self.root("programs")):
            os.rmdir(self.root("programs"))
        self.put_back_registry(state.registry)

    def put_back_root(self, root, entries):
        for folder, folders, files in os.walk(root, topdown=False):
            for one in files + folders:
                path = os.path.join(folder, one)
                wanted = entries.get(os.path.relpath(path, root))
                info = os.lstat(path)
                if stat.S_ISDIR(info.st_mode):
                    if (not wanted or not wanted.folder) and not os.listdir(path):
                        os.rmdir(path)
                elif not wanted or wanted.inode != info.st_ino:
                    os.unlink(path)
        for one, entry in sorted(entries.items()):   # folders come before what is in them
            path = os.path.join(root, one)
            if entry.folder:
                os.makedirs(path, exist_ok=True)
                os.chmod(path, entry.mode)
            elif not os.path.lexists(path):
                os.link(self.kept[entry.inode][0], path)
            if not entry.folder:
                self.expect_unchanged(path, entry)

    def expect_unchanged(self, path, entry):
        """What a run changed in a kept file would come back changed: then the harness cannot be believed."""
        info = os.lstat(path)
        os.chmod(path, entry.mode)
        os.utime(path, ns=(info.st_atime_ns, entry.modified))
        if info.st_size != entry.size or (entry.size < SMALL and wine.sha256(path) != entry.sha):
            raise AssertionError("a kept file was written to: " + path)

    def put_back_registry(self, wanted):
        """By a .reg file of the differences; what it cannot do is found by looking again. The service manager keeps its own list of
        services, so it makes and deletes ours."""
        actual, self.known = self.known or self.m.registry(REGISTRY_ROOTS), None
        if (SERVICE in actual) != (SERVICE in wanted):
            self.m.wine.run(["sc", "delete", RECOVERY] if SERVICE in actual else
                            ["sc", "create", RECOVERY, "binPath=", "C:\\x.exe", "start=", "auto"])
            actual = self.m.registry(REGISTRY_ROOTS)
        text = registry_edit(actual, wanted)
        if not text:
            return
        path = self.m.wine.out("back") + ".reg"
        with open(self.m.wine.unix(path), "wb") as file:
            file.write(b"\xff\xfe" + text.encode("utf-16-le"))
        code, said = self.m.wine.run(["reg", "import", path])
        left = registry_edit(self.m.registry(REGISTRY_ROOTS), wanted)
        if code or left:
            raise AssertionError("the registry could not be put back: %s %s" % (said, left))

    def check(self):
        """Names of kept files whose bytes are not what they were."""
        return [path for path, sha in self.kept.values() if wine.sha256(path) != sha]


def registry_edit(actual, wanted):
    lines = []
    for key in sorted(set(actual) | set(wanted)):
        have, want = actual.get(key, {}), wanted.get(key)
        if want is None:
            lines += ["", "[-%s]" % key]
        elif key not in actual or have != want:
            lines += ["", "[%s]" % key] + ["%s=-" % name for name in have if name not in want]
            lines += ["%s=%s" % (name, value) for name, value in want.items() if have.get(name) != value]
    return "\r\n".join(["Windows Registry Editor Version 5.00"] + lines + [""]) if lines else ""


# ---- comparing ----

def plain_record(value):
    """A record or status file without what differs from one run to the next."""
    if isinstance(value, dict):
        return {name: plain_record(one) for name, one in value.items() if name not in VARIES}
    return [plain_record(one) for one in value] if isinstance(value, list) else value


class Picture:
    """A state with the transactions' random names replaced by the order in which the head's receipts have them."""

    def __init__(self, store, state):
        self.state = state
        self.names = {}
        for name in state.head():
            with open(os.path.join(store.root("programs"), name), "rb") as file:
                value = json.loads(file.read().decode("utf-8"))
            for text in json.dumps(value["stack"]), json.dumps(value):
                for txid in re.findall(r'"txid": "([0-9a-f]{32})"', text):
                    self.names.setdefault(txid, "<transaction %d>" % len(self.names))
        self.roots = {root: {self.rename(one): entry for one, entry in entries.items()} for root, entries in state.roots.items()}
        self.records = {self.rename(one): self.record(os.path.join(store.root("programs"), one))
                        for one in state.roots["programs"] if one.endswith(("/head", ".json"))}

    def rename(self, text):
        for txid, name in self.names.items():
            text = text.replace(txid, name)
        return text

    def record(self, path):
        with open(path, "rb") as file:
            value = json.loads(self.rename(file.read().decode("utf-8")))
        value.pop("sha256", None)   # of the record itself
        return plain_record(value)


def take_out_parked(state):
    """Takes the renamed copies of a program that removed itself out of a state, and what the registry says about them. Returns the
    copies that nothing would remove at the next start of Windows: there must be none."""
    programs = state.roots["programs"]
    copies = [name for name in programs if wine.PARKED_COPY.match(name)]
    for name in copies:
        del programs[name]
    said = state.registry.get(SESSION_MANAGER, {}).pop('"PendingFileRenameOperations"', "hex(7):")
    text = bytes.fromhex(said.partition(":")[2].replace(",", "")).decode("utf-16-le")
    return [name for name in copies if name not in text]


OPTIONAL = ("state", "state/lock")   # of Program Files\cudnn-setup: made by the first run and never removed


def differences(expected, actual, times, records=True):
    """What differs between two pictures; records: also in what the newest transaction was. times: the last write times of files that were there at the start, by hash: such a file has
    to keep its time wherever it ends; one that a run wrote itself has its own."""
    found = []
    for root in expected.roots:
        for name in sorted(set(expected.roots[root]) | set(actual.roots[root])):
            want, have = expected.roots[root].get(name), actual.roots[root].get(name)
            if root == "programs" and name in OPTIONAL:
                continue
            if not want or not have:
                found.append("%s/%s is %s" % (root, name, "there" if have else "not there"))
                continue
            by_text = root == "programs" and name in expected.records
            for what in ("folder", "mode", "attributes") + (() if by_text else ("size", "sha")):
                if getattr(want, what) != getattr(have, what):
                    found.append("%s/%s: %s %s, not %s" % (root, name, what, getattr(have, what), getattr(want, what)))
            if want.written in times.get(want.sha, ()) and have.written != want.written and root == "tree":
                found.append("%s/%s: another time" % (root, name))
    for name, record in expected.records.items() if records else ():
        if actual.records.get(name) != record:
            found.append("%s: %s" % (name, first_difference(record, actual.records.get(name))))
    edit = registry_edit(actual.state.registry, expected.state.registry)
    if edit:
        found.append("registry: " + " ".join(edit.split("\r\n")[1:]))
    return found


def first_difference(want, have, path=""):
    if isinstance(want, dict) and isinstance(have, dict):
        for name in sorted(set(want) | set(have)):
            if want.get(name) != have.get(name):
                return first_difference(want.get(name), have.get(name), path + "/" + name)
    if isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for index, (one, other) in enumerate(zip(want, have)):
            if one != other:
                return first_difference(one, other, "%s/%d" % (path, index))
    return "%s is %s, must be %s" % (path, str(have)[:200], str(want)[:200])


def write_times(*states):
    times = {}
    for state in states:
        for entry in state.roots["tree"].values():
            if not entry.folder:
                times.setdefault(entry.sha, set()).add(entry.written)
    return times
