"""The whole job on Linux: twin-setup installs a sample into a toolkit made here, verifies, repairs and takes it back.

--programs   folder with twin-setup and twin-doctor
--manifest   the product's manifest: the sample has the same 31 names
--sanitized  the programs carry sanitizers: memory is printed but not bounded
Judged by the tree, the registry file and the /json result. Exit code 0: every check held.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import schema_check  # noqa: E402

MEMORY_LIMIT_KIB = 64 * 1024
ENVIRONMENT = "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
UNINSTALL = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall"


SCHEMA = schema_check.Checker()


class Checks:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, fine, what):
        self.count += 1
        if not fine:
            self.failed += 1
        print("%s %s" % ("ok  " if fine else "FAIL", what), flush=True)
        return fine

    def equal(self, got, wanted, what):
        if not self.check(got == wanted, what):
            print("     got    %r\n     wanted %r" % (got, wanted), flush=True)


def text_value(text):
    return (text + "\0").encode("utf-16-le").hex()


def make_sample(folder, manifest_path, sizes):
    """A zip with the manifest's files and a pinned manifest for it. Contents are noise and zeros, half and half."""
    with open(manifest_path, "rb") as file:
        manifest = json.load(file)
    noise = random.Random(8003)
    contents = {}
    archive = os.path.join(folder, "sample.zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for row in manifest["files"]:
            size = sizes(row)
            digest = hashlib.sha256()
            with out.open("cuda/" + row["source"], "w") as entry:
                while size:
                    block = (noise.randbytes(32768) + bytes(32768))[: min(size, 65536)]
                    entry.write(block)
                    digest.update(block)
                    size -= len(block)
            contents[row["target"]] = digest.hexdigest()
    manifest["sample"] = True
    manifest["archive"] = {"names": ["sample.zip"], "sha256": hash_file(archive)}
    del manifest["wrong_archives"]
    path = os.path.join(folder, "sample.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return archive, path, contents


def hash_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def windows(path):
    return "Z:" + path.replace("/", "\\")


class Machine:
    def __init__(self, programs, folder):
        self.programs = programs
        self.root = os.path.join(folder, "root")
        self.cuda = "C:\\CUDA 工具 é [v] & ! ^ ' =\\v10.1"
        self.tree = self.unix(self.cuda)
        self.registry = os.path.join(self.root, "registry")
        self.memory = os.path.join(folder, "memory")
        self.result_path = os.path.join(folder, "result.json")
        self.out = ""
        os.makedirs(os.path.join(self.tree, "include"))
        os.makedirs(os.path.join(self.tree, "bin"))
        os.makedirs(os.path.join(self.tree, "lib", "x64"))
        self.put("bin/cudart64_101.dll", b"runtime")
        self.put("bin/nvcc.exe", b"compiler")
        self.put("version.txt", b"CUDA Version 10.1.243\r\n")
        self.put("include/cudnn.h", b"#define CUDNN_MAJOR 7\r\n", 0o644, 1500000000)
        self.put("lib/x64/cudnn.lib", b"old import library", 0o444, 1400000000)
        with open(self.registry, "w", encoding="utf-8") as file:
            file.write("HKLM %s|Path|2|%s\n" % (ENVIRONMENT, text_value("%SystemRoot%\\system32;;\"C:\\quoted one\\\";C:\\x")))
            file.write("HKLM %s|CUDA_PATH_V10_1|1|%s\n" % (ENVIRONMENT, text_value(self.cuda)))

    def unix(self, path):
        """C: is the folder c, Z: the whole file system."""
        names = path[2:].replace("\\", "/")
        return os.path.join(self.root, "c") + names if path[0] == "C" else names

    def put(self, name, content, mode=0o644, when=1600000000):
        path = os.path.join(self.tree, *name.split("/"))
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        os.utime(path, (when, when))

    def path(self, target):
        return os.path.join(self.tree, *target.split("/"))

    def environment(self, more=None):
        environment = dict(os.environ, CUDNN_SETUP_ROOT=self.root, CUDNN_SETUP_TWIN_MEMORY=self.memory)
        environment.update(more or {})
        return environment

    def run(self, *words, program="twin-setup", more=None):
        """The result object; its exit code is checked against the process's own, of which Linux keeps eight bits."""
        if os.path.exists(self.result_path):
            os.unlink(self.result_path)
        done = subprocess.run([os.path.join(self.programs, program), *words, "--json=" + windows(self.result_path)], env=self.environment(more),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        self.out = done.stdout.decode("utf-8", "replace")
        if not os.path.exists(self.result_path):
            raise AssertionError("no result, exit %d:\n%s" % (done.returncode, self.out))
        with open(self.result_path, "rb") as file:
            result = json.loads(file.read().decode("utf-8"))
        problems = SCHEMA.problems(result)
        if problems:
            raise AssertionError("the result is not as its schema says: %s" % problems)
        if done.returncode != result["exit"] & 0xFF:
            raise AssertionError("exit %d, result says %d:\n%s" % (done.returncode, result["exit"], self.out))
        return result

    def start(self, *words):
        return subprocess.Popen([os.path.join(self.programs, "twin-setup"), *words], env=self.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def snapshot(self):
        """Names, kinds, bytes, rights and times of every file, and every registry value. Not the times of folders."""
        found = {}
        for folder, names, files in os.walk(self.tree):
            for name in names:
                found[os.path.relpath(os.path.join(folder, name), self.tree)] = "folder"
            for name in files:
                path = os.path.join(folder, name)
                info = os.lstat(path)
                found[os.path.relpath(path, self.tree)] = (hash_file(path), info.st_mode, info.st_mtime_ns)
        found["registry"] = sorted(self.values().items())
        return found

    def values(self):
        values = {}
        with open(self.registry, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if "|" in line:
                    key, name, kind, data = line.split("|")
                    values[key + "|" + name] = (kind, data)
        return values

    def value(self, name):
        kind, data = self.values()["HKLM %s|%s" % (ENVIRONMENT, name)]
        return kind, bytes.fromhex(data).decode("utf-16-le").rstrip("\0")

    def peak_kib(self):
        with open(self.memory, encoding="ascii") as file:
            peak = int(file.read())
        assert peak > 0, "the peak is unknown"
        return peak


def differences(before, after):
    return ["%s: %s -> %s" % (name, before.get(name), after.get(name))
            for name in sorted(set(before) | set(after)) if before.get(name) != after.get(name)]


def install_words(machine, archive, manifest):
    return ["/install", "/quiet", "/archive:" + windows(archive), "/manifest:" + windows(manifest), "/cuda:" + machine.cuda,
            "/selftest:skip"]


def whole_job(t, machine, archive, manifest, contents):
    before = machine.snapshot()
    words = install_words(machine, archive, manifest)

    result = machine.run(*words, more={"CUDNN_SETUP_TWIN_USER": "1"})
    t.equal(result["exit"], 740, "without rights: 740")
    t.equal(differences(before, machine.snapshot()), [], "and nothing changed")

    result = machine.run(*words, "/dryrun")
    t.equal(result["exit"], 0, "dry run: 0 (%s)" % result["message"])
    t.equal(differences(before, machine.snapshot()), [], "and nothing changed")

    result = machine.run(*words)
    if not t.check(result["exit"] == 0, "install: 0 (%s)" % result["message"]):
        print(machine.out)
        return
    t.equal(result["result"], "done", "result is done")
    t.equal(result["trust"]["kind"], "pinned", "trust is pinned")
    t.equal(result["trust"]["sample"], True, "and called a sample")
    t.equal({name: hash_file(machine.path(name)) for name in contents}, contents, "all %d files have their bytes" % len(contents))
    t.equal(machine.value("Path"), ("2", machine.cuda + "\\bin;%SystemRoot%\\system32;;\"C:\\quoted one\\\";C:\\x"), "PATH begins with bin")
    t.check(any(key.startswith("HKLM %s\\cudnn-setup-" % UNINSTALL) for key in machine.values()), "there is an entry in Apps & Features")
    t.check(os.path.exists(machine.unix(result["log"])), "the log is where the result says")
    t.check(not os.path.exists(os.path.join(machine.root, "service")), "the recovery service is off")

    t.equal(machine.run("/verify")["exit"], 0, "verify: 0")
    t.equal(machine.run("verify", program="twin-doctor")["exit"], 0, "the doctor's verify: 0")
    t.equal(machine.run("/status", program="twin-doctor")["exit"], 0, "the doctor's status: 0")

    victim = "bin/cudnn_ops_infer64_8.dll"
    with open(machine.path(victim), "r+b") as file:
        file.seek(1000)
        byte = file.read(1)
        file.seek(1000)
        file.write(bytes([byte[0] ^ 1]))
    result = machine.run("/verify")
    t.equal(result["exit"], 13, "one flipped bit: verify 13")
    t.equal([row["target"] for row in result["files"] if row["state"] not in ("ok", "same")], [victim], "which names the file")

    result = machine.run("/repair", "/quiet", "/archive:" + windows(archive), "/manifest:" + windows(manifest), "/selftest:skip")
    t.equal(result["exit"], 0, "repair: 0 (%s)" % result["message"])
    t.equal(hash_file(machine.path(victim)), contents[victim], "the file is whole again")
    t.equal(machine.run("/verify")["exit"], 0, "verify: 0")
    result = machine.run("/forget", "/force", "/quiet")
    t.equal((result["exit"], result["result"]), (0, "done"), "forget: the damaged file that the repair kept aside goes")

    installed = machine.snapshot()
    result = machine.run(*words)
    t.equal((result["exit"], result["result"]), (0, "already"), "install again: already so")
    t.equal(differences(installed, machine.snapshot()), [], "and nothing changed")

    result = machine.run("/uninstall", "/quiet")
    t.equal(result["exit"], 0, "uninstall: 0 (%s)" % result["message"])
    t.equal(differences(before, machine.snapshot()), [], "tree and registry are exactly as before")
    t.equal(machine.run("/verify")["exit"], 1605, "verify: 1605")
    t.equal(machine.run("/uninstall", "/quiet")["exit"], 1605, "uninstall: 1605")


def killed_runs(t, machine, archive, manifest, contents):
    """Ended without warning at several moments; what follows must be the state before or the state after, nothing else."""
    before = machine.snapshot()
    words = install_words(machine, archive, manifest)
    began = time.monotonic()
    machine.run(*words)
    whole = time.monotonic() - began
    machine.run("/uninstall", "/quiet")
    for part in (0.15, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.9):
        process = machine.start(*words)
        time.sleep(whole * part)
        process.kill()
        process.wait()
        recovered = machine.run("/recover", "/quiet")
        there = machine.run("/verify")["exit"]
        t.check(recovered["exit"] == 0 and there in (0, 1605), "killed after %2.0f %%: recover %d, then verify %d" %
                (100 * part, recovered["exit"], there))
        if there == 0:
            t.equal({name: hash_file(machine.path(name)) for name in contents}, contents, "  all files are there")
            t.equal(machine.run("/uninstall", "/quiet")["exit"], 0, "  uninstall: 0")
        t.equal(differences(before, machine.snapshot()), [], "  tree and registry are exactly as before")


def memory(t, machine, archive, manifest, sanitized):
    size = os.path.getsize(archive)
    result = machine.run(*install_words(machine, archive, manifest))
    t.equal(result["exit"], 0, "install of a %d MB archive: 0, %d ms" % (size // 1000000, result["ms"]))
    peak = machine.peak_kib()
    t.check(sanitized or peak < MEMORY_LIMIT_KIB, "peak memory %d KiB%s" % (peak, " (sanitizers: not bounded)" if sanitized else ""))
    t.equal(machine.run("/verify")["exit"], 0, "verify: 0")
    peak = machine.peak_kib()
    t.check(sanitized or peak < MEMORY_LIMIT_KIB, "peak memory of verify %d KiB" % peak)
    t.equal(machine.run("/uninstall", "/quiet")["exit"], 0, "uninstall: 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--manifest", required=True)
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the folder and print its name")
    given = parser.parse_args()
    t = Checks()
    folder = tempfile.mkdtemp(prefix="cudnn-twin-")
    try:
        small, large = os.path.join(folder, "small"), os.path.join(folder, "large")
        os.makedirs(small)
        os.makedirs(large)
        archive, manifest, contents = make_sample(small, given.manifest, lambda row: 200000 if row["kind"] == "dll" else 3000)
        machine = Machine(given.programs, small)
        whole_job(t, machine, archive, manifest, contents)
        if not t.failed:
            killed_runs(t, machine, archive, manifest, contents)
            big = {"bin/cudnn_cnn_infer64_8.dll": 160000000, "bin/cudnn_ops_infer64_8.dll": 60000000}
            archive, manifest, contents = make_sample(large, given.manifest, lambda row: big.get(row["target"], 100000))
            memory(t, Machine(given.programs, large), archive, manifest, given.sanitized)
    finally:
        if given.keep:
            print(folder)
        else:
            shutil.rmtree(folder)
    print("%d checks, %d failed" % (t.count, t.failed))
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
