"""The page in a browser: it draws, it answers to slider, mouse and keys, it fits a phone, and it runs nothing that is not its own."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

EMMF = os.environ["EMMF"]
BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome", "chrome"])), None)
sync_playwright = pytest.importorskip("playwright.sync_api", reason="skipped: no playwright").sync_playwright
pytestmark = pytest.mark.skipif(BROWSER is None, reason="skipped: no Chromium on this machine (apt-get install chromium)")
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'&{{1}}\u2028"


def emmf(*args):
    done = subprocess.run([EMMF, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser, path, width=1200, scheme="light"):
    """The page, with all that the console said and all that it asked for."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert said == [], said
    assert asked == [path.as_uri()], asked
    return page, said


INK = """() => [...document.querySelectorAll('main svg, main canvas')].map((node) => {
  if (node.nodeName === 'CANVAS') {
    const pixels = node.getContext('2d').getImageData(0, 0, node.width, node.height).data;
    return pixels.some((value, at) => at % 4 === 3 && value > 0) ? '' : node.getAttribute('aria-label');
  }
  const drawn = [...node.querySelectorAll('path, rect, circle')].some((part) => {
    const box = part.getBBox();
    return box.width + box.height > 2;
  });
  return drawn && !node.outerHTML.includes('NaN') ? '' : node.getAttribute('aria-label');
}).filter((label) => label !== '')"""

FITS = "() => document.documentElement.scrollWidth <= window.innerWidth"


def check(page, said):
    assert page.evaluate(INK) == []
    assert page.evaluate(FITS), page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    assert page.evaluate("() => window.hacked") is None
    assert said == []


def count(page):
    return [int(b.inner_text().replace(",", "")) for b in page.query_selector_all("#count b")]


@pytest.fixture(scope="module")
def rays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rays")
    emmf("synth", "rays", "--samples", 400, "--features", 36, "-k", 4, "--outliers", 30, "--out", folder / "rays.csv")
    for method in ("emmf", "nmf"):
        emmf("fit", folder / "rays.csv", "-k", 4, "--init", "trimmed", "--method", method, "--normalize", "unit", "--image", "6x6", "--out", folder / method)
    emmf("fit", folder / "rays.csv", "-k", "2..8", "--init", "trimmed", "--out", folder / "curves", "--report")
    emmf("report", folder / "emmf", folder / "nmf", "--out", folder / "both.html")
    emmf("report", folder / "emmf", "--out", folder / "one.html")
    return folder


ORDER = ["verdict", "embedding", "centroids", "sizes", "silhouettes", "confusion", "choice", "residuals", "ranking", "samples", "convergence", "repeat"]


@pytest.mark.parametrize("name", ["one.html", "both.html", "curves/report.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_every_plot_has_ink_at_every_width(browser, rays, name, width, scheme):
    page, said = opened(browser, rays / name, width, scheme)
    sections = [node.get_attribute("id") for node in page.query_selector_all("main section")]
    assert sections == [id for id in ORDER if id != "choice" or "curves" in name]
    check(page, said)
    background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    page.close()


def test_the_slider_changes_the_count_of_outliers(browser, rays):
    page, said = opened(browser, rays / "both.html")
    before = count(page)
    record = json.loads((rays / "emmf" / "record.json").read_text())
    assert before[0] == sum(score > 3.5 for score in record["samples"]["score"])
    crosses = page.query_selector_all("#residuals .bar.bad")
    page.focus("#threshold")
    for _ in range(300):
        page.keyboard.press("ArrowLeft")
    more = count(page)
    assert all(a > b for a, b in zip(more, before)), (before, more)
    assert len(page.query_selector_all("#residuals .bar.bad")) > len(crosses)
    page.keyboard.press("End")
    assert count(page) == [0, 0] and not page.query_selector_all("#residuals .bar.bad")
    page.keyboard.press("Home")
    assert all(430 - n <= 1 for n in count(page))
    check(page, said)
    page.close()


def test_what_was_set_aside_is_an_outlier_whatever_its_score(browser, rays):
    page, said = opened(browser, rays / "one.html")
    aside = json.loads((rays / "emmf" / "record.json").read_text())["set_aside"]
    assert aside
    assert f"{len(aside)} outliers were set aside before the start" in page.inner_text("#count")
    page.focus("#threshold")
    page.keyboard.press("End")
    assert page.inner_text("#summary tbody tr td:last-child") == str(len(aside))
    card = page.query_selector(f"#ranking .card[data-row='{aside[0]}']")
    assert card is None or "below" not in card.get_attribute("class")
    assert "set aside before the start" in page.inner_text("#ranking")
    check(page, said)
    page.close()


def test_hover_and_keys_show_a_row(browser, rays):
    page, said = opened(browser, rays / "one.html")
    canvas = page.locator("#embedding canvas.plane").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    seen = set()
    steps = np.linspace(0.02, 0.98, 17)
    for across in steps:
        for down in steps:
            page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
            tip = page.locator("#embedding .tip").first
            if tip.is_visible():
                seen.add(tip.inner_text().split("\n")[0])
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    canvas.focus()
    page.keyboard.press("Home")
    worst = page.locator("#embedding .tip").first.inner_text()
    record = json.loads((rays / "emmf" / "record.json").read_text())
    row = int(np.argmax(record["samples"]["score"]))
    assert worst.startswith(f"row {row}\n") and "cluster" in worst and "score" in worst
    page.keyboard.press("ArrowLeft")
    assert page.locator("#embedding .tip").first.inner_text() != worst or seen
    assert seen and all(name.startswith("row ") for name in seen)
    convergence = page.locator("#convergence svg")
    convergence.focus()
    page.keyboard.press("End")
    assert "after 500 iterations" in page.locator("#convergence p").inner_text()
    check(page, said)
    page.close()


def selected(page):
    """How many samples the bar says are selected; none where there is no bar."""
    if not page.locator("#selection").is_visible():
        return 0
    text = page.inner_text("#selection [role=status]")
    return int(text.split(": ")[1].split(" ")[0].replace(",", "")) if ": " in text else 1


def in_table(page):
    page.wait_for_timeout(150)
    text = page.inner_text("#samples [role=status]")
    return int(text.split(" of ")[1].split(";")[0].replace(",", "")) if " of " in text else 0


def samples_of(folder):
    return json.loads((folder / "record.json").read_text())["samples"]


def test_the_verdict_says_what_came_out(browser, rays):
    page, said = opened(browser, rays / "one.html")
    record = json.loads((rays / "emmf" / "record.json").read_text())
    bad = {row for row, score in enumerate(record["samples"]["score"]) if score > record["threshold"]} | set(record["set_aside"])
    text = page.inner_text("#verdict")
    assert "4 clusters among 430 samples of rays.csv" in text
    assert f"{len(bad)} outliers" in text and "Why: " in text and "given, not chosen" in text
    assert f"mean silhouette is {record['sketch']['silhouettes']['mean']:.2f}" in text
    page.focus("#threshold")
    page.keyboard.press("Home")
    assert f"\n{len(bad)} outliers" in text and f"\n{len(bad)} outliers" not in page.inner_text("#verdict"), "it follows the threshold"
    check(page, said)
    page.close()
    page, said = opened(browser, rays / "curves" / "report.html")
    assert "The number of clusters is" in page.inner_text("#verdict")
    page.close()


def test_a_press_selects_samples_on_the_whole_page(browser, rays):
    page, said = opened(browser, rays / "one.html")
    samples = samples_of(rays / "emmf")
    size = samples["label"].count(2)
    for part in ["#embedding .legend button >> nth=2", "#centroids figure >> nth=2"]:
        page.click(part)
        assert selected(page) == size == in_table(page), part
        assert "Cluster 2" in page.inner_text("#selection")
        page.keyboard.press("Escape")
        assert selected(page) == 0 and in_table(page) == 430
    # The largest cluster comes first.
    page.locator("#sizes g.pressable").first.focus()
    page.keyboard.press("Enter")
    assert selected(page) == max(samples["label"].count(k) for k in range(4))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert selected(page) == sorted(samples["label"].count(k) for k in range(4))[-2]
    page.keyboard.press("Escape")
    page.locator("#silhouettes g.pressable").first.focus()
    page.keyboard.press("Enter")
    assert selected(page) in [samples["label"].count(k) for k in range(4)]
    page.keyboard.press("Escape")
    cell = page.locator("#confusion td").first
    count = int(cell.inner_text())
    cell.click()
    assert selected(page) == count > 10
    page.keyboard.press("Escape")
    bar = page.locator("#residuals rect.pressable").last
    bar.focus()
    page.keyboard.press("Enter")
    assert 0 < selected(page) < 430
    check(page, said)
    page.close()


PIXELS = "() => [...document.querySelectorAll('#embedding canvas.plane')].map((node) => node.toDataURL())"


def test_fits_side_by_side_are_linked(browser, rays):
    page, said = opened(browser, rays / "both.html")
    before = page.evaluate(PIXELS)
    assert len(before) == 2
    page.locator("#embedding .panel >> nth=0 >> .legend button").first.click()
    after = page.evaluate(PIXELS)
    assert before[0] != after[0] and before[1] != after[1], "the other plane shows the same samples"
    assert "cluster" in page.inner_text("#selection") and "of nmf" in page.inner_text("#selection")
    page.keyboard.press("Escape")
    page.locator("#embedding canvas.plane").first.focus()
    page.keyboard.press("Home")
    assert page.evaluate(PIXELS)[1] != before[1], "the other plane shows the same sample"
    # Clusters that hold the same samples have the same colour, whatever their numbers.
    labels = [np.array(samples_of(rays / name)["label"]) for name in ("emmf", "nmf")]
    colours = [[page.locator(f"#confusion .panel >> nth={at} >> thead th .swatch").evaluate_all("nodes => nodes.map((node) => [Number(node.nextSibling.textContent), node.style.background])")][0] for at in range(2)]
    colours = [dict(pairs) for pairs in colours]
    table = np.array([[np.sum((labels[0] == i) & (labels[1] == j)) for j in range(4)] for i in range(4)])
    best = table.argmax(axis=1)
    if len(set(best)) == 4:
        assert all(colours[0][i] == colours[1][int(best[i])] for i in range(4))
    page.select_option("#view", "principal")
    assert page.evaluate(PIXELS) != before
    check(page, said)
    page.close()


def test_a_plane_is_zoomed_moved_and_brushed(browser, rays):
    page, said = opened(browser, rays / "one.html")
    first = page.evaluate(PIXELS)
    canvas = page.locator("#embedding canvas.plane").first
    canvas.scroll_into_view_if_needed()
    page.click("#embedding .panel >> nth=0 >> button[title='zoom in']")
    zoomed = page.evaluate(PIXELS)
    assert zoomed[0] != first[0] and zoomed[1] == first[1]
    box = canvas.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] + 30, steps=4)
    page.mouse.up()
    assert page.evaluate(PIXELS)[0] != zoomed[0]
    canvas.focus()
    page.keyboard.press("0")
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    assert page.evaluate(PIXELS) == first
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert selected(page) == 430
    check(page, said)
    page.close()


def test_points_are_coloured_by_anything(browser, rays):
    page, said = opened(browser, rays / "curves" / "report.html")
    seen = [page.evaluate(PIXELS)[0]]
    kinds = page.locator("#colour-by option").all_inner_texts()
    assert kinds == ["cluster", "class", "score", "residual", "weight", "silhouette", "feature"]
    for kind in kinds[1:]:
        page.select_option("#colour-by", kind)
        seen.append(page.evaluate(PIXELS)[0])
    page.fill("#feature", "x7")
    seen.append(page.evaluate(PIXELS)[0])
    assert len(set(seen)) == len(seen), "each makes another picture"
    page.fill("#feature", "no such feature")
    assert page.get_attribute("#feature", "aria-invalid") == "true" and page.evaluate(PIXELS)[0] == seen[-1]
    check(page, said)
    page.close()


def test_the_table_is_sorted_searched_and_downloaded(browser, rays, tmp_path):
    page, said = opened(browser, rays / "one.html")
    samples = samples_of(rays / "emmf")
    first = lambda: page.inner_text("#samples tbody tr td").strip()
    assert first() == str(int(np.argmax(samples["score"])))
    page.click("#samples th button:has-text('residual')")
    assert first() == str(int(np.argmax(samples["residual"])))
    page.click("#samples th button:has-text('residual')")
    assert first() == str(int(np.argmin(samples["residual"])))
    page.fill("#samples input[type=search]", "outlier")
    assert in_table(page) == 30
    page.fill("#samples input[type=search]", "")
    assert in_table(page) == 430
    page.click("#samples button:has-text('next')")
    assert page.inner_text("#samples [role=status]").startswith("26 to 50")
    with page.expect_download() as saved:
        page.click("#samples button:has-text('download')")
    saved.value.save_as(tmp_path / "samples.csv")
    lines = (tmp_path / "samples.csv").read_text().splitlines()
    assert len(lines) == 431 and lines[0].startswith("row,cluster,class,score,outlier,why")
    page.select_option("#samples select", "outliers")
    assert in_table(page) == int(page.inner_text("#summary tbody td:last-child"))
    check(page, said)
    page.close()


def test_clusters_of_layers_are_the_nodes_of_the_last(browser, rays, tmp_path):
    emmf("fit", rays / "rays.csv", "--layers", "9,3", "--max-iter", 30, "--out", tmp_path / "deep", "--report")
    page, said = opened(browser, tmp_path / "deep" / "report.html")
    places = "(view) => centroidPlaces(runs[0], view, runs[0].sketch[view === 'layout' ? view : 'plane'], runs[0].label, () => false).map(({ cluster }) => cluster)"
    used = sorted(set(samples_of(tmp_path / "deep")["label"]))
    assert page.evaluate(places, "layout") == page.evaluate(places, "principal") == used
    text = page.inner_text("#verdict")
    assert "The layers have 9, 3 nodes" in text and "given, not chosen" not in text and "-k " not in text
    check(page, said)
    page.close()


@pytest.mark.parametrize("width", [1200, 420])
def test_a_node_of_the_tree_selects_its_samples(browser, rays, tmp_path, width):
    emmf("fit", rays / "rays.csv", "--layers", "9,3", "--max-iter", 30, "--image", "6x6", "--out", tmp_path / "deep", "--report")
    tree = json.loads((tmp_path / "deep" / "tree.json").read_text())
    page, said = opened(browser, tmp_path / "deep" / "report.html", width)
    nodes = {f"{node['layer']}.{node['node']}": node for node in tree["nodes"]}
    roots = page.query_selector_all("#tree .panel > .node")
    assert len(roots) == len([node for node in nodes.values() if node["layer"] == tree["layers"]])
    root = roots[0]
    name = root.query_selector("b").inner_text()

    def chosen(box, name):
        button = box.query_selector("button")
        button.focus()
        page.keyboard.press("Enter")
        assert sorted(page.evaluate("() => [...selection.rows]")) == sorted(nodes[name]["members"])
        assert button.get_attribute("aria-pressed") == "true"
        assert f"Node {name}" in page.inner_text("#selection")
        assert in_table(page) == len(nodes[name]["members"])
        assert page.query_selector("#selection .item") is not None

    chosen(root, name)
    assert root.get_attribute("open") is None
    root.query_selector("summary").click()
    # Children are made when the browser tells that the node is open, which is not at once.
    root.wait_for_selector(".node")
    children = root.query_selector_all(".node")
    assert len(children) == len(nodes[name]["children"])
    for child in children:
        chosen(child, child.query_selector("b").inner_text())
    page.keyboard.press("Escape")
    assert page.evaluate("() => selection") is None
    assert page.query_selector("#tree button[aria-pressed=true]") is None
    check(page, said)
    page.close()


def test_rows_are_told_apart(browser, rays):
    page, said = opened(browser, rays / "one.html")
    chosen = "(rows) => { choose(runs[0], rows, 'the same name'); return selection && [...selection.rows]; }"
    assert page.evaluate(chosen, [1]) == [1]
    assert page.evaluate(chosen, [2]) == [2]
    assert page.evaluate(chosen, [2]) is None
    # A row number of eight digits is written with all of them.
    far = "() => csv({ ...runs[0], place: new Map([[12345678, 0]]), point: new Map([[12345678, 0]]) }, [12345678])[1]"
    assert page.evaluate(far).startswith("12345678,")
    check(page, said)
    page.close()


def test_a_step_at_the_last_value_has_no_dot_and_an_early_end_is_told(browser, rays, tmp_path):
    record = json.loads((rays / "emmf" / "record.json").read_text())
    record |= {"stop": "time-limit", "initial": 9.0, "objective": 1.0, "trace": [5.0, 1.0, 3.0, 1.0], "iterations": 4}
    (tmp_path / "record.json").write_text(json.dumps(record))
    emmf("report", tmp_path / "record.json", "--out", tmp_path / "page.html")
    page, said = opened(browser, tmp_path / "page.html")
    assert "ended early (time-limit)" in page.inner_text("#verdict")
    page.locator("#convergence svg").focus()
    page.keyboard.press("Home")
    dots = []
    for step in range(1, 4):
        page.keyboard.press("ArrowRight")
        assert f"after {step} iterations" in page.locator("#convergence p").inner_text()
        dots.append(page.locator("#convergence circle.dot").count())
    assert dots == [1, 0, 1]
    check(page, said)
    page.close()


# Centroids of the first plane beside which no point of any colour can be seen.
HIDDEN = """() => {
  const plane = planes[0], { width, height } = plane.base, fine = width / plane.width;
  const { data } = plane.base.getContext('2d').getImageData(0, 0, width, height);
  const colour = (x, y) => {
    const [r, g, b, a] = data.slice(4 * (Math.round(y) * width + Math.round(x)), 4 * (Math.round(y) * width + Math.round(x)) + 4);
    return a > 0 && Math.max(r, g, b) - Math.min(r, g, b) > 60;
  };
  const near = [-4, -2, 0, 2, 4];
  const seen = ({ x, y }) => near.some((dx) => near.some((dy) => colour((plane.across(x) + dx) * fine, (plane.up(y) + dy) * fine)));
  return plane.centroids.filter((place) => !seen(place)).length;
}"""


@pytest.mark.parametrize("width", [1200, 400])
def test_forty_clusters_can_be_read(browser, tmp_path, width):
    rng = np.random.default_rng(3)
    centres = rng.random((40, 60)) ** 4
    x = np.repeat(centres, 8, axis=0) + 0.02 * rng.random((320, 60))
    lines = [",".join([*map(str, row.round(4)), f"class {i // 8}"]) for i, row in enumerate(x)]
    header = ",".join([*(f"f{j}" for j in range(60)), "class"])
    (tmp_path / "x.csv").write_text("\n".join([header, *lines]) + "\n")
    emmf("fit", tmp_path / "x.csv", "-k", 40, "--labels", "class", "--max-iter", 20, f"--report={tmp_path / 'page.html'}")
    page, said = opened(browser, tmp_path / "page.html", width)
    cells = page.locator("#confusion td")
    assert cells.count() == 1600
    assert page.evaluate(HIDDEN) == 0, "numbers hide small groups"
    box, panel = page.locator("#confusion table").bounding_box(), page.locator("#confusion .panel").bounding_box()
    assert box["width"] <= panel["width"], "no cluster is out of sight"
    assert page.locator("#confusion td span").first.is_visible() == (width > 1000)
    cells.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert selected(page) > 0
    check(page, said)
    page.close()


def test_it_prints(browser, rays):
    page, said = opened(browser, rays / "one.html")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.pdf()) > 20_000
    check(page, said)
    page.close()


def test_hostile_names_run_nothing(browser, tmp_path):
    rng = np.random.default_rng(1)
    names = [HOSTILE, "NaN", "Infinity", "__proto__", "constructor", "-1e5"]
    quote = lambda text: '"' + text.replace('"', '""') + '"'
    rows = [",".join([*map(str, rng.random(6).round(3)), quote([HOSTILE, "NaN", "null", "__proto__"][i % 4])]) for i in range(80)]
    (tmp_path / "x.csv").write_text(",".join([*map(quote, names), "class"]) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    emmf("fit", tmp_path / "x.csv", "-k", 3, "--max-iter", 20, "--out", tmp_path / "out")
    emmf("report", tmp_path / "out", "--out", tmp_path / "page.html", "--title", HOSTILE)
    page, said = opened(browser, tmp_path / "page.html")
    assert HOSTILE[:30] in page.locator("h1").inner_text()
    assert "</script>" in page.locator("#confusion").inner_text()
    assert len(page.query_selector_all("script")) == 2 and page.query_selector("img") is None
    check(page, said)
    page.close()


def test_what_the_page_does_not_know_does_not_run(browser, rays, tmp_path):
    text = (rays / "one.html").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(text.replace("<main>", "<script>window.hacked=1</script><main>"), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate("() => window.hacked") is None
    page.close()


@pytest.mark.parametrize(("samples", "limit"), [(10_000, 5e6), (100_000, 9e6)])
def test_many_samples(browser, tmp_path, samples, limit):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.random((samples, 12), dtype=np.float32))
    emmf("fit", tmp_path / "x.npy", "-k", 5, "--method", "emmf", "--max-iter", 5, f"--report={tmp_path / 'page.html'}")
    assert (tmp_path / "page.html").stat().st_size < limit
    page, said = opened(browser, tmp_path / "page.html")
    assert 0 <= count(page)[0] < samples
    page.focus("#threshold")
    page.keyboard.press("Home")
    assert samples - count(page)[0] <= 1
    thinned = f"of {samples:,} samples are shown"
    assert (thinned in page.locator("#embedding").inner_text()) == (samples > 10_000)
    assert f"{samples:,} samples with 12 features" in page.inner_text("body")
    check(page, said)
    page.close()
