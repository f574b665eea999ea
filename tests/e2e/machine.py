"""A sample machine: a prefix with a CUDA 10.1 toolkit, a machine PATH and the programs in a folder with an awkward name."""

import glob
import os
import shutil

import wine

# Every character that people and shells trip over. '%' and ';' cannot stand in a PATH entry, so only the archive's folder has them.
ODD = "工具 é [v] & ! ^ ' ="
TREE = "C:\\CUDA " + ODD + "\\v10.1"
MEDIA = "C:\\medien " + ODD + " 100% ; x"
DEFAULT_TREE = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"
P = "C:\\Program Files\\cudnn-setup"
MACHINE_PATH = "%SystemRoot%\\system32;%SystemRoot%;C:\\tools\\one;;\"C:\\quoted one\\\";C:\\Tools\\ONE\\"

REGISTRY_ROOTS = ("HKLM\\System", "HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall",
                  "HKLM\\Software\\NVIDIA Corporation", "HKCU\\Environment")
# What Wine itself rewrites at each start: its video adapters and monitors, and how many services the service manager has counted.
WINES_OWN = ("\\Control\\Video", "\\Control\\Class\\{4D36E968", "\\Control\\Class\\{4D36E96E", "\\Control\\ServiceCurrent", "\\Enum\\",
             "\\Hardware Profiles\\",
             "\\NetworkCards", "\\DeviceClasses")


class Machine:
    def __init__(self, case, tree=TREE, media=MEDIA, sample="sample", path=MACHINE_PATH, toolkit=True, boot=True):
        self.case = case
        self.wine = case.prefix()
        self.tree, self.media, self.media_unix = tree, media, None
        self.wine.helper = "C:\\e2e\\e2e_helper.exe"
        self.setup_exe = media + "\\cudnn-setup.exe"
        self.doctor_exe = media + "\\cudnn-doctor.exe"
        self.sample_folder = sample
        self.path = path
        self.toolkit = toolkit

    def __enter__(self):
        self.wine.start()
        self.media_unix = self.wine.make(self.media)
        self.wine.put(self.case.program("e2e_helper.exe"), self.wine.helper)
        self.wine.put(self.case.program("cudnn-setup.exe"), self.setup_exe)
        self.wine.put(self.case.program("cudnn-doctor.exe"), self.doctor_exe)
        if self.toolkit:
            self.add_toolkit(self.tree)
            self.wine.set_value("CUDA_PATH_V10_1", wine.REG_SZ, wine.utf16(self.tree))
        if self.path is not None:
            self.wine.set_value("PATH", wine.REG_EXPAND_SZ, wine.utf16(self.path))
        return self

    def __exit__(self, *unused):
        self.wine.stop()

    def add_toolkit(self, tree):
        shutil.copytree(self.case.sample("toolkit"), self.wine.unix(tree), dirs_exist_ok=True)

    def add_old_cudnn(self):
        shutil.copytree(self.case.sample("old76"), self.wine.unix(self.tree), dirs_exist_ok=True)

    # ---- the archive ----

    def sample_file(self, pattern):
        found = sorted(glob.glob(os.path.join(glob.escape(self.case.sample(self.sample_folder)), pattern)))
        assert len(found) == 1, "one %s in the sample, not %s" % (pattern, found)
        return found[0]

    def add_archive(self):
        """Puts the sample zip and its manifest into the media folder; returns their Windows paths."""
        paths = []
        for pattern in ("*.zip", "*.json"):
            source = self.sample_file(pattern)
            target = self.media + "\\" + os.path.basename(source)
            if not self.wine.exists(target):
                os.link(source, self.wine.unix(target))
            paths.append(target)
        return paths

    def install(self, *more, **options):
        archive, manifest = self.add_archive()
        proof = () if "/selftest:skip" in more else ("/selftest-as:current",)
        return self.wine.setup(self.setup_exe, "/install", "/quiet", "/archive:" + archive, "/manifest:" + manifest,
                               *(proof + more), **options)

    def setup(self, *arguments, **options):
        return self.wine.setup(self.setup_exe, *arguments, **options)

    def doctor(self, *arguments, **options):
        return self.wine.setup(self.doctor_exe, *arguments, **options)

    # ---- what is there ----

    def snapshot(self):
        """Everything that has to come back exactly: the tree and the registry."""
        return {"tree": self.wine.tree(self.tree), "registry": self.registry(REGISTRY_ROOTS)}

    def registry(self, roots):
        return {key: values for key, values in self.wine.registry(roots).items() if not any(own in key for own in WINES_OWN)}

    def path_value(self):
        return self.wine.value("PATH")


def differences(before, after):
    """Names of what differs between two snapshots, for a readable failure."""
    found = []
    for part in before:
        for name in sorted(set(before[part]) | set(after[part])):
            if before[part].get(name) != after[part].get(name):
                found.append("%s %s: %s -> %s" % (part, name, before[part].get(name), after[part].get(name)))
    return found
