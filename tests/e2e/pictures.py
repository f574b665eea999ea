"""The pictures of the documentation: `./dev pictures` makes them all, in both languages at 96 and 192 dots per inch.

The windows are the real program's at real work on the project's sample; nothing is drawn. Like the cases, each function here has a machine
of its own."""

import glob
import os
import re
import shutil
import signal
import subprocess
import time

import wine
from cases_wizard import go_on, workers
from machine import DEFAULT_TREE
from window import AMOUNT, CUDA_PATH, INSTALL, ROWS, STEP, TOOLKITS, VERIFY, Seat

DOWNLOADS = "C:\\Users\\user\\Downloads"
BACKGROUND = (228, 232, 238)
SCALES = (96, 192)
SCREEN = "1600x1200"
LARGEST = 200000    # bytes; pictures are read over slow lines, too
GPU_ROW = 3


class Studio(Seat):
    """A seat with a desktop in one colour, and title bars."""

    def set_fonts(self):
        super().set_fonts()
        for path in glob.glob("/usr/share/**/marlett.ttf", recursive=True)[:1]:
            shutil.copyfile(path, os.path.join(self.m.wine.drive, "windows", "Fonts", "marlett.ttf"))
        with open(os.path.join(self.m.wine.root, "user.reg"), "a", encoding="ascii") as file:
            file.write('\n[Software\\\\Wine\\\\Explorer] 1\n"Desktop"="Default"\n'
                       '\n[Software\\\\Wine\\\\Explorer\\\\Desktops] 1\n"Default"="%s"\n' % SCREEN)
            file.write('\n[Control Panel\\\\Colors] 1\n"Background"="%d %d %d"\n' % BACKGROUND)
            # White titles as those of Windows; Wine paints that of a window which opens in front as if it were not.
            for name in ("ActiveTitle", "GradientActiveTitle", "InactiveTitle", "GradientInactiveTitle"):
                file.write('"%s"="255 255 255"\n' % name)
            file.write('"TitleText"="0 0 0"\n"InactiveTitleText"="0 0 0"\n')

    def take(self, name, dpi):
        """The window and what is in front of it, with a margin."""
        time.sleep(0.5)     # the last of it is drawn after it is known
        path = os.path.join(self.t.options.pictures, name + ".png")
        colour, margin = "rgb(%d,%d,%d)" % BACKGROUND, 16 * dpi // 96
        shot = os.path.join(self.m.wine.root, "shot.png")
        subprocess.run(["import", "-display", self.screen.name, "-window", "root", shot], timeout=60, check=True)
        subprocess.run(["convert", shot, "-bordercolor", colour, "-border", "1", "-trim", "+repage", "-border", str(margin), "+dither", "-colors",
                        "256", "-strip", "-define", "png:compression-level=9", "-define", "png:exclude-chunks=date,time", path], timeout=60,
                       check=True)
        size = os.path.getsize(path)
        self.t.check(3000 < size < LARGEST, "%s: %d bytes" % (path, size))


def add_neighbours(s):
    """What a computer has beside the toolkit: a driver and a GPU, an older cuDNN, a framework with a cuDNN of its own."""
    m = s.m
    m.add_old_cudnn()
    m.wine.put(s.t.sample("faults", "gpu-good", "bin", "nvcuda.dll"), "C:\\windows\\system32\\nvcuda.dll")
    packages = m.wine.make("C:\\conda\\envs\\ml\\Lib\\site-packages")
    os.makedirs(packages + "/torch-1.8.1_cu101.dist-info")
    with open(packages + "/torch-1.8.1_cu101.dist-info/METADATA", "w", encoding="utf-8") as file:
        file.write("Metadata-Version: 2.1\nName: torch\nVersion: 1.8.1+cu101\n")
    os.makedirs(packages + "/torch/lib")
    shutil.copyfile(s.t.sample("old76", "bin", "cudnn64_7.dll"), packages + "/torch/lib/cudnn64_7.dll")
    for folder in (m.wine.make("C:\\users\\" + name + "\\.conda") for name in os.listdir(m.wine.unix("C:\\users")) if name != "Public"):
        with open(folder + "/environments.txt", "w", encoding="utf-8") as file:
            file.write("C:\\conda\\envs\\ml\n")


def ready(s, *words):
    """The first page, once it has heard of the GPU."""
    s.start(*words)
    page = s.until(lambda d: d[ROWS] is not None and (d[INSTALL] is not None or d[VERIFY] is not None), "the first page", 60)
    s.until(lambda d: "Sample GPU" in (s.measured(d).cell(GPU_ROW, 1) or ""), "the GPU", 60)
    return page


def show_choices(s, words, name, dpi):
    m, other, newer = s.m, "C:\\CUDA\\v10.1", "C:\\CUDA\\v11.0"
    m.add_toolkit(other)
    m.add_toolkit(newer)
    os.rename(m.wine.unix(newer + "\\bin\\cudart64_101.dll"), m.wine.unix(newer + "\\bin") + "/cudart64_110.dll")
    m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(other))
    m.wine.set_value("CUDA_PATH", wine.REG_SZ, wine.utf16(newer))
    page = ready(s, *words)
    s.t.check(page[TOOLKITS] and page[CUDA_PATH], "there is something to choose")
    s.take(name % "choices", dpi)
    s.key("Escape")
    s.end()
    m.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(m.tree))
    m.wine.set_value("CUDA_PATH", None, None)
    shutil.rmtree(m.wine.unix("C:\\CUDA"))


def show_whole_job(s, words, name, dpi):
    ready(s, *words)
    s.take(name % "ready", dpi)
    s.key("Return")
    s.until(lambda d: d[ROWS] is not None and d[INSTALL] is None, "the result", 60)
    s.take(name % "result", dpi)
    s.key("Escape")
    s.end()
    ready(s, *words)
    s.take(name % "installed", dpi)
    s.key("alt+u")
    s.until(lambda d: d.is_question(), "the question")
    s.take(name % "question", dpi)
    s.key("alt+u")
    s.until(lambda d: d[ROWS] is not None and d[VERIFY] is None, "uninstalled", 60)
    s.key("Escape")
    s.end()


def share(amount):
    """Of "421.0 MB of 696.9 MB · 610.2 MB/s"."""
    sizes = [float(size) for size in re.findall(r"([0-9.]+) MB(?!/)", amount)]
    return sizes[0] / sizes[1] if len(sizes) == 2 else 0


def show_cancelled(s, words, name, dpi):
    ready(s, *words)
    s.key("Return")
    s.until(lambda d: d.said(STEP) in ("Verifying and unpacking", "校验并解压") and share(d.said(AMOUNT)) > 0.4, "unpacking", 60)
    for process in workers(s.m):
        os.kill(process, signal.SIGSTOP)
    s.take(name % "working", dpi)
    s.key("Escape")
    s.until(lambda d: d.is_question(), "the question")
    s.key("alt+s")
    time.sleep(0.5)
    go_on(s)
    s.until(lambda d: d[ROWS] is not None, "cancelled", 60)
    s.take(name % "cancelled", dpi)
    s.key("Escape")
    s.end()


def show_failure(s, words, name, dpi):
    m = s.m
    ready_file, stop = m.wine.out("ready"), m.wine.out("stop")
    ready(s, *words)
    locker = m.wine.popen([m.wine.helper, "lock", m.tree + "\\include\\cudnn.h", ready_file, stop])
    wine.wait_until(lambda: m.wine.exists(ready_file), 30, "the locker")
    s.key("Return")
    s.until(lambda d: d[ROWS] is not None and d[INSTALL] is None, "the failure", 60)
    s.take(name % "failed", dpi)
    s.key("Escape")
    s.end()
    m.wine.make(stop)
    locker.wait(30)


def show_all(t, language):
    os.makedirs(t.options.pictures, exist_ok=True)
    with Studio(t, screen=SCREEN, tree=DEFAULT_TREE, media=DOWNLOADS) as s:
        add_neighbours(s)
        archive, manifest = s.m.add_archive()
        words = ["/lang:" + language, "/archive:" + archive, "/manifest:" + manifest, "/selftest-as:current"]
        big = [DOWNLOADS + "\\cudnn-sample-fullsize" + end for end in (".zip", ".json")]
        for path in big:
            os.link(os.path.join(t.sample("fullsize"), path.rpartition("\\")[2]), s.m.wine.unix(path))
        for dpi in SCALES:
            name = "%%s-%s%s" % (language, "" if dpi == 96 else "-%ddpi" % dpi)
            s.resolution(dpi)
            show_choices(s, words, name, dpi)
            show_whole_job(s, words, name, dpi)
            show_cancelled(s, ["/lang:" + language, "/archive:" + big[0], "/manifest:" + big[1], "/selftest-as:current"], name, dpi)
            show_failure(s, words, name, dpi)


def case_pictures_en(t):
    """the pictures in English"""
    show_all(t, "en")


def case_pictures_zh(t):
    """the pictures in Chinese"""
    show_all(t, "zh-CN")
