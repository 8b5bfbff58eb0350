"""What the program is made of, as CycloneDX: every crate with its licence and the checksum of the registry."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from project import ROOT, metadata, version


def write(out: Path) -> Path:
    """Write the components of the program and the Python module."""
    checksums = {
        (package["name"], package["version"]): package.get("checksum")
        for package in tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    }
    found = metadata()
    packages = {package["id"]: package for package in found["packages"]}
    wanted = sorted(linked(found, packages), key=lambda package: (package["name"], package["version"]))
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "emmf", "version": version(), "bom-ref": "emmf"}},
        "components": [component(package, checksums.get((package["name"], package["version"]))) for package in wanted],
    }
    out.write_text(json.dumps(bom, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return out


def linked(found: dict[str, Any], packages: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the program and the Python module are linked with, without what only builds or tests them."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    open_ids = [member for member in found["workspace_members"] if packages[member]["name"] in ("emmf-cli", "emmf-py")]
    seen = set(open_ids)
    while open_ids:
        for dependency in nodes[open_ids.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                open_ids.append(dependency["pkg"])
    return [packages[name] for name in seen]


def component(package: dict[str, Any], checksum: str | None) -> dict[str, Any]:
    """Return one crate in the words of CycloneDX."""
    purl = f"pkg:cargo/{package['name']}@{package['version']}"
    made: dict[str, Any] = {"type": "library", "name": package["name"], "version": package["version"]}
    made |= {"bom-ref": purl, "purl": purl}
    if package.get("license"):
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum:
        made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return made
