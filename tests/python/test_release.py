"""What is released: archives that a package manager takes, of one version."""

import io
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="skipped: releases are made with Python 3.11 or newer")
sys.path.insert(0, str(Path(__file__).parents[2] / "release"))

import archives
import check
import dist
import project
import source
import try_out

FILES = {"usr/bin/emmf": b"#!/bin/sh\n", "usr/share/doc/emmf/copyright": b"MIT", "usr/share/man/man1/emmf.1": b"."}


@pytest.mark.parametrize("before", ["", "./"])
def test_folders_come_before_what_is_in_them(before):
    files = {before + name: content for name, content in FILES.items()}
    with tarfile.open(fileobj=io.BytesIO(archives.packed(files, frozenset([before + "usr/bin/emmf"])))) as archive:
        entries = archive.getmembers()
    seen = set()
    for entry in entries:
        folder = entry.name.rpartition("/")[0]
        assert not folder or folder in seen, entry.name
        assert entry.isdir() == (entry.name not in files)
        assert entry.mode == (0o755 if entry.isdir() or entry.name.endswith("bin/emmf") else 0o644)
        seen.add(entry.name)
    assert files.keys() <= seen


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="skipped: no dpkg")
def test_dpkg_installs_the_package(tmp_path):
    control = "Package: emmf\nVersion: 1.0\nArchitecture: all\nMaintainer: Nobody <nobody@localhost>\nDescription: x\n"
    package = archives.deb(tmp_path / "emmf.deb", control, FILES, frozenset(["usr/bin/emmf"]))
    try_out.installed(package, tmp_path / "root")
    for name, content in FILES.items():
        assert (tmp_path / "root" / name).read_bytes() == content


def test_a_toolchain_is_called_by_its_full_name():
    listed = "stable-x86_64-unknown-linux-gnu (default)\n1.95.0-x86_64-unknown-linux-gnu (active)\n1.950-x\n"
    assert check.toolchain("1.95", listed) == "1.95.0-x86_64-unknown-linux-gnu"
    assert check.toolchain("1.9", listed) is None
    assert check.toolchain("1.95", "") is None


def test_other_versions_are_not_released(tmp_path):
    own = ["emmf-0.2.0.tar.gz", "emmf_0.2.0_amd64.deb", "emmf-0.2.0-cp310-abi3-linux.whl", "emmf-0.2.0.cdx.json"]
    others = ["emmf-0.1.0.tar.gz", "emmf_0.2.1_amd64.deb", "emmf-0.2.0.1.tar.gz", "emmf-0.20.0-cp310-abi3-linux.whl"]
    for name in [*own, *others, "SHA256SUMS"]:
        (tmp_path / name).touch()
    assert sorted(path.name for path in dist.of_other_versions(tmp_path, "0.2.0")) == sorted(others)


def test_a_source_archive_that_was_not_made_is_skipped(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(try_out, "DIST", tmp_path)
    try_out.source(tmp_path)
    assert "skipped: no emmf-" in capsys.readouterr().out


def test_every_package_has_its_licences():
    folders = [project.ROOT / "python", *(path.parent for path in project.ROOT.glob("crates/*/README.md"))]
    assert len(folders) == 1 + len(project.published())
    for folder in folders:
        for name in project.LICENCES:
            text = (folder / name).read_bytes()
            assert not (folder / name).is_symlink(), (
                f"{folder / name} is a link, which a checkout may turn into its target's name"
            )
            assert text == (project.ROOT / name).read_bytes(), folder / name
            assert len(text) > 1000


def test_a_package_without_the_text_of_its_licence_is_found(tmp_path):
    made = archives.tar_gz(
        tmp_path / "emmf.crate", {"emmf-1/LICENSE-MIT": b"../../LICENSE-MIT", "emmf-1/src/a.rs": b""}
    )
    assert check.contents(made) == {"LICENSE-MIT": b"../../LICENSE-MIT", "src/a.rs": b""}


def test_an_index_reads_all_of_the_source_archive():
    metadata = pytest.importorskip("packaging.metadata")
    told = metadata.Metadata.from_email(source.package_info(), validate=True)
    table = project.project_table()
    assert told.name == "emmf"
    assert str(told.version) == project.version()
    assert told.summary == table["description"]
    assert told.classifiers == table["classifiers"]
    assert told.license_files == list(project.LICENCES)
    assert told.provides_extra == list(table["optional-dependencies"])
    needs = [need for extra in table["optional-dependencies"].values() for need in extra]
    assert len(told.requires_dist) == len(table["dependencies"]) + len(needs)
    assert told.home_page == project.manifest()["workspace"]["package"]["homepage"]
    assert told.description.startswith("# emmf")


def test_the_python_section_of_readme_is_found():
    assert "GraphEMMF(5).fit" in try_out.readme_block()
    compile(try_out.readme_block(), "README.md", "exec")
