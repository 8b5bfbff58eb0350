"""Archives that are the same twice: sorted, owned by root, all of one time."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from project import changed_at


def tar_gz(out: Path, files: dict[str, Path | bytes], programs: frozenset[str] = frozenset()) -> Path:
    """Write files under these names; programs may be executed."""
    out.write_bytes(packed(files, programs))
    return out


def packed(files: dict[str, Path | bytes], programs: frozenset[str] = frozenset()) -> bytes:
    """Return the archive, with a folder for every part of a name, before what is in it."""
    folders = {parent for name in files for parent in parents(name)}
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(folders | files.keys(), key=lambda name: name.split("/")):
            content = files.get(name)
            data = content.read_bytes() if isinstance(content, Path) else content
            archive.addfile(entry(name, data, name in programs), None if data is None else io.BytesIO(data))
    zipped = io.BytesIO()
    with gzip.GzipFile(fileobj=zipped, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(raw.getvalue())
    return zipped.getvalue()


def parents(name: str) -> list[str]:
    """Return the folders around a file as it names them: dpkg takes `usr` and `./usr` for two."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def entry(name: str, data: bytes | None, is_program: bool) -> tarfile.TarInfo:
    """Return the head of a file, or of a folder where there are no data."""
    info = tarfile.TarInfo(name)
    info.mtime = changed_at()
    info.uname = info.gname = "root"
    if data is None:
        info.type, info.mode = tarfile.DIRTYPE, 0o755
    else:
        info.size, info.mode = len(data), 0o755 if is_program else 0o644
    return info


def deb(out: Path, control: str, files: dict[str, Path | bytes], programs: frozenset[str]) -> Path:
    """Write a Debian package: an `ar` archive of a version, a control archive and a data archive."""
    sizes = sum(len(content) if isinstance(content, bytes) else content.stat().st_size for content in files.values())
    control += f"Installed-Size: {sizes // 1024 + 1}\n"
    parts = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": packed({"./control": control.encode()}),
        "data.tar.gz": packed(
            {f"./{name}": content for name, content in files.items()}, frozenset(f"./{p}" for p in programs)
        ),
    }
    raw = b"!<arch>\n"
    for name, content in parts.items():
        head = f"{name:<16}{changed_at():<12}{0:<6}{0:<6}{0o100644:<8o}{len(content):<10}`\n"
        raw += head.encode() + content + b"\n" * (len(content) % 2)
    out.write_bytes(raw)
    return out
