"""A Windows to test in: one Wine prefix, the real programs in it, and what can be read back from tree and registry.

Nothing here decides what is right; it runs things and reads what they left. Assertions live in the cases."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

import schema_check

SCHEMA = schema_check.Checker()
WINE = "/usr/lib/wine/wine64" if os.path.exists("/usr/lib/wine/wine64") else "wine"

ENVIRONMENT_KEY = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
REG_SZ, REG_EXPAND_SZ, REG_BINARY, REG_DWORD, REG_MULTI_SZ = 1, 2, 3, 4, 7


def utf16(text):
    """A registry string as Windows stores it: UTF-16LE with one terminator."""
    return (text + "\0").encode("utf-16-le")


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def base_environment(home, display):
    keep = {name: os.environ[name] for name in ("PATH", "TERM", "USER", "LOGNAME") if name in os.environ}
    keep.update(HOME=home, LC_ALL="C.UTF-8", WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree=,mshtml=", WINELOADER=WINE)
    if display:
        keep["DISPLAY"] = display
    return keep


class Prefix:
    """One Wine prefix of our own. Use as a context manager: its server ends with it."""

    def __init__(self, root, home, display):
        self.root = root
        self.drive = os.path.join(root, "drive_c")
        self.environment = dict(base_environment(home, display), WINEPREFIX=root)
        self.helper = None
        self.serial = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.stop()

    # ---- life ----

    def start(self):
        subprocess.run(["wineserver", "-p120"], env=self.environment, check=True, timeout=60)

    def stop(self):
        """Ends every process of the prefix, as turning the machine off does, and waits for it."""
        subprocess.run(["wineserver", "-k"], env=self.environment, timeout=60)
        subprocess.run(["wineserver", "-w"], env=self.environment, timeout=60)

    def boot(self):
        """The next start of Windows: services marked automatic run, delayed deletes are carried out."""
        self.start()
        subprocess.run([WINE, "wineboot"], env=self.environment, timeout=120, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def restart(self):
        self.stop()
        self.boot()

    # ---- running ----

    def popen(self, arguments, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.DEVNULL)
        return subprocess.Popen([WINE] + arguments, env=dict(self.environment, **options.pop("more", {})),
                                stdin=subprocess.DEVNULL, **options)

    def run(self, arguments, timeout=120, more=None):
        """Runs a Windows program to its end: (exit code, standard output as text). Wine hands on the low 8 bits of an exit code
        only, so programs whose codes matter go through run_code.

        Under load a program now and then ends in Wine with 1 or by SIGSEGV and without a word; why is not known. It is started
        once more, and that is printed; one that ends so again is taken as it is."""
        code, text = self.run_once(arguments, timeout, more)
        if text or code not in (1, -11):
            return code, text
        print("      ended with %d and without a word, started again: %s" % (code, arguments[0]))
        return self.run_once(arguments, timeout, more)

    def run_once(self, arguments, timeout, more):
        self.serial += 1
        path = os.path.join(self.root, "stdout-%d" % self.serial)
        with open(path, "wb") as out:
            process = self.popen(arguments, stdout=out, stderr=subprocess.STDOUT, more=more or {})
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise AssertionError("no end after %d s: %s" % (timeout, arguments))
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
        return code, text

    # ---- paths ----

    def unix(self, windows):
        """C:\\x\\y as a path of this system. Letter case of existing names is found as Windows would."""
        drive, rest = windows[0].lower(), windows[3:]
        path = self.drive if drive == "c" else os.path.realpath(os.path.join(self.root, "dosdevices", drive + ":"))
        for part in [p for p in rest.split("\\") if p]:
            exact = os.path.join(path, part)
            if not os.path.lexists(exact) and os.path.isdir(path):
                for name in os.listdir(path):
                    if name.lower() == part.lower():
                        exact = os.path.join(path, name)
                        break
            path = exact
        return path

    def make(self, windows):
        path = self.unix(windows)
        os.makedirs(path, exist_ok=True)
        return path

    def exists(self, windows):
        return os.path.lexists(self.unix(windows))

    def put(self, source, windows):
        target = self.unix(windows)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)

    # ---- the helper program ----

    def help(self, *arguments, timeout=60):
        code, text = self.run([self.helper] + list(arguments), timeout)
        if code != 0:
            print("      %s; once more" % (text.strip() or code))
            code, text = self.run([self.helper] + list(arguments), timeout)
        assert code == 0, "e2e_helper %s: %d %s" % (arguments[0], code, text)

    def out(self, name):
        self.make("C:\\e2e")
        self.serial += 1
        return "C:\\e2e\\%s-%d" % (name, self.serial)

    def text(self, windows):
        with open(self.unix(windows), "rb") as file:
            return file.read().decode("utf-8")

    def tree(self, windows):
        """{relative name: (attributes, size, last write time, sha256)} of everything below a folder; folders have no time."""
        out = self.out("tree")
        self.help("tree", windows, out)
        found = {}
        for line in self.text(out).splitlines():
            name, attributes, size, written = line.split("\t")
            is_folder = int(attributes, 16) & 0x10
            content = None if is_folder else sha256(self.unix(windows + "\\" + name))
            found[name] = (attributes, int(size), int(written), content)
        return found

    def value(self, name, key=ENVIRONMENT_KEY):
        """(type, bytes) of a value of HKLM, or None."""
        out = self.out("value")
        self.help("reg-get", key, name, out)
        text = self.text(out)
        if text == "absent":
            return None
        kind, _, data = text.partition(" ")
        return int(kind), bytes.fromhex(data)

    def set_value(self, name, kind, data, key=ENVIRONMENT_KEY):
        if data is None:
            self.help("reg-set", key, name, "delete", "-")
        else:
            path = self.out("bytes")
            with open(self.unix(path), "wb") as file:
                file.write(data)
            self.help("reg-set", key, name, str(kind), "@" + path)

    def registry(self, roots):
        """{key: {value name: text as in a .reg file}} below the given keys, e.g. "HKLM\\System"; an absent key: nothing. By a
        program of our own: "reg export" of Wine crashes on strings without a terminator."""
        out = self.out("reg")
        self.help("reg-tree", out, *roots)
        found, key = {}, None
        for line in self.text(out).split("\n"):
            if line.startswith("["):
                key = found.setdefault(line[1:-1], {})
            elif line:
                name, _, value = line.partition("=")
                key[name] = value
        return found

    # ---- the product ----

    def setup(self, program, *arguments, timeout=300, more=None):
        """Runs cudnn-setup or cudnn-doctor with /json and returns (exit code of the JSON, the JSON object, standard output).
        The process's own exit code must be the low byte of it."""
        result = self.out("result") + ".json"
        code, text = self.run([program] + list(arguments) + ["/json:" + result], timeout, more)
        path = self.unix(result)
        if not os.path.exists(path):
            return code, None, text
        with open(path, "rb") as file:
            object_ = json.loads(file.read().decode("utf-8"))
        problems = SCHEMA.problems(object_)
        assert not problems, "the result is not as its schema says: %s" % problems
        # Wine's server gives a process that has ended a second to go, which a busy machine may not grant, and then kills what is left.
        late = code == -signal.SIGKILL
        assert late or object_["exit"] & 0xFF == code, "exit code %d, /json says %d" % (code, object_["exit"])
        return object_["exit"], object_, text


def make_template(root, home, display):
    """A fresh prefix: Windows 10, no debugger for crashing programs, no links into the home folder."""
    os.makedirs(home, exist_ok=True)
    environment = dict(base_environment(home, display), WINEPREFIX=root)
    quiet = dict(env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)
    subprocess.run([WINE, "wineboot", "-i"], **quiet)
    subprocess.run([WINE, "reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"], check=True, **quiet)
    subprocess.run([WINE, "reg", "add", r"HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug", "/v", "Debugger", "/d",
                    "false", "/f"], check=True, **quiet)
    subprocess.run(["wineserver", "-k"], **quiet)
    subprocess.run(["wineserver", "-w"], **quiet)
    users = os.path.join(root, "drive_c", "users")
    for folder, names, files in os.walk(users):
        for name in names + files:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                os.unlink(path)
                os.mkdir(path)


def clone_prefix(template, root):
    """A copy of the template; its big, never-changing system files are shared by hard links."""
    def copy(source, target):
        if "/drive_c/windows/" in source and source.lower().endswith((".dll", ".exe", ".sys", ".ttf", ".nls", ".drv", ".ocx")):
            os.link(source, target)
        else:
            shutil.copy2(source, target)
    shutil.copytree(template, root, symlinks=True, copy_function=copy)


class Display:
    """A virtual screen: without one Wine opens no window and a broadcast reaches nobody."""

    def __init__(self, size="1280x900"):
        read, write = os.pipe()
        self.process = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", size + "x24", "-nolisten", "tcp"],
                                        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        number = b""
        while not number.endswith(b"\n"):
            byte = os.read(read, 1)
            if not byte:
                raise RuntimeError("Xvfb did not start")
            number += byte
        os.close(read)
        self.name = ":" + number.decode().strip()

    def close(self):
        self.process.terminate()
        self.process.wait(10)


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("not within %d s: %s" % (seconds, what))
        time.sleep(0.05)


def kill(process):
    """SIGKILL: the program gets no chance to clean up."""
    process.send_signal(signal.SIGKILL)
    process.wait(30)


PARKED_COPY = re.compile(r"^~[0-9a-f]{16}\.old$")
