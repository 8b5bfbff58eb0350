"""docs/benchmarks.md: what was measured last of every section, and on top where we lose."""

import json
import re

import sections
from environment import ROOT

INTRO = ROOT / "benches" / "intro.md"
LOST = "- **lost**: "


def write(path, results):
    """A section that was not measured here keeps the text it has on the page."""
    kept = parts_of(path.read_text()) if path.exists() else {}
    parts = {}
    for name, section in sections.ALL.items():
        file = results / f"{name}.json"
        if file.exists():
            parts[name] = part(name, section, json.loads(file.read_text()))
        elif name in kept:
            parts[name] = kept[name]
    head = INTRO.read_text().replace("{where we lose}", where_we_lose(parts))
    body = "\n".join(f"<!-- section: {name} -->\n{text.strip()}\n" for name, text in parts.items())
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{head.strip()}\n\n{body}")


def parts_of(text):
    found = re.split(r"<!-- section: (\w+) -->\n", text)
    return dict(zip(found[1::2], found[2::2]))


def part(name, section, result):
    """Title, figures, which targets are met, and how it was measured."""
    title = f"## {section.TITLE}"
    if "failed" in result:
        return f"{title}\n\nNot measured: {result['failed']}\n"
    text, targets = section.render(result["found"])
    lost = [line for line, met in targets if not met]
    met = f"{len(targets) - len(lost)} of {len(targets)} targets met."
    met = "\n".join([met, "", *(LOST + line for line in lost)]).strip() if targets else ""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    how = (
        f"`{result['command']}`, {result['seconds']:.0f} s; others used {result['others']:.0%} of the machine. "
        f"{result['machine']}. {versions}."
    )
    return "\n\n".join(text for text in (title, text.strip(), met, f"<sub>{how}</sub>") if text)


def where_we_lose(parts):
    lines = [
        f"- [{sections.ALL[name].TITLE}](#{anchor(sections.ALL[name].TITLE)}): {line.removeprefix(LOST)}"
        for name, text in parts.items()
        for line in text.splitlines()
        if line.startswith(LOST)
    ]
    return "\n".join(lines) or "Nowhere, by the targets below."


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
