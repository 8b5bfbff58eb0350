"""Make what is released, in target/dist: `make dist`. ONLY=program,wheel,source,sbom for some of it.

The program with completions and manual pages (.tar.gz, .deb), the wheel, which also holds the program, the source
archive, which holds every crate that it needs and builds without a network, a list of components, and checksums. Twice
the same bytes from the same commit and tools.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
from pathlib import Path

import archives
import sbom
import source
from project import DIST, GLIBC, LICENCES, ROOT, build_environment, is_linux, run, said, target, version

STAGE = ROOT / "target" / "stage"
SHELLS = {"bash": "emmf.bash", "zsh": "_emmf", "fish": "emmf.fish"}
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
DESCRIPTION = """Description: Clusters, centroids and outliers from one fit
 Robust nonnegative matrix factorization of tables, images, texts and counts,
 with an interactive page about the result.
"""


def main() -> None:
    """Make all of it, or what ONLY names."""
    DIST.mkdir(parents=True, exist_ok=True)
    for old in of_other_versions(DIST, version()):
        old.unlink()
    wanted = os.environ.get("ONLY", "program,wheel,source,sbom").split(",")
    if "program" in wanted or "wheel" in wanted:
        built = program()
    if "program" in wanted:
        pack_program(built)
    if "wheel" in wanted:
        wheel(built)
    if "source" in wanted:
        source.write(DIST / f"emmf-{version()}.tar.gz")
    if "sbom" in wanted:
        sbom.write(DIST / f"emmf-{version()}.cdx.json")
    checksums()


def of_other_versions(folder: Path, own: str) -> list[Path]:
    """Return what was made of other versions: it is not to be released, nor in the checksums."""
    is_own = re.compile(rf"emmf[-_]{re.escape(own)}(?!\.?[0-9])")
    return sorted(path for path in folder.glob("emmf[-_]*") if not is_own.match(path.name))


def program() -> Path:
    """Build the program, on Linux for an old glibc."""
    command = ["zigbuild", "--target", f"{target()}.{GLIBC}"] if is_linux() else ["build", "--target", target()]
    run("cargo", *command, "--release", "--locked", "--package", "emmf-cli", env=build_environment())
    return ROOT / "target" / target() / "release" / ("emmf.exe" if platform.system() == "Windows" else "emmf")


def pack_program(built: Path) -> None:
    """Pack the program with its completions, manual pages and licences."""
    shutil.rmtree(STAGE, ignore_errors=True)
    run(built, "man", "--out", STAGE / "man")
    completions = {name: said(built, "completions", shell).encode() for shell, name in SHELLS.items()}
    pages: dict[str, Path | bytes] = {page.name: page for page in sorted((STAGE / "man").glob("*.1"))}
    folder = f"emmf-{version()}-{target()}"
    files: dict[str, Path | bytes] = {f"{folder}/{built.name}": built, f"{folder}/README.md": ROOT / "README.md"}
    files |= {f"{folder}/{name}": ROOT / name for name in LICENCES}
    files |= {f"{folder}/completions/{name}": text for name, text in completions.items()}
    files |= {f"{folder}/man/{name}": page for name, page in pages.items()}
    archives.tar_gz(DIST / f"{folder}.tar.gz", files, frozenset([f"{folder}/{built.name}"]))
    if is_linux() and platform.machine() in DEBIAN:
        debian(built, completions, pages)


def debian(built: Path, completions: dict[str, bytes], pages: dict[str, Path | bytes]) -> None:
    """Make the Debian package."""
    architecture = DEBIAN[platform.machine()]
    control = (
        f"Package: emmf\nVersion: {version()}\nArchitecture: {architecture}\nSection: science\nPriority: optional\n"
    )
    control += f"Maintainer: The EMMF authors <emmf@localhost>\nDepends: libc6 (>= {GLIBC})\n{DESCRIPTION}"
    licence = b"".join((ROOT / name).read_bytes() + b"\n" for name in LICENCES)
    files: dict[str, Path | bytes] = {"usr/bin/emmf": built, "usr/share/doc/emmf/copyright": licence}
    files |= {f"usr/share/man/man1/{name}": page for name, page in pages.items()}
    files["usr/share/bash-completion/completions/emmf"] = completions["emmf.bash"]
    files["usr/share/zsh/vendor-completions/_emmf"] = completions["_emmf"]
    files["usr/share/fish/vendor_completions.d/emmf.fish"] = completions["emmf.fish"]
    archives.deb(DIST / f"emmf_{version()}_{architecture}.deb", control, files, frozenset(["usr/bin/emmf"]))


def wheel(built: Path) -> None:
    """Build the wheel around the module and the program."""
    scripts = ROOT / "python" / "emmf.data" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    shutil.copy2(built, scripts / built.name)
    old = ["--zig", "--compatibility", f"manylinux_{GLIBC.replace('.', '_')}"] if is_linux() else []
    options = ["--release", "--locked", "--target", target(), *old, "--out", DIST]
    run(sys.executable, "-m", "maturin", "build", *options, cwd=ROOT / "python", env=build_environment())
    if is_linux():
        made = max(DIST.glob(f"emmf-{version()}-*.whl"))
        shown = said(sys.executable, "-m", "auditwheel", "show", made)
        if "manylinux_2_17" not in shown:
            sys.exit(f"auditwheel does not find the wheel fit for glibc {GLIBC}:\n{shown}")


def checksums() -> None:
    """Write SHA256SUMS of everything there."""
    files = sorted(path for path in DIST.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print("".join(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}\n" for path in files), end="")


if __name__ == "__main__":
    main()
