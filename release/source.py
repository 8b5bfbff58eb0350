"""Make the source archive of the Python package.

It holds the tracked files and every crate that they need, so that it builds without a network.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import archives
from project import LICENCES, ROOT, manifest, project_table, run, said, version

VENDOR = ROOT / "target" / "vendor"
# What building does not need.
LEFT_OUT = (
    "docs/",
    "benches/",
    "site/",
    "release/",
    "tests/",
    "python/tests/",
    "python/cluster/",
    "python/examples/",
    ".github/",
    ".ci/",
)
CONFIG = """[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "vendor"
"""
# The package lies at the top of the archive, where pip looks for it.
MOVED = {
    'readme = "README.md"': 'readme = "python/README.md"',
    'backend-path = ["tools"]': 'backend-path = ["python/tools"]',
    'manifest-path = "../crates/emmf-py/Cargo.toml"': 'manifest-path = "crates/emmf-py/Cargo.toml"',
    'python-source = "."': 'python-source = "python"',
}


def write(out: Path) -> Path:
    """Write the archive."""
    shutil.rmtree(VENDOR, ignore_errors=True)
    run("cargo", "vendor", "--locked", "--quiet", "--versioned-dirs", VENDOR)
    top = f"emmf-{version()}"
    files: dict[str, Path | bytes] = {}
    for name in said("git", "ls-files").splitlines():
        if not name.startswith(LEFT_OUT) and (ROOT / name).is_file():
            files[f"{top}/{name}"] = ROOT / name
    for path in VENDOR.rglob("*"):
        if path.is_file():
            files[f"{top}/vendor/{path.relative_to(VENDOR).as_posix()}"] = path
    files[f"{top}/.cargo/config.toml"] = CONFIG.encode()
    files[f"{top}/pyproject.toml"] = pyproject().encode()
    files[f"{top}/PKG-INFO"] = package_info().encode()
    return archives.tar_gz(out, files)


def pyproject() -> str:
    """Return pyproject.toml with paths as they are in the archive."""
    text = (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8")
    for here, there in MOVED.items():
        if here not in text:
            raise SystemExit(f"python/pyproject.toml has no line {here}")
        text = text.replace(here, there)
    return text


def package_info() -> str:
    """Return the metadata that an index reads from a source archive: what the wheel says, too."""
    project = project_table()
    fields = [("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", version())]
    fields += [("Summary", project["description"]), ("Keywords", ",".join(project["keywords"]))]
    fields += [("License-Expression", project["license"]), *(("License-File", name) for name in LICENCES)]
    fields += [("Classifier", name) for name in project["classifiers"]]
    fields += [("Home-Page", manifest()["workspace"]["package"]["homepage"])]
    fields += [("Requires-Python", project["requires-python"])]
    fields += [("Requires-Dist", need) for need in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        fields += [("Requires-Dist", f"{need} ; extra == '{extra}'") for need in needs]
        fields += [("Provides-Extra", extra)]
    fields += [("Description-Content-Type", "text/markdown")]
    readme = (ROOT / "python" / project["readme"]).read_text(encoding="utf-8")
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + readme
