"""The proof: what it says of the sample, and that every failure has its own verdict. The DLLs with a fault are the sample's own,
built by flags (tests/samples, samples/faults)."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import zipfile

import schema_check
import wine
from machine import P, TREE, Machine, differences

SYSTEM = "C:\\windows\\system32"
PARTS = ["cudnn64_8.dll"] + ["cudnn_%s64_8.dll" % part for part in
                             ("ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train")]


def case_proof_sample(t):
    """all three stages run; the sample is computed on the CPU and never called a GPU"""
    with Machine(t) as m:
        report = "C:\\e2e\\report.html"
        m.wine.make("C:\\e2e")
        code, result, text = m.install("/report:" + report)
        t.equal(code, 0, "install: " + text[-400:])
        libraries = [os.path.relpath(os.path.join(folder, name), m.wine.unix(m.tree)) for folder, _, names in os.walk(m.wine.unix(m.tree))
                     for name in names if name.startswith("cudnn") and name.endswith(".lib")]
        t.equal((len(libraries), {os.path.dirname(name) for name in libraries}), (14, {os.path.join("lib", "x64")}), "F08: libs, where they land")
        proof = result["proof"]
        t.check(proof["files"].startswith("passed: "), proof["files"])
        t.check(proof["loading"].startswith("passed: 7 parts loaded from " + TREE), proof["loading"])
        t.check(proof["gpu"].startswith("skipped: sample, computed on the CPU; no GPU was used"), proof["gpu"])
        t.equal(proof["verdicts"], {"loading": "loaded", "gpu": "sample"}, "verdicts")
        t.equal((proof["machine"]["cudnn"], proof["machine"]["runtime"]), (8003, 10010), "versions")
        right = [call for call in proof["calls"] if call["outcome"] == "right"]
        t.check(len(right) >= 20, "computations: %d" % len(right))
        t.equal({call["algorithm"] for call in right if call["operation"] == "convolution-forward"},
                {"IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM"}, "algorithms of the sample")
        for call in right:
            t.check(0 <= float(call["error"]) < float(call["limit"]), "%(shape)s %(algorithm)s: error %(error)s" % call)
        t.equal({call["outcome"] for call in proof["calls"]}, {"right", "unsupported", "lacking"}, "outcomes")
        page, log = m.wine.text(report), m.wine.text(result["log"])
        for word in ("<svg", "GEMM", "first call of an algorithm", "Sample device (the CPU)"):
            t.check(word in page, "the report has " + word)
        t.check("proof.call" in log and "sample, computed on the CPU" in log, "the log has every computation")
        for text in (page, log):
            t.check("computes right on" not in text, "nothing says that a GPU works")
        code, result, text = m.doctor("probe")
        t.equal(code, 1639, "the doctor starts nothing with administrator rights: " + text[-300:])
        t.check("administrator rights" in result["message"], result["message"])
        t.equal(result["proof"], {}, "no stage ran")
        code, result, text = m.doctor("probe", "/selftest-as:current", "/lang:zh-CN", "/report:C:\\e2e\\chinese.html")
        t.equal((code, result["proof"]["verdicts"]), (0, {"loading": "loaded", "gpu": "sample"}), "the doctor's proof")
        page = m.wine.text("C:\\e2e\\chinese.html")
        for word in ("<svg", "首次调用", "示例文件，由 CPU 计算", "计算能力", "<td>正确</td>"):
            t.check(word in page, "the report in Chinese has " + word)


# ---- verdicts ----

def bin_of(m, name):
    return m.wine.unix(m.tree + "\\bin\\" + name)


@contextlib.contextmanager
def replaced(path, source=None, change=None):
    """path holds another file for a while: a copy of source, or its own bytes changed; nothing: it is away."""
    kept = path + ".kept"
    there = os.path.exists(path)
    if there:
        os.rename(path, kept)
    if source:
        shutil.copyfile(source, path)
    elif change:
        with open(kept, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(change(data))
    try:
        yield
    finally:
        if os.path.isdir(path):
            os.rmdir(path)
        elif os.path.exists(path):
            os.unlink(path)
        if there:
            os.rename(kept, path)


def faulty(t, fault):
    """[(file name, path)] of the DLLs with that fault."""
    folder = t.sample("faults", fault, "bin")
    return [(name, os.path.join(folder, name)) for name in sorted(os.listdir(folder))]


def expect(t, m, stage, verdict, exit_code, words):
    """The doctor's proof comes to this verdict in this stage, with these words in its sentence."""
    code, result, text = m.doctor("probe", "/selftest-as:current")
    proof = result["proof"]
    t.equal((proof.get("verdicts", {}).get(stage), code), (verdict, exit_code), "%s: %s" % (verdict, proof.get(stage)))
    kind = "failed" if exit_code == 2 else "skipped"
    t.check(proof[stage].startswith(kind + ": "), "%s is '%s': %s" % (verdict, kind, proof[stage]))
    for word in words:
        t.check(word in proof[stage], "%s says '%s': %s" % (verdict, word, proof[stage]))
    if stage == "loading":
        t.equal(proof["gpu"], "skipped: it does not load", verdict + ": what does not load is not computed with")
    return proof


def with_fault(t, m, fault, stage, verdict, exit_code, *words):
    with contextlib.ExitStack() as stack:
        for name, source in faulty(t, fault):
            target = m.wine.unix(SYSTEM + "\\" + name) if name == "nvcuda.dll" else bin_of(m, name)
            stack.enter_context(replaced(target, source))
        return expect(t, m, stage, verdict, exit_code, words)


def case_proof_before(t):
    """what the machine cannot do is said before anything is changed: an old driver, a GPU that CUDA 10.1 does not serve (G01)"""
    with Machine(t, media="C:\\m") as m:
        archive, manifest = m.add_archive()
        nvcuda = m.wine.unix(SYSTEM + "\\nvcuda.dll")

        def told(fault, *words):
            """(exit code, [warnings about the machine], log) of a run with that driver."""
            with replaced(nvcuda, dict(faulty(t, fault))["nvcuda.dll"] if fault else None):
                code, result, text = m.setup("/install", "/quiet", "/archive:" + archive, "/manifest:" + manifest, *words)
            warnings = {w["id"]: w["text"] for w in result["warnings"] if w["id"].startswith("machine.")}
            return code, warnings, m.wine.text(result["log"])

        code, warnings, log = told("driver-too-old", "/dryrun")
        t.equal((code, sorted(warnings)), (0, ["machine.driver"]), "a dry run says what can be read from files")
        t.check("driver 411.31 is too old: CUDA 10.1 needs 418.96" in warnings["machine.driver"], str(warnings))
        code, warnings, log = told(None, "/selftest-as:current")
        t.equal((code, warnings), (0, {}), "no driver is no warning")
        t.check("There is no NVIDIA driver on this machine: cuDNN has nothing to run on." in log, "but it is said: " + log[-600:])
        m.setup("/uninstall", "/quiet")
        code, warnings, log = told("gpu-too-new", "/selftest-as:current")
        t.equal((code, sorted(warnings)), (0, ["machine.gpu"]), "a GPU that is too new is a warning, and no failure")
        t.check("Sample GPU has compute capability 8.6; CUDA 10.1 serves 3.0 to 7.5." in warnings["machine.gpu"] and
                "installing this one will not help" in warnings["machine.gpu"], str(warnings))
        t.check(log.index("machine.gpu") < log.index("Placing the files"), "before a file is placed: " + log[-600:])
        m.setup("/uninstall", "/quiet")
        code, warnings, log = told("gpu-good", "/selftest-as:current")
        t.equal((code, warnings), (0, {}), "one that is served")
        t.check("NVIDIA driver 456.71; CUDA 10.1 needs 418.96 or newer." in log and "compute capability 7.5" in log, log[-600:])


def case_proof_machine(t):
    """verdicts about the machine: no driver, an old one, no GPU, a hidden, too new, too old, busy or full one"""
    with Machine(t) as m:
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        with_fault(t, m, "no-driver", "gpu", "no-driver", 0, "no NVIDIA driver", "may be in order")
        with_fault(t, m, "driver-too-old", "gpu", "driver-too-old", 1, "driver 411.31 is too old", "serves CUDA 10.0",
                   "CUDA 10.1 is installed", "418.96 or newer")
        with_fault(t, m, "driver-mismatch", "gpu", "driver-mismatch", 1, "803", "restart")
        with_fault(t, m, "driver-broken", "gpu", "driver-broken", 1, "cudaGetDeviceCount answered 999")
        with_fault(t, m, "no-device", "gpu", "no-device", 0, "finds no GPU")
        for hidden in ("-1", ""):
            m.wine.set_value("CUDA_VISIBLE_DEVICES", wine.REG_SZ, wine.utf16(hidden))
            if hidden:
                expect(t, m, "gpu", "device-hidden", 1, ['CUDA_VISIBLE_DEVICES is set to "-1"'])
        m.wine.set_value("CUDA_VISIBLE_DEVICES", wine.REG_SZ, wine.utf16("0"))
        code, result, _ = m.doctor("probe", "/selftest-as:current")
        t.equal((code, result["proof"]["machine"]["visible_devices"]), (0, "0"), "CUDA_VISIBLE_DEVICES is told")
        t.check('CUDA_VISIBLE_DEVICES is set to "0"' in result["proof"]["gpu"], "and in the sentence: " + result["proof"]["gpu"])
        m.wine.set_value("CUDA_VISIBLE_DEVICES", wine.REG_SZ, None)
        with_fault(t, m, "device-too-new", "gpu", "device-too-new", 1, "8.6", "CUDA 11", "will not help")
        with_fault(t, m, "device-too-old", "gpu", "device-too-old", 1, "2.1", "3.0 and newer only")
        with_fault(t, m, "device-busy", "gpu", "device-busy", 1, "compute mode")
        with_fault(t, m, "device-unserved", "gpu", "device-unserved", 1, "no code for", "209")
        with_fault(t, m, "memory-taken", "gpu", "memory-taken", 1, "100 of 1024 MiB are free")
        with_fault(t, m, "watchdog", "gpu", "watchdog", 1, "took too long")
        name, source = faulty(t, "second-device")[0]
        with replaced(bin_of(m, name), source):
            code, result, _ = m.doctor("probe", "/selftest-as:current")
            t.equal((code, result["proof"]["verdicts"]["gpu"]), (0, "sample"), "the second device is taken")
            t.equal(result["proof"]["machine"]["capability"], "7.5", "and told")


def case_proof_loading(t):
    """verdicts about loading: each part missing, a dependency absent, 32-bit, damaged, not readable, another version"""
    with Machine(t) as m:
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        for part in PARTS:
            with replaced(bin_of(m, part)):
                expect(t, m, "loading", "cudnn-absent" if part == PARTS[0] else "part-missing", 2, [part, "error 126"])
        with replaced(bin_of(m, "cublasLt64_10.dll")):
            expect(t, m, "loading", "dependency-absent", 2,
                   ["cublasLt64_10.dll is in no folder", "cudnn_ops_infer64_8.dll needs it", "error 126"])
        with replaced(bin_of(m, "cudart64_101.dll")):
            expect(t, m, "loading", "dependency-absent", 2, ["cudart64_101.dll is in no folder", "error 126"])

        def other_machine(data):   # the machine's number in the PE header: x86
            at = int.from_bytes(data[60:64], "little") + 4
            return data[:at] + b"\x4c\x01" + data[at + 2:]
        with replaced(bin_of(m, "cudnn_cnn_infer64_8.dll"), change=other_machine):
            expect(t, m, "loading", "other-machine", 2, ["cudnn_cnn_infer64_8.dll is for another processor", "error 193"])
        for what, change in (("cut short", lambda data: data[:len(data) // 2]), ("empty", lambda data: b""),
                             ("a text", lambda data: b"no DLL at all")):
            with replaced(bin_of(m, "cudnn_adv_infer64_8.dll"), change=change):
                expect(t, m, "loading", "damaged", 2, ["cudnn_adv_infer64_8.dll is not a DLL, or is damaged"])
        with_fault(t, m, "newer-part", "loading", "newer-part", 2, "zlibwapi.dll is absent", "8.0.3 does not",
                   "cudnn_cnn_infer64_8.dll is of such a newer cuDNN", "error 126")
        with_fault(t, m, "other-version", "loading", "other-version", 2, "cudnnGetVersion() is 8100, not 8003")
        with_fault(t, m, "crashed-loading", "loading", "crashed", 2, "0xC0000005")


def case_proof_seams(t):
    """5 and 127, which Wine's loader does not give: what real DLLs with those faults come to here, loaded and looked at"""
    with Machine(t, media="C:\\m") as m:
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        ops = bin_of(m, PARTS[1])

        # 127. Wine loads a DLL whose imported function is absent, and the process ends when it is called. The day that changes,
        # this case fails and docs/verified.md has to say so.
        with replaced(ops, faulty(t, "function-absent")[0][1]):
            code, result, _ = m.doctor("probe", "/selftest-as:current")
            proof = result["proof"]
            t.equal((code, proof["verdicts"]["loading"]), (2, "loaded"), "127 in Wine: " + proof["loading"])
            t.check(proof["gpu"].startswith("failed: "), "and the process that calls it ends: " + proof["gpu"])
            t.say("Wine, absent function: loading %s, gpu %s" % (proof["verdicts"]["loading"], proof["verdicts"]["gpu"]))

        # 5. Who may read everything (root on this machine) is not kept out.
        os.chmod(ops, 0)
        code, result, _ = m.doctor("probe", "/selftest-as:current")
        os.chmod(ops, 0o644)
        proof = result["proof"]
        t.say("Wine, unreadable file: %s" % proof["loading"])
        if os.geteuid() == 0:
            t.equal((code, proof["verdicts"]["loading"]), (0, "loaded"), "rights do not bind root: " + proof["loading"])
        else:
            t.equal((code, proof["verdicts"]["loading"]), (2, "access-denied"), "an unreadable file: " + proof["loading"])
            t.check("cannot be read with this user's rights" in proof["loading"], proof["loading"])

        # Where nothing may be loaded, the import tables say what the loader would: the same files, in a package.
        bad_package(t, m, "function-absent")
        code, result, text = m.setup("/install", "/quiet", "/archive:C:\\m\\bad.zip", "/manifest:C:\\m\\bad.json")
        t.equal((code, result["proof"]["verdicts"]["loading"]), (0, "function-absent"), "looked at: " + text[-400:])
        for word in ("cudnn_ops_infer64_8.dll lacks the function cudnnSampleOpsInfer8003", "which " + m.tree, "imports"):
            t.check(word in result["proof"]["loading"], "it says '%s': %s" % (word, result["proof"]["loading"]))


def case_proof_out_of_path(t):
    """a tree that PATH does not lead to: what its DLLs need, told from the files, and the full path that does not help (F14, F18)"""
    with Machine(t) as m:
        code, _, text = m.install("/selftest:skip", "/env:none")
        t.equal(code, 0, "install: " + text[-400:])
        part = m.tree + "\\bin\\cudnn_cnn_train64_8.dll"
        code, result, text = m.doctor("needs", part)
        t.equal(code, 0, "one DLL: " + text[-300:])
        t.check(part + ": x64, version 8.0.3.33" in text, text[-600:])
        for name in ("cudnn_ops_infer64_8.dll", "cudnn_ops_train64_8.dll", "cudnn_cnn_infer64_8.dll"):
            t.check("needs %s: only beside it" % name in text, "%s is beside it: %s" % (name, text[-600:]))
        t.check("3 of the files that they need cannot be found" in result["message"], result["message"])

        shutil.copyfile(bin_of(m, "cudart64_101.dll"), m.wine.unix("C:\\e2e\\cudart64_101.dll"))   # the shim's own import
        out = m.wine.out("use")
        code, text = m.wine.run([m.wine.helper, "use", m.tree + "\\bin\\cudnn64_8.dll", out])
        t.equal((code, m.wine.exists(out)), (0xC0000409 & 0xFF, False), "the shim gives up: " + text)
        t.check("cudnn_ops_infer64_8.dll. Error code 126" in text, "and says which part: " + text)
        kind, path = m.path_value()
        m.wine.set_value("PATH", kind, (m.tree + "\\bin;").encode("utf-16-le") + path)
        for name in (m.tree + "\\bin\\cudnn64_8.dll", "cudnn64_8.dll"):
            out = m.wine.out("use")
            m.wine.help("use", name, out)
            t.equal(m.wine.text(out), "status 0", "with the folder in PATH: " + name)

        code, result, text = m.doctor("needs", m.tree + "\\bin")
        t.equal((code, text.count(": x64, version")), (0, 10), "the folder: 7 of cuDNN, 3 of CUDA")
        t.check("needs cublasLt64_10.dll: %s\\bin (machine PATH)" % m.tree in text, text[-600:])
        t.check("new programs find all that they need" in result["message"], result["message"])
        code, result, _ = m.doctor("needs", "C:\\nowhere.dll")
        t.check(code != 0 and "nowhere.dll" in result["message"], result["message"])


def case_proof_computing(t):
    """verdicts about computing: mixed parts, a crash, a part that gives up, wrong results, failing calls"""
    with Machine(t) as m:
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        with_fault(t, m, "parts-mixed", "gpu", "parts-mixed", 2, "ops_train", "two versions")
        with_fault(t, m, "runtime-mixed", "gpu", "runtime-mixed", 2, "built for CUDA 10.1", "CUDA 10.2")
        with_fault(t, m, "symbol-missing", "gpu", "symbol-missing", 2, "cudaMemset")
        with_fault(t, m, "not-initialized", "gpu", "not-initialized", 2, "cudnnCreate answered 1")
        with_fault(t, m, "execution-failed", "gpu", "execution-failed", 2, "cudnnConvolutionForward failed", "error 8")
        with_fault(t, m, "no-algorithm", "gpu", "no-algorithm", 2, "no algorithm")
        proof = with_fault(t, m, "wrong-result", "gpu", "wrong-result", 2, "convolution-forward", "differs from the reference")
        t.equal(proof["calls"][0]["outcome"], "wrong", "the call in the list")
        with_fault(t, m, "not-a-number", "gpu", "wrong-result", 2, "not a number")
        with_fault(t, m, "crashed", "gpu", "crashed", 2, "0xC0000005")
        with_fault(t, m, "gave-up", "gpu", "gave-up", 2, "0xC0000409")


def case_proof_hang(t):
    """a library that hangs: the child is ended at the deadline, and nothing of it stays"""
    with Machine(t) as m:
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        with_fault(t, m, "hung", "gpu", "hung", 2, "did not end within 60 s")
        _, text = m.wine.run(["tasklist"])
        t.check("cudnn-probe" not in text, "the probe is gone: " + text[-300:])


def bad_package(t, m, fault):
    """C:\\m\\bad.zip and bad.json: the sample with the DLLs that have this fault."""
    archive, manifest = m.add_archive()
    faults = dict(faulty(t, fault))
    bad, bad_manifest = m.wine.unix("C:\\m\\bad.zip"), m.wine.unix("C:\\m\\bad.json")
    with zipfile.ZipFile(m.wine.unix(archive)) as old, zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as new:
        for row in old.infolist():
            source = faults.get(row.filename.rsplit("/", 1)[-1])
            new.writestr(row, open(source, "rb").read() if source else old.read(row))
    with open(m.wine.unix(manifest), encoding="utf-8") as file:
        text = json.load(file)
    with open(bad, "rb") as file:
        data = file.read()
    text["archive"].update(sha256=hashlib.sha256(data).hexdigest(), size=len(data), names=["bad.zip"])
    with open(bad_manifest, "w", encoding="utf-8") as file:
        json.dump(text, file)


def case_proof_required(t):
    """/selftest:require with a package whose results are wrong: 1603, and everything is as before; auto: a warning"""
    with Machine(t, media="C:\\m") as m:
        bad_package(t, m, "wrong-result")
        before = m.snapshot()
        words = ["/install", "/quiet", "/archive:C:\\m\\bad.zip", "/manifest:C:\\m\\bad.json", "/selftest-as:current"]
        code, result, text = m.setup(*(words + ["/selftest:require"]))
        t.equal((code, result["proof"]["verdicts"]["gpu"]), (1603, "wrong-result"), "require: " + text[-300:])
        t.check("taken back" in result["message"], result["message"])
        t.equal(differences(before, m.snapshot()), [], "everything is as before")
        code, result, text = m.setup(*words)
        t.equal((code, result["proof"]["verdicts"]["gpu"]), (0, "wrong-result"), "auto: " + text[-300:])
        t.check(any(w["id"] == "proof" and "wrong" in w["text"] for w in result["warnings"]), "auto warns")
        t.check(m.wine.exists(P + "\\cudnn-probe.exe"), "auto keeps the installation")


def case_proof_rights(t):
    """as an administrator without /selftest-as:current the probe is not given these rights"""
    with Machine(t, media="C:\\m") as m:
        archive, manifest = m.add_archive()
        code, result, text = m.setup("/install", "/quiet", "/archive:" + archive, "/manifest:" + manifest, "/selftest:require")
        t.equal(code, 0, "install: " + text[-400:])
        t.check(result["proof"]["verdicts"]["loading"] in ("refused", "no-account"), str(result["proof"]))
        t.check(result["proof"]["loading"].startswith("skipped: "), result["proof"]["loading"])
        if result["proof"]["verdicts"]["loading"] == "no-account":
            t.check("import tables the 7 parts miss nothing" in result["proof"]["loading"], result["proof"]["loading"])
        t.equal(result["proof"]["gpu"], "skipped: it was not loaded", "the GPU stage")
        probe = P + "\\cudnn-probe.exe"
        for words in ([], ["/stage:gpu"]):
            code, text = m.wine.run([probe] + words)
            t.equal((code, json.loads(text)["verdict"]), (3, "refused"), "the probe itself: " + text)


# ---- frameworks ----

def case_frameworks(t):
    """frameworks in Python environments, found by files and registry alone; the table as its schema says"""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "manifests", "frameworks.json"), encoding="utf-8") as file:
        table = json.load(file)
    t.equal(schema_check.Checker(os.path.join(root, "manifests", "frameworks.schema.json")).problems(table), [], "the table")
    names = [name for each in table["frameworks"] for name in each["distributions"]]
    t.equal(len(names), len(set(names)), "no package stands twice")
    with Machine(t) as m:
        def put(site, info, version):
            with open(m.wine.make(site + "\\" + info) + "/METADATA", "w", encoding="utf-8") as file:
                file.write("Metadata-Version: 2.1\nVersion: %s\n" % version)
        code, _, text = m.install("/selftest:skip")
        t.equal(code, 0, "install: " + text[-400:])
        text = m.doctor()[2].replace("\r\n", "\n")
        t.check("Frameworks on this machine: OK\nNone that is known here" in text, "nothing there: " + text[-900:])
        on_path = "C:\\Python 工具"
        m.wine.put(t.program("e2e_helper.exe"), on_path + "\\python.exe")   # it would say that its arguments are bad
        put(on_path + "\\Lib\\site-packages", "tensorflow-2.3.1.dist-info", "2.3.1")
        put("C:\\conda\\envs\\ml\\Lib\\site-packages", "torch-1.8.1_cu101.dist-info", "1.8.1+cu101")
        torch = m.wine.make("C:\\conda\\envs\\ml\\Lib\\site-packages\\torch\\lib")
        shutil.copyfile(t.sample("old76", "bin", "cudnn64_7.dll"), torch + "/cudnn64_7.dll")
        put("C:\\Python38\\Lib\\site-packages", "cupy_cuda101-8.0.0.dist-info", "8.0.0")
        m.wine.set_value("", wine.REG_SZ, wine.utf16("C:\\Python38\\"), "Software\\Python\\PythonCore\\3.8\\InstallPath")
        users = m.wine.unix("C:\\users")
        for user in os.listdir(users):
            if user.lower() != "public":
                os.makedirs(os.path.join(users, user, ".conda"), exist_ok=True)
                with open(os.path.join(users, user, ".conda", "environments.txt"), "w", encoding="utf-8") as file:
                    file.write("C:\\conda\\envs\\ml\n")
        kind, path = m.path_value()
        m.wine.set_value("PATH", kind, (on_path + ";").encode("utf-16-le") + path)
        _, result, text = m.doctor()
        text = text.replace("\r\n", "\n")
        t.check("Frameworks on this machine: NOTE\n3 found in 3 Python environments; 1 of them cannot use" in text, text[-2500:])
        for line in ("TensorFlow 2.3.1 was built for CUDA 10.1 and cuDNN 7.6 and loads cudnn64_7.dll: cuDNN 8.0.3 for CUDA 10.1 does not "
                     "serve it. (%s\\Lib\\site-packages)" % on_path,
                     "PyTorch 1.8.1+cu101 brings a cuDNN of its own (torch\\lib\\cudnn64_7.dll, version 7.6.5.32)",
                     "CuPy 8.0.0 was built for CUDA 10.1 and cuDNN 8.0.3: this package serves it. (C:\\Python38\\Lib\\site-packages)"):
            t.check(line in text, "it says '%s': %s" % (line, text[-2500:]))
        t.check("Frameworks on this machine" in result["message"], result["message"])


# ---- the document ----

def case_proof_document(t):
    """docs/verdicts.md: every verdict of the code, its kind, and tests that exist"""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    def read(*parts):
        with open(os.path.join(root, *parts), encoding="utf-8") as file:
            return file.read()
    kinds = {"PASSED": "passed", "SKIPPED": "skipped", "UNFIT": "skipped, warned of", "FAILED": "failed"}
    code = {name: (kinds[kind], blame.lower()) for name, kind, blame in re.findall(
        r'\{"([a-z-]+)", CS_VERDICT_([A-Z]+), CS_GPU_BLAME_([A-Z]+),', read("src", "selftest", "verdict_table.c"))}
    rows = {}
    for line in read("docs", "verdicts.md").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells[1:]
    t.equal(sorted(rows), sorted(code), "the names in the document and in the code")
    tests = read("tests", "e2e", "cases_proof.py")
    for folder, _, names in os.walk(os.path.join(root, "tests", "unit")):
        tests += "".join(read(folder, name) for name in names if name.endswith(".c"))
    for name, (kind, blame, _, where) in rows.items():
        t.equal((kind, blame), code.get(name), name)
        found = re.findall(r"`((?:test|case)_[a-z0-9_]+)`", where)
        t.check(found, name + " names its test")
        for test in found:
            body = re.search(r"\b%s\b.*?(?=\n(?:static void test_|def case_)|\Z)" % test, tests, re.S)
            t.check(body is not None, "%s: %s exists" % (name, test))
