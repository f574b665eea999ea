"""A person at the window: a screen of its own, keys as from a keyboard, and what is to be seen."""

import os
import shutil
import subprocess
import time

import wine
from machine import Machine

FONT = "WenQuanYi Micro Hei"    # has both scripts
TOOLS = ("xdotool", "import")

HEADING, LINE, TOOLKITS, ROWS, EXPLAIN, CUDA_PATH, STEP, FILE, AMOUNT = 1000, 1001, 1003, 1004, 1005, 1006, 1007, 1009, 1010
INSTALL, CHECK_AGAIN, ARCHIVE, CHANGES, LICENCE, VERIFY, REPAIR, ROLL_BACK, UNINSTALL, TEST = range(1100, 1110)
TRY_AGAIN, REPORT, COPY, RECOVER, UNVERIFIED, TOOLKIT, CANCEL = 1111, 1112, 1113, 1114, 1115, 1116, 2


class Control:
    def __init__(self, line):
        _, identity, self.kind, self.flags, place, self.text = line.split("\t")
        self.id = int(identity)
        self.left, self.top, self.right, self.bottom = map(int, place.split(","))

    def overlaps(self, other):
        return (self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom)


class Dialog:
    def __init__(self, line):
        _, self.text, place = line.split("\t")
        self.client = list(map(int, place.split(",")))
        self.controls = []

    def __getitem__(self, identity):
        for control in self.controls:
            if control.id == identity:
                return control
        return None

    def said(self, identity):
        control = self[identity]
        return control.text if control else None


class Seat:
    """Use as a context manager: a machine with its own screen. keep: folder for pictures, or None."""

    def __init__(self, t, **options):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            t.skip("no %s here" % " and no ".join(missing))
        self.t = t
        self.screen = wine.Display()
        t.display = self.screen.name
        self.m = Machine(t, **options)
        self.set_fonts()
        self.program = None

    def __enter__(self):
        self.m.__enter__()
        self.m.wine.put(self.t.program("e2e_window.exe"), "C:\\e2e\\e2e_window.exe")
        return self

    def set_fonts(self):
        """Before the prefix starts, since Wine reads them then."""
        names = ("Segoe UI", "MS Shell Dlg", "MS Shell Dlg 2", "Tahoma", "SimSun")
        with open(os.path.join(self.m.wine.root, "user.reg"), "a", encoding="ascii") as file:
            file.write("\n[Software\\\\Wine\\\\Fonts\\\\Replacements] 1\n")
            file.writelines('"%s"="%s"\n' % (name, FONT) for name in names)

    def __exit__(self, *unused):
        self.m.__exit__()
        self.screen.close()

    # ---- the program ----

    def resolution(self, dpi):
        self.m.wine.run(["reg", "add", "HKCU\\Control Panel\\Desktop", "/v", "LogPixels", "/t", "REG_DWORD", "/d", str(dpi), "/f"])

    def start(self, *words, program=None):
        self.program = self.m.wine.popen([program or self.m.setup_exe] + list(words))

    def end(self, seconds=30):
        """The low byte of the exit code."""
        return self.program.wait(seconds)

    def end_is(self, code, what):
        self.t.equal(self.end(), code & 0xFF, "exit code, " + what)

    # ---- seeing ----

    def look(self):
        out = self.m.wine.out("sight")
        self.m.wine.run(["C:\\e2e\\e2e_window.exe", "dump", out], 30)
        dialogs = []
        for line in self.m.wine.text(out).splitlines() if self.m.wine.exists(out) else []:
            if line.startswith("window\t"):
                dialogs.append(Dialog(line))
            elif line.startswith("control\t"):
                dialogs[-1].controls.append(Control(line))
        return dialogs

    def until(self, condition, what, seconds=30):
        """The dialog in front once the condition holds of it."""
        end = time.monotonic() + seconds
        dialogs = []
        while time.monotonic() < end:
            dialogs = self.look()
            if dialogs and condition(dialogs[0]):
                return dialogs[0]
            time.sleep(0.1)
        seen = [(d.text, [(c.id, c.text) for c in d.controls]) for d in dialogs]
        raise AssertionError("not within %d s: %s; seen: %s" % (seconds, what, seen))

    def page(self, heading, seconds=30):
        """Waits for the page with this heading."""
        return self.until(lambda d: (d.said(HEADING) or "").startswith(heading), "the page '%s'" % heading, seconds)

    def clipboard(self):
        out = self.m.wine.out("clipboard")
        self.m.wine.run(["C:\\e2e\\e2e_window.exe", "clipboard", out], 30)
        return self.m.wine.text(out)

    def session_may_end(self):
        """What the window answers when Windows asks at a log-off."""
        code, _ = self.m.wine.run_once(["C:\\e2e\\e2e_window.exe", "query", "5000"], 30, {})
        assert code in (1, 2), "no answer to a log-off: %d" % code
        return code == 1

    def picture(self, name):
        """Keeps a picture of the window in the case's folder of pictures."""
        folder = os.path.join(self.t.options.work, "pictures")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name + ".png")
        subprocess.run(["import", "-display", self.screen.name, "-window", "root", "-trim", path], timeout=30, check=True)
        self.t.check(os.path.getsize(path) > 2000, "the picture %s shows something" % name)

    def fits(self, dialog, what):
        """Every control lies inside the window, and none on another."""
        shown = dialog.controls
        outside = [c.id for c in shown if c.left < 0 or c.top < 0 or c.right > dialog.client[2] or c.bottom > dialog.client[3]]
        self.t.equal(outside, [], "controls outside the window, " + what)
        pairs = [(a.id, b.id) for i, a in enumerate(shown) for b in shown[i + 1:] if a.overlaps(b)]
        self.t.equal(pairs, [], "controls on each other, " + what)

    # ---- keys ----

    def key(self, *keys):
        subprocess.run(["xdotool", "key", "--delay", "30"] + list(keys), env=dict(os.environ, DISPLAY=self.screen.name), timeout=30,
                       check=True, stdout=subprocess.DEVNULL)

    def type(self, text):
        """As from a keyboard, where there is one with its characters."""
        subprocess.run(["xdotool", "type", "--delay", "30", text], env=dict(os.environ, DISPLAY=self.screen.name), timeout=30,
                       check=True, stdout=subprocess.DEVNULL)
