"""What the site is made with: links that lead nowhere are found, and pages about clusters need no cluster software."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "site"))
import links


@pytest.fixture
def site(tmp_path):
    (tmp_path / "api").mkdir()
    (tmp_path / "index.html").write_text('<h1 id="top">x</h1><a href="api/one.html#here">1</a><a href="https://x.org/">2</a>')
    (tmp_path / "api" / "one.html").write_text('<b id="here"></b><a href="../index.html#top">1</a><a href="#here">2</a><a href="..">3</a>')
    return tmp_path


def test_good_links(site):
    assert links.broken(site) == []


@pytest.mark.parametrize("link", ["two.html", "one.html#there", "#there", "../index.html#here", "picture.png"])
def test_links_that_lead_nowhere(site, link):
    page = site / "api" / "one.html"
    page.write_text(page.read_text() + f'<a href="{link}">x</a>')
    assert links.broken(site) == [f"api/one.html: {link}"]


def test_modules_of_clusters_are_read_without_their_engines():
    code = """
import sys
from stand_in import StandIn
sys.meta_path.insert(0, StandIn(["dask", "distributed", "ray"]))
import emmf.dask, emmf.ray
print(emmf.dask.EMMF.__doc__[:20], emmf.ray.EMMF.__doc__[:20])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "site", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
