"""What is told: /status, /dryrun and the messages of bad command lines, held against what is there and what then happens."""

import os
import re

import wine
from cases_install import check_same
from machine import P, TREE, Machine

# What no output may hold: a colon behind a colon, numbers that do not fit their noun, the names of calls.
CLUMSY = (r"::", r"\b0 (?:file|value|byte|older|environment)", r"\b1 (?:files|values|bytes|levels)\b", r"^(?:look|choose|plan PATH|stat|info): ",
          r"means nothing", r"\b[Cc]annot \w+: [Cc]annot", r"\.\.$", r"\(null\)")
RTL = "\u202e"


def check_wording(t, text, what):
    lines = text.replace("\r", "").splitlines()
    clumsy = [line for line in lines if any(re.search(pattern, line) for pattern in CLUMSY)]
    t.equal(clumsy, [], what + ": clumsy lines")


def counts(files):
    found = {}
    for row in files:
        found[row["state"]] = found.get(row["state"], 0) + 1
    return found


def told(effect):
    return {name: effect[name] for name in ("removed", "restored", "same", "kept", "missing") if effect[name]}


def check_installation(t, m, result, text):
    """One installation over an older cuDNN: everything that is known of it."""
    t.equal(len(result["installations"]), 1, "one installation")
    one = result["installations"][0]
    receipt = one["receipts"][0]
    t.equal((one["path"], one["folder"], one["id"]), (TREE, "here", result["tree"]["id"]), "the tree")
    t.equal((receipt["version"], receipt["cudnn_version"], receipt["kind"]), ("8.0.3.33", 8003, "install"), "versions")
    t.equal((receipt["trust"]["kind"], receipt["trust"]["sample"], receipt["trust"]["builtin"]), ("pinned", True, False), "trust")
    t.equal(receipt["files_ours"] + receipt["files_already_right"], 31, "31 files")
    t.check(receipt["undo_files"] > 0 and receipt["undo_bytes"] > 0, "undo data: %s" % receipt)
    names = {row["name"].upper(): row for row in receipt["registry"]}
    entries = names["PATH"]["entries"]
    t.equal([row["index"] for row in entries if row.get("ours") and row["change"] == "added"], [0], "our entry is the first")
    t.equal([row["text"] for row in entries if row["change"] == "same"], wine_path_entries(), "the others, in order")
    t.equal((names["PATH"]["state"], names["PATH"]["place"]), ("as-written", 0), "PATH is as written")
    t.equal(names["CUDA_PATH"]["state"], "as-written", "CUDA_PATH too")
    for words in (TREE + "\n  id: " + one["id"], "Installed: cuDNN 8.0.3.33, 20", " UTC", "a sample, not NVIDIA's package",
                  "    + [0] " + TREE + "\\bin   <- ours", "now: as written; our folder is entry [0]"):
        t.check(words in text, "status says: " + words)
    return one


def wine_path_entries():
    from machine import MACHINE_PATH
    return MACHINE_PATH.split(";")


def case_status_foretells(t):
    """/status tells the whole installation, and what it says of undoing is what uninstalling then does"""
    with Machine(t) as m:
        m.add_old_cudnn()
        before = m.snapshot()
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        for ask, who in ((m.setup, "setup"), (m.doctor, "doctor")):
            code, result, text = ask("/status")
            text = text.replace("\r", "")
            t.equal(code, 0, who + ": status: " + text[-300:])
            one = check_installation(t, m, result, text)
            check_wording(t, text, who + " /status")
        foretold = one["uninstall"]
        t.equal(one["rollback"], foretold, "one level: rolling back is uninstalling")
        code, result, plan = m.setup("/uninstall", "/quiet", "/dryrun")
        t.equal((code, counts(result["files"])), (0, told(foretold)), "a dry run plans what status foretells")
        t.check("  restored  include/cudnn.h\n" in plan.replace("\r", ""), "and names each file")
        t.check("    - [0] " + TREE + "\\bin   <- ours" in plan, "and PATH's entries")
        code, result, _ = m.setup("/uninstall", "/quiet")
        t.equal((code, counts(result["files"])), (0, told(foretold)), "uninstalling does it")
        t.equal(result["files"], foretold["files"], "file by file")
        check_same(t, before, m.snapshot(), "after it")
        code, result, text = m.setup("/status")
        t.equal((code, result["installations"]), (1605, []), "nothing is left to tell: " + text)


def case_status_of_changes(t):
    """what others changed is told: values, files, parked and unnamed ones; damaged records; interrupted work"""
    with Machine(t) as m:
        m.add_old_cudnn()
        m.install("/selftest:skip")
        hostile = "C:\\" + RTL + "txt\x1b[31m;" + TREE + "\\BIN\\;C:\\x"
        m.wine.set_value("PATH", wine.REG_EXPAND_SZ, wine.utf16(hostile))
        m.wine.set_value("CUDA_PATH", wine.REG_DWORD, b"\1\0\0\0")
        with open(m.wine.unix(TREE + "\\include\\cudnn.h"), "wb") as file:
            file.write(b"somebody's")
        code, result, text = m.setup("/status")
        text = text.replace("\r", "")
        t.equal(code, 0, "status: " + text[-300:])
        one = result["installations"][0]
        names = {row["name"].upper(): row for row in one["receipts"][0]["registry"]}
        t.equal((names["PATH"]["state"], names["PATH"]["place"]), ("edited", 1), "PATH was edited, and our folder is its second entry")
        t.equal(names["CUDA_PATH"]["state"], "other", "CUDA_PATH is another value")
        t.check("(REG_DWORD, 4 bytes: no text)" in text, "which is described")
        _, _, plan = m.setup("/uninstall", "/dryrun", "/quiet")
        for output in (text, plan):
            t.check(RTL not in output and "\x1b" not in output, "nothing that moves or colours text gets through")
        t.check("      [0] C:\\\\u{202e}txt\\u{1b}[31m" in plan, "it is shown by its number")
        t.equal(one["uninstall"]["kept"], 1, "one file would be kept")
        t.check("    kept: include/cudnn.h" in text, "and is named")
        check_wording(t, text, "/status")
        code, _, text = m.setup("/uninstall", "/quiet")
        t.equal(code, 0, "uninstall: " + text[-300:])
        code, result, text = m.setup("/status")
        t.equal(code, 1605, "nothing is installed")
        parked = result["installations"][0]["parked"]
        t.equal([row["target"] for row in parked], ["include/cudnn.h"], "the older file is kept aside")
        t.check(os.path.getsize(m.wine.unix(parked[0]["path"])) == parked[0]["bytes"], "under the name and with the size that are told")
        t.check(parked[0]["path"] in text, "for people, too")

        m.wine.set_value("PATH", wine.REG_EXPAND_SZ, wine.utf16("C:\\x"))
        code, result, _ = m.install("/selftest:skip")
        head = m.wine.unix(P + "\\state\\" + result["tree"]["id"] + "\\head")
        with open(head, "r+b") as file:
            file.seek(300)
            file.write(b"##")
        code, result, text = m.setup("/status")
        t.equal(code, 1604, "a damaged record: " + text[-300:])
        t.check("SHA-256" in result["installations"][0]["problem"], "its problem is told")
        t.check("/forget /force /tree:" in text, "and the way out")
        check_wording(t, text, "/status of a damaged record")


WRONG = [["/quite"], ["/uninstall", "/rollback"], ["/archive:"], ["/archive", "/quiet"], ["/cuda:"], ["/env:some"], ["/env"],
         ["/uninstall", "/archive:x.zip"], ["/quiet", "/passive"], ["/tree:12"], ["bogus"], ["a.zip", "b.zip"], ["/status", "/force"],
         ["/quiet:1"], ["/verify", "/dryrun"], ["/cudapath:take", "/env:path"], ["/unverified:yes"], ["/log:C:\\e2e\\NUL"], ["/verify", "/log:C:\\no\\x.log"],
         ["/archive:\\\\?\\Volume{1}\\x.zip"], ["/manifest:\\\\.\\C:\\x.json"], ["/recover", "/tree:" + "0" * 32]]


def case_status_wrong_lines(t):
    """every kind of bad command line: 1639, a sentence with the word, a result where /json asked for one, nothing changed"""
    with Machine(t) as m:
        before = m.snapshot()
        for words in WRONG:
            what = " ".join(words)
            code, result, text = m.setup(*words)
            t.equal(code, 1639, what)
            t.equal((result["exit"], result["result"], result["files"]), (1639, "failed", []), what + ": result")
            t.check(result["message"] in text.replace("\r", ""), what + ": and it is said: " + text[-200:])
            t.check("Nothing was changed" in result["message"] and "/?" in result["message"], what + ": what was changed, and what to do")
            check_wording(t, text, what)
        check_same(t, before, m.snapshot(), "after them all")
        t.check(not m.wine.exists(P + "\\state"), "no state was made")


def case_status_paths(t):
    r"""\\?\C:\... names the file that C:\... does, for what is read and for what is written; every refusal of an archive says why"""
    with Machine(t) as m:
        archive, manifest = m.add_archive()
        prefix = "\\\\?\\"
        code, result, text = m.setup("/quiet", "/dryrun", "/archive:" + prefix + archive, "/manifest:" + prefix + manifest)
        t.equal(code, 0, "read: " + text[-300:])
        m.wine.run([m.setup_exe, "/quiet", "/dryrun", "/archive:" + archive, "/manifest:" + manifest, "/json:" + prefix + "C:\\e2e\\r.json"])
        t.check(m.wine.exists("C:\\e2e\\r.json"), "written")
        for path, code, words in ((m.media, 1619, "this is a folder"), ("C:\\e2e\\no.zip", 1619, "there is no such file"),
                                  (manifest, 1620, "not a ZIP")):
            got, result, text = m.setup("/quiet", "/archive:" + path, "/manifest:" + manifest, "/selftest:skip")
            t.equal(got, code, path + ": " + text[-200:])
            t.check(words in result["message"], "which says: " + result["message"])
            check_wording(t, text, path)
        for verb in ("/uninstall", "/rollback", "/repair", "/forget", "/verify", "/status"):
            got, result, text = m.setup(verb, "/quiet")
            t.equal(got, 1605, verb + " with nothing installed")
            check_wording(t, text, verb)
        got, result, text = m.setup("/recover", "/quiet", "/dryrun")
        t.equal(got, 0, "/recover /dryrun: " + text)
        for words in (["detect"], ["search-order"], []):
            _, _, text = m.doctor(*words)
            check_wording(t, text, "doctor " + " ".join(words))
        for verb in ("/install", "/uninstall"):
            got, result, text = m.setup(verb, "/quiet", "/cuda:C:\\nowhere", "/archive:" + archive, "/manifest:" + manifest) \
                if verb == "/install" else m.setup(verb, "/quiet", "/cuda:C:\\nowhere")
            t.equal(got, 1642 if verb == "/install" else 1605, verb + " into nowhere: " + text[-300:])
            check_wording(t, text, verb + " into nowhere")
