"""Archives and manifests for the measurements: the sealed twin of a pinned manifest, a manifest for any ZIP of DLLs, and ZIPs of any size
or number of entries, made without compressing anything twice."""

import hashlib
import json
import os
import random
import struct
import zipfile
import zlib

PIECE = 1 << 20


def hash_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def write_manifest(path, manifest):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return path


def seal(manifest_path, archive, out):
    """The same manifest with every file's size and hash, as `cudnn-doctor seal` writes it, for an archive with the manifest's names."""
    with open(manifest_path, encoding="utf-8") as file:
        manifest = json.load(file)
    with zipfile.ZipFile(archive) as z:
        by_name = {name.split("/", 1)[-1].lower(): name for name in z.namelist()}
        by_name.update({name.lower(): name for name in z.namelist()})
        for row in manifest["files"]:
            digest, size = hashlib.sha256(), 0
            with z.open(by_name[row["source"].lower()]) as entry:
                for block in iter(lambda: entry.read(1 << 20), b""):
                    digest.update(block)
                    size += len(block)
            row["size"], row["sha256"] = size, digest.hexdigest()
    return write_manifest(out, manifest)


def pin_dlls(archive, model_path, out):
    """A pinned manifest whose files are the archive's DLLs."""
    with open(model_path, encoding="utf-8") as file:
        manifest = json.load(file)
    with zipfile.ZipFile(archive) as z:
        names = [name for name in z.namelist() if name.lower().endswith(".dll")]
    manifest["files"] = [{"source": name, "target": "bin/" + os.path.basename(name), "kind": "dll"} for name in names]
    manifest["sample"] = True
    manifest["archive"] = {"names": [os.path.basename(archive)], "sha256": hash_file(archive)}
    manifest.pop("wrong_archives", None)
    return write_manifest(out, manifest)


class Pieces:
    """Deflated pieces of 1 MiB that can be put together to an entry of any length: each ends in a flush, the last in an empty block."""

    def __init__(self, seed=8003, count=12):
        noise = random.Random(seed)
        words = [noise.randbytes(noise.randrange(4, 40)) for _ in range(400)]
        self.items = []
        for _ in range(count):
            content = bytearray()
            while len(content) < PIECE:
                content += words[noise.randrange(400)] if noise.random() < 0.55 else noise.randbytes(14)
            self.items.append((bytes(content[:PIECE]), self.deflate(bytes(content[:PIECE]))))

    @staticmethod
    def deflate(content):
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        return packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)

    def entry(self, size, start):
        """Blocks of the stream, its CRC and length, for a content of size bytes."""
        blocks, crc, index = [], 0, start
        while size:
            content, stream = self.items[index % len(self.items)]
            if size < PIECE:
                content = content[:size]
                stream = self.deflate(content)
            blocks.append(stream)
            crc = zlib.crc32(content, crc)
            size -= len(content)
            index += 1
        blocks.append(b"\x03\x00")
        return blocks, crc


def make(path, pieces, rows):
    """A plain ZIP of rows (name, size)."""
    directory = bytearray()
    with open(path, "wb") as out:
        for number, (name, size) in enumerate(rows):
            blocks, crc = pieces.entry(size, number)
            packed, raw, at = sum(map(len, blocks)), name.encode("ascii"), out.tell()
            head = struct.pack("<5H3I2H", 20, 0, 8, 0, 0x5100, crc, packed, size, len(raw), 0)
            out.write(b"PK\3\4" + head + raw)
            for block in blocks:
                out.write(block)
            directory += b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<3H2I", 0, 0, 0, 0, at) + raw
        at = out.tell()
        out.write(directory)
        out.write(b"PK\5\6" + struct.pack("<4H2IH", 0, 0, len(rows), len(rows), len(directory), at, 0))
    return path


def grown(path, pieces, model_path, model_archive, percent):
    """The archive of the model's rows with percent of their sizes, and its pinned manifest."""
    with open(model_path, encoding="utf-8") as file:
        manifest = json.load(file)
    with zipfile.ZipFile(model_archive) as z:
        sizes = {info.filename.lower(): info.file_size for info in z.infolist()}
    rows = []
    for row in manifest["files"]:
        size = next(sizes[n] for n in ("cuda/" + row["source"].lower(), row["source"].lower()) if n in sizes)
        rows.append(("cuda/" + row["source"], size * percent // 100))
    make(path, pieces, rows)
    manifest["archive"] = {"names": [os.path.basename(path)], "sha256": hash_file(path)}
    manifest.pop("wrong_archives", None)
    return write_manifest(path[:-4] + ".json", manifest), sum(size for _, size in rows)


def crowded(path, pieces, count, total):
    """count entries of equal size, total bytes in all."""
    make(path, pieces, [("cuda/bin/f%05d.dll" % i, total // count) for i in range(count)])
