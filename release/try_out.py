"""Try what `make dist` made as a user would: `make dist-check`.

The wheel in a clean environment of every CPython from 3.10 on (those in PATH or of pyenv, or PYTHONS="…"), with the
Python section of README.md, the program from its archive and from the Debian package, and the source archive without a
network (SOURCE=0 leaves that out; it is built without optimisation, since only that it builds counts). What the wheel
and the source archive say of the package is the same.
"""

from __future__ import annotations

import email
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from project import DIST, ROOT, run, said, target, version

SCRIPTS = "Scripts" if platform.system() == "Windows" else "bin"
# What tools write as they like.
LOOSE = {"Metadata-Version", "Description-Content-Type"}
FIT = ["fit", "shapes.csv", "-k", "5", "--image", "16x16", "--out", "result", "--report", "--quiet"]


def main() -> None:
    """Try all of it."""
    with tempfile.TemporaryDirectory() as place:
        there = Path(place)
        for python in interpreters():
            wheel(python, there / Path(python).name)
        program(there)
        debian(there)
        if os.environ.get("SOURCE", "1") == "1":
            source(there)
    print(f"emmf {version()} works as it would be installed")


def interpreters() -> list[str]:
    """Return every CPython that can be found, at least this one."""
    if "PYTHONS" in os.environ:
        return os.environ["PYTHONS"].split()
    managed = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob("3.*/bin"))
    places = os.pathsep.join([*map(str, managed), os.environ["PATH"]])
    found = [shutil.which(f"python3.{minor}", path=places) for minor in range(10, 20)]
    works = lambda python: subprocess.run([python, "-m", "venv", "-h"], capture_output=True).returncode == 0  # noqa: E731
    return [python for python in found if python and works(python)] or [sys.executable]


def wheel(python: str, place: Path) -> None:
    """Install the wheel, fit, and fit with the program that came with it."""
    run(python, "-m", "venv", place)
    own = place / SCRIPTS
    made = max(DIST.glob(f"emmf-{version()}-*.whl"))
    run(own / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", made)
    run(own / "python", ROOT / "python" / "tools" / "check_wheel.py", made, cwd=place)
    fit(own / "emmf", place)
    run(own / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{made}[plot]")
    run(own / "python", "-c", readme_block(), cwd=place, env={"MPLBACKEND": "agg"})


def readme_block() -> str:
    """Return the Python section of README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition("```python\n")[2].partition("```")[0]


def fit(emmf: Path, place: Path) -> None:
    """Make data, fit them, and look for the page."""
    if f"emmf {version()}" not in said(emmf, "--version"):
        sys.exit(f"{emmf} is another version")
    run(emmf, "synth", "shapes", "--out", "shapes.csv", cwd=place)
    run(emmf, *FIT, cwd=place)
    if "</html>" not in (place / "result" / "report.html").read_text(encoding="utf-8"):
        sys.exit(f"{emmf} wrote no page")


def program(there: Path) -> None:
    """Unpack the program, and fit."""
    packed = DIST / f"emmf-{version()}-{target()}.tar.gz"
    with tarfile.open(packed) as archive:
        archive.extractall(there / "program", filter="data")
    folder = there / "program" / packed.name.removesuffix(".tar.gz")
    fit(folder / ("emmf.exe" if platform.system() == "Windows" else "emmf"), folder)


def debian(there: Path) -> None:
    """Let dpkg install the Debian package, where there is one, and fit."""
    made = sorted(DIST.glob(f"emmf_{version()}_*.deb"))
    if not made or not shutil.which("dpkg"):
        print("skipped: no Debian package, or no dpkg")
        return
    run("dpkg-deb", "--info", made[0])
    installed(made[0], there / "debian")
    fit(there / "debian" / "usr" / "bin" / "emmf", there / "debian")


def installed(package: Path, root: Path) -> None:
    """Let dpkg install a package below a folder, as a user of one's own, whatever it depends on."""
    for name in ("info", "updates"):
        (root / "var" / "lib" / "dpkg" / name).mkdir(parents=True)
    (root / "var" / "lib" / "dpkg" / "status").touch()
    forced = [f"--force-{what}" for what in ("not-root", "depends", "bad-path")]
    run("dpkg", f"--root={root}", f"--log={root / 'dpkg.log'}", *forced, "--install", package)


def source(there: Path) -> None:
    """Build a wheel from the source archive, where it was made: no network, no crates but its own."""
    packed = DIST / f"emmf-{version()}.tar.gz"
    if not packed.exists():
        print(f"skipped: no {packed.name}")
        return
    with tarfile.open(packed) as archive:
        archive.extractall(there / "source", filter="data")
    offline = {"CARGO_HOME": str(there / "cargo"), "CARGO_NET_OFFLINE": "true", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
    offline |= {"CARGO_TARGET_DIR": str(there / "target"), "PIP_NO_INDEX": "1"}
    same_metadata(packed)
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", there / "built"]
    run(sys.executable, "-m", "pip", "wheel", *options, there / "source" / f"emmf-{version()}", env=offline)
    print(f"{next((there / 'built').glob('*.whl')).name}: built from the source archive alone")


def same_metadata(packed: Path) -> None:
    """Compare what an index shows of the source archive and of the wheel."""
    made = max(DIST.glob(f"emmf-{version()}-*.whl"), default=None)
    if made is None:
        print("skipped: no wheel to compare with")
        return
    with tarfile.open(packed) as archive, zipfile.ZipFile(made) as wheel:
        ours = archive.extractfile(f"emmf-{version()}/PKG-INFO")
        theirs = wheel.open(f"emmf-{version()}.dist-info/METADATA")
        said_by = [fields(file.read()) for file in (ours, theirs) if file]
    if said_by[0] != said_by[1]:
        sys.exit(f"{packed.name} and {made.name} differ in {sorted(said_by[0] ^ said_by[1])}")


def fields(text: bytes) -> set[tuple[str, str]]:
    """Return the fields of metadata, without the spaces, quotes and signs that tools write differently."""
    plain = lambda value: re.sub(r"[\s'\"]", "", value)  # noqa: E731
    return {(name, plain(value)) for name, value in email.message_from_bytes(text).items() if name not in LOOSE}


if __name__ == "__main__":
    main()
