"""The main job: install, verify, repair, upgrade, roll back, uninstall."""

import glob
import json
import os
import shlex
import threading
import time
import zipfile

import wine
from machine import DEFAULT_TREE, MEDIA, P, REGISTRY_ROOTS, TREE, Machine, differences

UNINSTALL_KEY = "HKEY_LOCAL_MACHINE\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\"
RENAMES_KEY = r"SYSTEM\CurrentControlSet\Control\Session Manager"


def manifest_of(machine):
    with open(machine.sample_file("*.json"), "rb") as file:
        return json.loads(file.read().decode("utf-8"))


def zip_hashes(machine):
    """{target with '\\': sha256} of the 31 files, computed here from the zip itself."""
    import hashlib
    hashes = {}
    with zipfile.ZipFile(machine.sample_file("*.zip")) as archive:
        names = {name.split("/", 1)[1]: name for name in archive.namelist() if not name.endswith("/")}
        for row in manifest_of(machine)["files"]:
            digest = hashlib.sha256()
            with archive.open(names[row["source"]]) as file:
                for block in iter(lambda: file.read(1 << 20), b""):
                    digest.update(block)
            hashes[row["target"].replace("/", "\\")] = digest.hexdigest()
    return hashes


def check_installed(t, m, before, hashes):
    """Every file's hash, nothing else in the tree changed, PATH and CUDA_PATH to the byte, the Apps & Features entry."""
    tree = m.wine.tree(m.tree)
    for target, digest in hashes.items():
        t.equal(tree.get(target, (0, 0, 0, None))[3], digest, "content of " + target)
    ours = set(hashes) | {name for name in tree if name.split("\\")[0] == ".cudnn-setup"}
    others = {name: row for name, row in tree.items() if name not in ours}
    t.equal(others, {name: row for name, row in before["tree"].items() if name not in ours}, "the toolkit's own files")
    entry = m.tree + "\\bin"
    t.equal(m.path_value(), (wine.REG_EXPAND_SZ, wine.utf16(entry + ";" + m.path)), "PATH")
    t.equal(m.wine.value("CUDA_PATH"), (wine.REG_SZ, wine.utf16(m.tree)), "CUDA_PATH")
    t.equal(m.wine.value("CUDA_PATH_V10_1"), (wine.REG_SZ, wine.utf16(m.tree)), "CUDA_PATH_V10_1")
    keys = [key for key in m.wine.registry([REGISTRY_ROOTS[1]]) if key.startswith(UNINSTALL_KEY + "cudnn-setup-")]
    t.equal(len(keys), 1, "Apps & Features entries of ours")


def check_entry(t, m, result):
    tree_id = result["tree"]["id"]
    values = m.wine.registry([REGISTRY_ROOTS[1]])[UNINSTALL_KEY + "cudnn-setup-" + tree_id]
    command = '"\\"C:\\\\Program Files\\\\cudnn-setup\\\\cudnn-setup.exe\\" /uninstall /tree:%s"' % tree_id
    t.equal(values.get('"UninstallString"'), command, "UninstallString")
    t.check('"8.0.3.33"' == values.get('"DisplayVersion"'), "DisplayVersion is 8.0.3.33")
    t.check("sample" in values.get('"DisplayName"', "").lower(), "the entry's name says sample")


def check_same(t, before, after, what):
    found = differences(before, after)
    t.check(not found, "%s: %s" % (what, "; ".join(found[:6])))


def case_lifecycle(t):
    """install, verify, damage, repair, install again, uninstall: tree and registry exactly as before"""
    with Machine(t) as m:
        hashes = zip_hashes(m)
        t.equal(len(hashes), 31, "files in the sample")
        before = m.snapshot()
        whole_before = m.registry(["HKLM\\Software"])

        heard, ready, stop = m.wine.out("heard"), m.wine.out("ready"), m.wine.out("stop")
        listener = m.wine.popen([m.wine.helper, "listen", heard, ready, stop])
        wine.wait_until(lambda: m.wine.exists(ready), 30, "the listener window")

        code, result, text = m.install()
        t.equal(code, 0, "install: " + text[-800:])
        t.equal(result["result"], "done", "result")
        t.equal(result["trust"]["kind"], "pinned", "trust")
        t.equal(result["trust"]["sample"], True, "the result says sample")
        t.equal(len(result["files"]), 31, "files in the result")
        t.equal(result["tree"]["path"], m.tree, "tree in the result")
        check_installed(t, m, before, hashes)
        check_entry(t, m, result)
        wine.wait_until(lambda: m.wine.exists(heard), 10, "the broadcast")
        t.equal(m.wine.text(heard).splitlines(), ["Environment"], "one broadcast, of the environment")
        t.check(m.wine.exists(P + "\\state\\" + result["tree"]["id"] + "\\head"), "the receipt is there")
        t.check(not m.wine.exists(P + "\\state\\" + result["tree"]["id"] + "\\journal"), "no journal is left")
        t.check(m.wine.exists(P + "\\cudnn-probe.exe"), "the programs are in Program Files")
        t.check(m.wine.exists(result["log"]), "the log that the result names is there")
        proof = result["proof"]
        t.check(str(proof.get("loading", "")).startswith("passed"), "stage 2 of the proof: %s" % proof)

        code, result, text = m.setup("/verify", "/quiet")
        t.equal(code, 0, "verify: " + text[-400:])
        code, result, _ = m.doctor("verify")
        t.equal(code, 0, "the doctor's verify")

        victim = m.wine.unix(m.tree + "\\bin\\cudnn_ops_infer64_8.dll")
        with open(victim, "r+b") as file:
            file.seek(100)
            byte = file.read(1)
            file.seek(100)
            file.write(bytes([byte[0] ^ 1]))
        code, result, _ = m.setup("/verify", "/quiet")
        t.equal(code, 13, "verify after one flipped bit")
        t.equal([f["target"] for f in result["files"] if f["state"] not in ("ok", "same")], ["bin/cudnn_ops_infer64_8.dll"],
                "the file that verify names")
        archive, manifest = m.add_archive()
        code, result, text = m.setup("/repair", "/quiet", "/archive:" + archive, "/selftest-as:current")
        t.equal(code, 0, "repair: " + text[-400:])
        check_installed(t, m, before, hashes)
        code, _, _ = m.setup("/verify", "/quiet")
        t.equal(code, 0, "verify after the repair")
        t.check("repair.kept" in [warning["id"] for warning in result["warnings"]], "the damaged file is kept, and said")
        code, result, text = m.setup("/forget", "/force", "/quiet")
        t.equal((code, result["result"]), (0, "done"), "what the repair kept aside is dropped on order: " + text[-400:])

        installed = m.snapshot()
        code, result, _ = m.install()
        t.equal((code, result["result"]), (0, "already"), "install again")
        check_same(t, installed, m.snapshot(), "install again changes nothing")

        code, result, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall: " + text[-400:])
        check_same(t, before, m.snapshot(), "after uninstall")
        t.equal(differences({"HKLM": whole_before}, {"HKLM": m.registry(["HKLM\\Software"])}), [], "all of HKLM\\Software")
        t.equal(sorted(os.listdir(m.wine.unix(P))), ["logs", "state"], "what stays in Program Files")
        t.equal(os.listdir(m.wine.unix(P + "\\state")), ["lock"], "what stays of the state")
        t.equal(m.wine.text(heard).splitlines(), ["Environment"] * len(m.wine.text(heard).splitlines()), "broadcasts are of the environment")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 1605, "uninstall with nothing installed")
        m.wine.make(stop)
        listener.wait(20)


def case_found_by_name(t):
    """a new process finds cudnn64_8.dll by bare name after the install, and only then"""
    with Machine(t) as m:
        def load():
            out = m.wine.out("load")
            m.wine.help("load", "cudnn64_8.dll", out)
            return m.wine.text(out)
        t.equal(load(), "error 126", "before the install")
        code, _, text = m.install()
        t.equal(code, 0, "install: " + text[-400:])
        t.equal(load().splitlines(), [m.tree + "\\bin\\cudnn64_8.dll", "version 8003"], "after the install")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall")
        t.equal(load(), "error 126", "after uninstall")


def case_over_older(t):
    """over a hand-copied 7.6: cudnn.h and cudnn.lib come back on rollback, to the byte, time and attribute"""
    with Machine(t) as m:
        m.add_old_cudnn()
        m.wine.help("attributes", m.tree + "\\include\\cudnn.h", "1")       # read-only
        m.wine.help("attributes", m.tree + "\\lib\\x64\\cudnn.lib", "22")   # hidden, archive
        os.utime(m.wine.unix(m.tree + "\\include\\cudnn.h"), (1500000000, 1500000000))
        before = m.snapshot()
        hashes = zip_hashes(m)
        for undo in ("/rollback", "/uninstall"):
            code, result, text = m.install()
            t.equal(code, 0, "install: " + text[-400:])
            check_installed(t, m, before, hashes)
            t.check(m.wine.exists(m.tree + "\\bin\\cudnn64_7.dll"), "7.6's own DLL stays")
            code, _, text = m.setup(undo, "/quiet")
            t.equal(code, 0, undo + ": " + text[-400:])
            check_same(t, before, m.snapshot(), "after " + undo)


def case_partly_right(t):
    """files that are already right are verified, never undone"""
    with Machine(t) as m:
        with zipfile.ZipFile(m.sample_file("*.zip")) as archive:
            for name in archive.namelist():
                if name.endswith((".h", "/cudnn64_8.dll")):
                    target = m.wine.unix(m.tree + "\\" + name.split("/", 1)[1].replace("/", "\\"))
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with open(target, "wb") as file:
                        file.write(archive.read(name))
        before = m.snapshot()
        code, result, text = m.install()
        t.equal(code, 0, "install: " + text[-400:])
        states = {f["target"]: f["state"] for f in result["files"]}
        t.equal(states.get("include/cudnn.h"), "same", "state of a file that was right")
        t.equal(states.get("bin/cudnn_adv_infer64_8.dll") in ("placed", "new"), True, "state of a new file")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall")
        check_same(t, before, m.snapshot(), "after uninstall")


def case_from_program_files(t):
    """uninstall by the Apps & Features command: what stays is exactly known, and gone after a restart"""
    with Machine(t, tree=DEFAULT_TREE) as m:
        before = m.snapshot()
        code, result, text = m.install()
        t.equal(code, 0, "install: " + text[-400:])
        code, _, text = m.wine.setup(P + "\\cudnn-setup.exe", "/uninstall", "/quiet", "/tree:" + result["tree"]["id"])
        t.equal(code, 0, "uninstall from Program Files: " + text[-400:])
        after = m.snapshot()
        left = m.wine.tree(P)
        olds = [name for name in left if wine.PARKED_COPY.match(name)]
        t.equal(len(olds), 1, "one renamed copy of the running program")
        t.equal(sorted(name for name in left if not name.startswith("logs\\") and name not in olds),
                ["logs", "state", "state\\lock"], "what else stays")
        renames = m.wine.value("PendingFileRenameOperations", RENAMES_KEY)
        wanted = "\\??\\" + P + "\\" + olds[0] + "\0\0\0" if olds else ""
        t.equal(renames, (wine.REG_MULTI_SZ, wanted.encode("utf-16-le")), "the delete at restart")
        t.equal(before["tree"], after["tree"], "tree")
        m.wine.restart()
        t.equal([name for name in m.wine.tree(P) if wine.PARKED_COPY.match(name)], [], "renamed copies after a restart")
        t.equal(m.wine.value("PendingFileRenameOperations", RENAMES_KEY), None, "delayed deletes after a restart")
        check_same(t, before, m.snapshot(), "after the restart")


def case_beside_the_program(t):
    """no archive named: the one beside the program is taken"""
    with Machine(t, media="C:\\Medien") as m:
        _, manifest = m.add_archive()
        code, result, text = m.setup("/quiet", "/manifest:" + manifest, "/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        t.equal(result["trust"]["kind"], "pinned", "trust")


def case_sample_needs_manifest(t):
    """the released program refuses a sample without its manifest"""
    with Machine(t) as m:
        archive, _ = m.add_archive()
        before = m.snapshot()
        code, result, _ = m.setup("/quiet", "/archive:" + archive)
        t.equal(code, 1620, "exit code")
        check_same(t, before, m.snapshot(), "after the refusal")
        t.check(not m.wine.exists(m.tree + "\\bin\\cudnn64_8.dll"), "nothing was placed")


def case_sealed(t):
    """seal a zip's manifest; a re-zipped copy then passes file by file, a changed one does not"""
    with Machine(t) as m:
        archive, manifest = m.add_archive()
        sealed = m.media + "\\sealed.json"
        code, _, text = m.doctor("seal", archive, "/manifest:" + manifest, "/out:" + sealed)
        t.equal(code, 0, "seal: " + text[-400:])
        again = m.media + "\\rezipped.zip"
        with zipfile.ZipFile(m.sample_file("*.zip")) as source, \
                zipfile.ZipFile(m.wine.unix(again), "w", zipfile.ZIP_DEFLATED) as target:
            for name in reversed(source.namelist()):
                if not name.endswith("/"):
                    target.writestr("other name/" + name.split("/", 1)[1], source.read(name))
        before = m.snapshot()
        code, result, text = m.setup("/quiet", "/archive:" + again, "/manifest:" + manifest, "/selftest:skip")
        t.equal(code, 1620, "a re-zipped copy under the pinned manifest")
        code, result, text = m.setup("/quiet", "/archive:" + again, "/manifest:" + sealed, "/selftest:skip")
        t.equal(code, 0, "a re-zipped copy under the sealed manifest: " + text[-400:])
        t.equal(result["trust"]["kind"], "sealed", "trust")
        t.equal(result["trust"]["manifest_sha256"], wine.sha256(m.wine.unix(sealed)), "the manifest that the trust rests on")
        check_installed(t, m, before, zip_hashes(m))
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall")
        changed = m.media + "\\changed.zip"
        with zipfile.ZipFile(m.wine.unix(again)) as source, zipfile.ZipFile(m.wine.unix(changed), "w") as target:
            for name in source.namelist():
                target.writestr(name, source.read(name) + (b"x" if name.endswith("cudnn.h") else b""))
        code, result, _ = m.setup("/quiet", "/archive:" + changed, "/manifest:" + sealed, "/selftest:skip")
        t.equal(code, 1620, "one changed file under the sealed manifest")
        t.check("cudnn.h" in result["message"], "the message names the file: " + result["message"])
        check_same(t, before, m.snapshot(), "after the refusal")


def case_unverified(t):
    """a copy that nothing vouches for: refused; taken only on the word, and then said everywhere"""
    with Machine(t) as m:
        again = m.media + "\\cudnn copy.zip"
        with zipfile.ZipFile(m.sample_file("*.zip")) as source, \
                zipfile.ZipFile(m.wine.unix(again), "w", zipfile.ZIP_DEFLATED) as target:
            for name in source.namelist():
                if not name.endswith("/"):
                    target.writestr(name, source.read(name))
        code, _, _ = m.setup("/quiet", "/archive:" + again, "/selftest:skip")
        t.equal(code, 1620, "without the word")
        code, result, text = m.setup("/quiet", "/archive:" + again, "/unverified:accept", "/selftest:skip")
        t.equal(code, 0, "with /unverified:accept: " + text[-600:])
        t.equal(result["trust"]["kind"], "unverified", "trust")
        values = m.wine.registry([REGISTRY_ROOTS[1]])[UNINSTALL_KEY + "cudnn-setup-" + result["tree"]["id"]]
        t.check("unverified copy" in values['"DisplayName"'], "the entry says so")
        code, _, text = m.doctor("status")
        t.check("unverified copy" in text, "status says so")


def case_dryrun(t):
    """/dryrun prints the plan and changes nothing at all"""
    with Machine(t) as m:
        before = m.snapshot()
        code, result, text = m.install("/dryrun")
        t.equal(code, 0, "exit code: " + text[-400:])
        check_same(t, before, m.snapshot(), "after the dry run")
        t.check(not m.wine.exists(P + "\\state"), "no state was made")
        t.equal({f["state"] for f in result["files"]}, {"new"}, "states of the rows")
        path = [v for v in result["registry"] if v["name"].lower() == "path"]
        t.equal(len(path), 1, "PATH in the plan")
        t.equal(path and path[0]["new"], m.tree + "\\bin;" + m.path, "PATH as it would be")


def case_two_trees(t):
    """two trees: each with its own receipts; /quiet uninstall must be told which"""
    second = "C:\\second\\v10.1"
    with Machine(t) as m:
        m.add_toolkit(second)
        before = m.snapshot()
        code, first, _ = m.install("/cuda:" + m.tree)
        t.equal(code, 0, "first tree")
        code, other, text = m.install("/cuda:" + second)
        t.equal(code, 0, "second tree: " + text[-400:])
        t.check(first["tree"]["id"] != other["tree"]["id"], "two ids")
        code, result, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 1639, "uninstall without a name")
        for one in (first, other):
            t.check(one["tree"]["id"] in result["message"], "the message names " + one["tree"]["id"])
        for one in (other, first):
            code, _, text = m.setup("/uninstall", "/quiet", "/tree:" + one["tree"]["id"])
            t.equal(code, 0, "uninstall of %s: %s" % (one["tree"]["path"], text[-300:]))
        check_same(t, before, m.snapshot(), "after both")


def peak_private(process, peaks, done):
    """Largest private memory of the process in kB, sampled every 5 ms: anonymous pages, as the kernel counts them."""
    while not done.is_set():
        try:
            with open("/proc/%d/status" % process.pid) as file:
                for line in file:
                    if line.startswith("RssAnon:"):
                        peaks.append(int(line.split()[1]))
        except OSError:
            return
        time.sleep(0.005)


def case_fullsize(t):
    """the full-size archive once: install, verify, uninstall; private memory below 64 MB"""
    t.sample("fullsize")
    with Machine(t, sample="fullsize") as m:
        before = m.snapshot()
        archive, manifest = m.add_archive()
        result_path = m.wine.out("result") + ".json"
        started = time.monotonic()
        process = m.wine.popen([m.setup_exe, "/quiet", "/archive:" + archive, "/manifest:" + manifest, "/selftest:skip",
                                "/json:" + result_path])
        peaks, done = [0], threading.Event()
        watcher = threading.Thread(target=peak_private, args=(process, peaks, done))
        watcher.start()
        code = process.wait(600)
        seconds = time.monotonic() - started
        done.set()
        watcher.join()
        t.equal(code, 0, "install")
        size = os.path.getsize(m.sample_file("*.zip"))
        t.say("%d MB zipped, installed in %.1f s, peak private memory %.1f MB" % (size >> 20, seconds, max(peaks) / 1024))
        t.check(size > 250 << 20, "the archive is full size: %d bytes" % size)
        t.check(len(peaks) > 10, "memory was sampled: %d times" % len(peaks))
        t.check(max(peaks) < 64 * 1024, "peak private memory %d kB is below 64 MB" % max(peaks))
        check_installed(t, m, before, zip_hashes(m))
        code, _, _ = m.setup("/verify", "/quiet", timeout=300)
        t.equal(code, 0, "verify")
        code, _, _ = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall")
        check_same(t, before, m.snapshot(), "after uninstall")


def documented_commands():
    """The command lines of docs/deployment.md, in order: [(program, [argument])]."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "deployment.md")
    with open(path, encoding="utf-8") as file:
        blocks = file.read().split("```")[1::2]
    return [(words[0], words[1:]) for words in (shlex.split(line, posix=False) for line in "".join(blocks).splitlines() if line)]


def case_deployment(t):
    """the command lines of docs/deployment.md, in their order, with the sample in the package's place"""
    expected = {"/install": "done", "/verify": "done", "verify": "done", "/repair": "already", "/rollback": "done",
                "/uninstall": "done"}
    seen = []
    with Machine(t, media="C:\\package") as m:
        archive, manifest = m.add_archive()
        os.link(m.wine.unix(archive), m.wine.unix("C:\\package\\cudnn-10.1-windows10-x64-v8.0.3.33.zip"))
        before = m.snapshot()
        for program, arguments in documented_commands():
            if arguments[0] == "/uninstall":    # the rollback before it has undone the only level
                t.equal(m.install("/selftest:skip")[0], 0, "installed again")
            more = ["/manifest:" + manifest] if arguments[0] in ("/install", "/repair") else []
            more += ["/selftest:skip"] if more else []
            program = program.strip('"') if ":" in program else "C:\\package\\" + program
            code, result, text = m.wine.setup(program, *([word for word in arguments if not word.startswith("/json:")] + more))
            t.equal((code, result["result"]), (0, expected[arguments[0]]), "%s: %s" % (" ".join(arguments), text[-300:]))
            seen.append(arguments[0])
        t.equal(seen, list(expected), "every command of the page")
        m.wine.restart()    # what ran from Program Files goes with it
        check_same(t, before, m.snapshot(), "as before, after a restart")
