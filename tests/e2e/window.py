"""A person at the window: a screen of its own, keys as from a keyboard, and what is to be seen."""

import os
import shutil
import subprocess
import time

import wine
from machine import Machine

FONT = "WenQuanYi Micro Hei"    # has both scripts
TOOLS = ("xdotool", "import")

HEADING, LINE, TOOLKITS, ROWS, EXPLAIN, CUDA_PATH, STEP, FILE, AMOUNT, TEXT = 1000, 1001, 1003, 1004, 1005, 1006, 1007, 1009, 1010, \
    1011
INSTALL, CHECK_AGAIN, ARCHIVE, CHANGES, LICENCE, VERIFY, REPAIR, ROLL_BACK, UNINSTALL, TEST = range(1100, 1110)
TRY_AGAIN, REPORT, COPY, RECOVER, UNVERIFIED, TOOLKIT, CANCEL, YES = 1111, 1112, 1113, 1114, 1115, 1116, 2, 6


class Control:
    def __init__(self, line):
        _, identity, self.kind, self.flags, place, needs, self.text = line.split("\t")
        self.id = int(identity)
        self.left, self.top, self.right, self.bottom = map(int, place.split(","))
        self.needs = None if needs == "-" else tuple(map(int, needs.split(",")))
        self.cells = []     # of a list: (row, column, width that it needs, width of the column, text); the header is row -1

    def overlaps(self, other):
        return (self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom)

    def is_cut(self):
        """Whether some of its text cannot be seen. What has a scroll bar needs no more room."""
        return (self.kind != "Edit" and self.needs is not None and
                (self.needs[0] > self.right - self.left or self.needs[1] > self.bottom - self.top))


class Dialog:
    def __init__(self, line):
        _, self.handle, place, corner, self.text = line.split("\t")
        self.client = list(map(int, place.split(",")))
        self.corner = tuple(map(int, corner.split(",")))
        self.controls = []

    def __getitem__(self, identity):
        for control in self.controls:
            if control.id == identity:
                return control
        return None

    def said(self, identity):
        control = self[identity]
        return control.text if control else None

    def cell(self, row, column):
        """Text in the list; None: there is no such cell, or it was not measured."""
        for cell in self[ROWS].cells if self[ROWS] else []:
            if cell[:2] == (row, column):
                return cell[4]
        return None

    def is_question(self):
        return self[HEADING] is None and self[TEXT] is None


class Seat:
    """Use as a context manager: a machine with its own screen; the options are the machine's."""

    def __init__(self, t, screen="1280x900", **options):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            t.skip("no %s here" % " and no ".join(missing))
        self.t = t
        self.screen = wine.Display(screen)
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
            file.write('"Consolas"="%s Mono"\n' % FONT)

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

    def window(self, *words):
        return self.m.wine.run(["C:\\e2e\\e2e_window.exe"] + list(words), 30)

    def look(self, how="dump"):
        """Every dialog from the front. how "measure": with what each text needs, and the cells of lists."""
        out = self.m.wine.out("sight")
        self.window(how, out)
        dialogs = []
        for line in self.m.wine.text(out).splitlines() if self.m.wine.exists(out) else []:
            if line.startswith("window\t"):
                dialogs.append(Dialog(line))
            elif line.startswith("control\t"):
                dialogs[-1].controls.append(Control(line))
            elif line.startswith("cell\t"):
                fields = line.split("\t")[1:]
                assert len(fields) == 5, "the list cannot be measured: " + line
                dialogs[-1].controls[-1].cells.append((*map(int, fields[:4]), fields[4]))
        return dialogs

    def measured(self, dialog):
        """The same dialog, with what its texts need."""
        return next(d for d in self.look("measure") if d.handle == dialog.handle)

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
        self.window("clipboard", out)
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
        """Every control lies inside the window, none on another, and each text can be seen whole."""
        self.fit(self.measured(dialog), what)

    def fit(self, dialog, what):
        """fits, for a dialog that is measured already."""
        shown = dialog.controls
        outside = [c.id for c in shown if c.left < 0 or c.top < 0 or c.right > dialog.client[2] or c.bottom > dialog.client[3]]
        self.t.equal(outside, [], "controls outside the window, " + what)
        pairs = [(a.id, b.id) for i, a in enumerate(shown) for b in shown[i + 1:] if a.overlaps(b)]
        self.t.equal(pairs, [], "controls on each other, " + what)
        cut = [(c.id, c.needs, (c.right - c.left, c.bottom - c.top), c.text) for c in shown if c.is_cut()]
        self.t.equal(cut, [], "texts that do not fit, " + what)
        cells = dialog[ROWS].cells if dialog[ROWS] else []
        cut = [cell for cell in cells if cell[3] and cell[2] > cell[3]]     # a column without width is not there
        self.t.equal(cut, [], "cells that do not fit, " + what)

    # ---- keys ----

    def key(self, *keys):
        subprocess.run(["xdotool", "key", "--delay", "30"] + list(keys), env=dict(os.environ, DISPLAY=self.screen.name), timeout=30,
                       check=True, stdout=subprocess.DEVNULL)

    def type(self, text):
        """As from a keyboard, where there is one with its characters; again where a key was lost on the way."""
        for _ in range(3):
            subprocess.run(["xdotool", "type", "--delay", "30", text], env=dict(os.environ, DISPLAY=self.screen.name), timeout=30,
                           check=True, stdout=subprocess.DEVNULL)
            try:
                self.until(lambda d: any(c.text == text for c in d.controls), "the typed text", 5)
                return
            except AssertionError as error:
                lost = error
            self.key("ctrl+a")
        raise lost

    # ---- the mouse ----

    def click(self, dialog, identity):
        """A click in the middle of a control."""
        control = dialog[identity]
        x = dialog.corner[0] + (control.left + control.right) // 2
        y = dialog.corner[1] + (control.top + control.bottom) // 2
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], env=dict(os.environ, DISPLAY=self.screen.name), timeout=30,
                       check=True, stdout=subprocess.DEVNULL)

    # ---- what needs neither: windows that are not in front ----

    def press(self, *buttons):
        """Each a dialog and a control."""
        code, _ = self.window("press", *(word for dialog, identity in buttons for word in (dialog.handle, str(identity))))
        assert code == 0, "no such button: %s" % [(dialog.text, identity) for dialog, identity in buttons]

    def drop(self, dialog, path):
        code, _ = self.window("drop", dialog.handle, path)
        assert code == 0, "nothing was dropped on %s" % dialog.text
