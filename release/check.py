"""Whether everything is ready for a release: `make release-check`.

Versions and changelog agree, every published crate can be packaged and builds from its package (VERIFY=0 leaves the
build out), the stated Rust version is the lowest that is tested, the interface has not broken what the last version
promised, and workflows are sound. What cannot be checked here, because a tool is not there, is said.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from project import LICENCES, ROOT, manifest, metadata, published, run, said, version

SKIPPED: list[str] = []


def main() -> None:
    """Check all."""
    versions()
    manifests()
    rust_version()
    features()
    packages()
    interface()
    workflows()
    for line in SKIPPED:
        print("skipped:", line)
    print(f"emmf {version()} is ready, but for what was skipped" if SKIPPED else f"emmf {version()} is ready")


def fail_unless(holds: bool, complaint: str) -> None:
    """End with a complaint."""
    if not holds:
        sys.exit(f"not ready: {complaint}")


def versions() -> None:
    """One version everywhere, and a section of the changelog about it."""
    wanted = version()
    for package in metadata()["packages"]:
        if package["source"] is None:
            fail_unless(
                package["version"] == wanted, f"{package['name']} has version {package['version']}, not {wanted}"
            )
    for name, dependency in manifest()["workspace"]["dependencies"].items():
        if isinstance(dependency, dict) and "path" in dependency:
            fail_unless(
                dependency["version"] == wanted, f"the workspace wants {name} {dependency['version']}, not {wanted}"
            )
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    fail_unless(f"\n## {wanted} " in changelog, f"CHANGELOG.md has no section ## {wanted}")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fail_unless(f"\nversion: {wanted}\n" in citation, f"CITATION.cff does not say version: {wanted}")


def manifests() -> None:
    """Everything that a registry shows is there."""
    wanted = ["description", "license", "repository", "homepage", "documentation", "readme", "keywords"]
    wanted += ["categories", "rust_version"]
    for package in metadata()["packages"]:
        if package["source"] is None and package["name"] in published():
            missing = [field for field in wanted if not package[field]]
            fail_unless(not missing, f"the manifest of {package['name']} has no {', '.join(missing)}")
    if "OWNER" in manifest()["workspace"]["package"]["repository"]:
        SKIPPED.append(
            "repository and homepage of Cargo.toml are placeholders; set them before publishing (RELEASING.md)"
        )


def rust_version() -> None:
    """The stated Rust version is not below what dependencies need, and is tested where it is installed."""
    stated = str(manifest()["workspace"]["package"]["rust-version"])
    number = lambda text: tuple(int(part) for part in (text.split(".") + ["0"])[:3])  # noqa: E731
    needs = [package for package in metadata()["packages"] if package["rust_version"]]
    most = max(needs, key=lambda package: number(package["rust_version"]))
    too_low = number(stated) < number(most["rust_version"])
    fail_unless(not too_low, f"rust-version is {stated}, but {most['name']} needs {most['rust_version']}")
    others = max((number(p["rust_version"]), p["name"]) for p in needs if p["source"] is not None)
    print(f"rust-version {stated}; of the dependencies {others[1]} needs most, {'.'.join(map(str, others[0]))}")
    installed = toolchain(stated, said("rustup", "toolchain", "list") if shutil.which("rustup") else "")
    if installed:
        run("cargo", f"+{installed}", "check", "--workspace", "--locked", "--quiet")
    else:
        SKIPPED.append(f"Rust {stated} is not installed, so the stated version is not tested")


def toolchain(stated: str, listed: str) -> str | None:
    """Return the full name of a toolchain of this version: rustup knows 1.95.0-… only by all of it."""
    found = re.search(rf"^{re.escape(stated)}(?![0-9])\S*", listed, re.MULTILINE)
    return found[0] if found else None


def features() -> None:
    """The library works without threads and approximate neighbours."""
    run("cargo", "test", "--quiet", "--package", "emmf", "--no-default-features", "--lib", "--examples")


def packages() -> None:
    """Every published crate can be packaged, holds its licences, and builds from what is in the package."""
    names = published()
    options = [word for name in names for word in ("--package", name)]
    verify = [] if os.environ.get("VERIFY", "1") == "1" else ["--no-verify"]
    dirty = ["--allow-dirty"] if said("git", "status", "--porcelain") else []
    run("cargo", "package", "--locked", "--quiet", *options, *verify, *dirty)
    for name in names:
        made = ROOT / "target" / "package" / f"{name}-{version()}.crate"
        held = contents(made)
        missing = {"README.md", "Cargo.toml"} - held.keys()
        fail_unless(not missing, f"{made.name} does not hold {', '.join(sorted(missing))}")
        for licence in LICENCES:
            same = held.get(licence) == (ROOT / licence).read_bytes()
            fail_unless(same, f"{made.name} does not hold {licence} as it is at the top of the repository")
        print(f"{made.name}: {made.stat().st_size / 1e3:.0f} kB, {len(held)} files")


def contents(package: Path) -> dict[str, bytes]:
    """Return the files of a package, by their names below its folder."""
    with tarfile.open(package) as archive:
        files = [entry for entry in archive.getmembers() if entry.isfile()]
        return {entry.name.partition("/")[2]: archive.extractfile(entry).read() for entry in files}  # type: ignore[union-attr]


def interface() -> None:
    """Nothing that the last version promised is broken without a new version."""
    has_tool = subprocess.run(["cargo", "semver-checks", "--version"], capture_output=True).returncode == 0
    tags = said("git", "tag", "--list", "v*", "--sort=-version:refname").split()
    if not has_tool:
        SKIPPED.append("no cargo semver-checks, so the interface is not compared with the last version")
    elif not tags:
        SKIPPED.append("no tag of an earlier version to compare the interface with")
    else:
        run("cargo", "semver-checks", "--baseline-rev", tags[0], "--package", "emmf", "--package", "emmf-io")


def workflows() -> None:
    """The workflows are sound, where the linters are installed."""
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    for tool, options in (("actionlint", []), ("zizmor", ["--offline", "--quiet"])):
        beside = Path(sys.executable).with_name(tool)
        program = str(beside) if beside.exists() else shutil.which(tool)
        if program:
            run(program, *options, *files)
        else:
            SKIPPED.append(f"no {tool}, so workflows are not checked by it")


if __name__ == "__main__":
    main()
