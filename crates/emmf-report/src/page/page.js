// The page: one section after the other, each with a panel for every run.
const page = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main");
const many = page.runs.length > 1;
// In the precision of the scores: one that is just the threshold is not above it.
let threshold = Math.fround(page.runs[0].threshold);
const heard = [];

const runs = page.runs.map((run) => {
  const score = numbers(run.score, Float32Array);
  return {
    ...run,
    score,
    sorted: score.slice().sort(),
    residual: numbers(run.residual, Float32Array),
    weight: numbers(run.weight, Float32Array),
    label: numbers(run.label, Uint16Array),
    truth: run.truth && numbers(run.truth, Uint16Array),
    place: run.rows && new Map(run.rows.map((row, at) => [row, at])),
    aside: new Set(run.set_aside),
  };
});

// Where the numbers of a row are.
const placeOf = (run, row) => (run.place ? run.place.get(row) : row);
const rowOf = (run, place) => (run.rows ? run.rows[place] : place);
const nameOf = (run, row) => (run.names && run.names[row]) || `row ${row}`;

// An outlier scores above the threshold, or the fit was made without it.
const isOutlier = (run, place) => run.score[place] > threshold || run.aside.has(rowOf(run, place));
const outliersOf = (run) => {
  if (run.aside.size === 0) return above(run);
  return run.score.reduce((count, _, place) => count + isOutlier(run, place), 0);
};

// How many samples score above the threshold.
const above = (run) => {
  let [low, high] = [0, run.sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.sorted[middle] > threshold) high = middle;
    else low = middle + 1;
  }
  return run.sorted.length - low;
};

const section = (id, title, text, build) => {
  const shown = runs.filter((run) => build.needs === undefined || build.needs(run));
  if (shown.length === 0) return;
  const box = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title));
  if (text) box.append(el("p", { class: "faint" }, text));
  main.append(box);
  if (build.before) build.before(box);
  const panels = el("div", { class: build.wide ? "" : "panels" });
  box.append(panels);
  for (const run of shown) {
    const panel = el("div", { class: "panel" }, many ? el("h3", {}, run.name) : null);
    panels.append(panel);
    build.panel(panel, run);
  }
  document.querySelector("nav").append(el("a", { href: `#${id}` }, title));
};

const table = (head, rows, attributes = {}) => {
  const line = (cells, tag) => el("tr", {}, ...cells.map((cell) => (cell instanceof Node && cell.nodeName.match(/^T[DH]$/) ? cell : el(tag, {}, cell))));
  return el("div", { class: "wide" }, el("table", attributes, head ? el("thead", {}, line(head, "th")) : null, el("tbody", {}, ...rows.map((row) => line(row, "td")))));
};

const summary = () => {
  const head = ["method", "k", "samples", "iterations", "stopped by", "objective", "seconds"];
  const known = runs.some((run) => run.clustering);
  const nmi = () => el("th", { title: "mutual information over the geometric mean of the entropies" }, "NMI");
  if (known) head.push("accuracy", nmi(), "ARI");
  head.push("outliers");
  const rows = runs.map((run) => {
    const count = el("td");
    heard.push(() => { count.textContent = outliersOf(run).toLocaleString("en"); });
    const cells = [run.name, run.spec.k, run.data.n.toLocaleString("en"), run.iterations, run.stop, number(run.objective, 6), number(run.seconds.total, 3)].map(String);
    if (known) cells.push(...["accuracy", "nmi", "ari"].map((name) => (run.clustering ? run.clustering[name].toFixed(3) : "–")));
    return [...cells, count];
  });
  main.append(table(head, rows));
  if (page.summary) {
    main.append(el("h2", {}, `Over ${page.summary.data_sets} data sets`), el("p", { class: "faint" }, page.summary.text));
    main.append(table(page.summary.head, page.summary.rows));
  }
};

const convergence = {
  panel: (panel, run) => {
    const steps = [0, ...run.trace.step];
    const objective = [run.initial, ...run.trace.value];
    const readout = el("p", { class: "faint", "aria-live": "polite" });
    let at = null;
    let places = [];
    const svg = chart(panel, `objective of ${run.name} after each iteration`, (svg, width) => {
      const height = 260;
      const there = objective.filter(Number.isFinite);
      let [low, high] = [Math.min(...there), Math.max(...there)];
      if (high === low) [low, high] = [low - 1, high + 1];
      const field = { left: 62, right: width - 8, top: 26, bottom: height - 40 };
      const [across, up] = axes(svg, field,
        { low: 0, high: Math.max(steps[steps.length - 1], 1), ticks: ticks(0, Math.max(steps[steps.length - 1], 1), width / 90).map((t) => [t, String(t)]), name: "iteration" },
        { low, high, ticks: ticks(low, high, 5).map((t) => [t, number(t, 5)]), name: "objective" });
      places = steps.map((step, i) => [across(step), up(objective[i])]).filter(([, y]) => Number.isFinite(y));
      svg.append(shape("path", { class: "curve", d: path(places) }));
      if (at !== null) svg.append(shape("circle", { class: "dot", cx: places[at][0], cy: places[at][1], r: 5 }));
      return height;
    });
    const show = (to) => {
      at = Math.min(Math.max(to, 0), places.length - 1);
      readout.textContent = `after ${steps[at]} iterations: ${number(objective[at], 8)}`;
      svg.redraw();
    };
    svg.redraw = pictures[pictures.length - 1];
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      show(places.reduce((best, place, i) => (Math.abs(place[0] - x) < Math.abs(places[best][0] - x) ? i : best), 0));
    });
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      show((at ?? 0) + by);
    });
    readout.textContent = `from ${number(run.initial, 6)} to ${number(run.objective, 6)} in ${run.iterations} iterations; stopped by ${run.stop}`;
    panel.append(readout);
  },
};

const slider = (box) => {
  const ends = [Infinity, -Infinity];
  for (const run of runs) {
    ends[0] = Math.min(ends[0], run.sorted[0]);
    ends[1] = Math.max(ends[1], run.sorted[run.sorted.length - 1]);
  }
  const [low, high] = ends.map(Math.asinh);
  const input = el("input", { type: "range", id: "threshold", min: low, max: high, step: (high - low) / 1000 || 1, value: Math.min(Math.asinh(threshold), high) });
  const output = el("output", { for: "threshold", id: "count", "aria-live": "polite" });
  input.addEventListener("input", () => {
    // At the right end nothing is above, whatever rounding there is on the way.
    const end = Number(input.value) >= Number(input.max) - 1.5 * Number(input.step);
    threshold = end ? ends[1] : Math.sinh(Number(input.value));
    heard.forEach((hear) => hear());
  });
  heard.push(() => {
    input.setAttribute("aria-valuetext", `score ${number(threshold, 3)}`);
    output.replaceChildren(`score above ${number(threshold, 3)}: `, ...runs.flatMap((run, at) => [
      at ? "; " : "", many ? `${run.name} ` : "", el("b", {}, above(run).toLocaleString("en")), ` of ${run.data.n.toLocaleString("en")} samples`,
      run.aside.size ? ` (${run.aside.size.toLocaleString("en")} outliers were set aside before the start)` : "",
    ]));
  });
  box.append(el("div", { class: "slider" }, el("label", { for: "threshold" }, "outlier threshold"), input, output));
};

const residuals = {
  before: slider,
  panel: (panel, run) => {
    const BARS = 64;
    const low = Math.asinh(run.sorted[0]);
    const high = Math.max(Math.asinh(run.sorted[run.sorted.length - 1]), low + 1e-6);
    const counts = new Float64Array(BARS);
    for (const score of run.score) counts[Math.min(Math.floor(((Math.asinh(score) - low) / (high - low)) * BARS), BARS - 1)] += 1;
    const most = Math.max(...counts);
    chart(panel, `how many samples of ${run.name} have which outlier score`, (svg, width) => {
      const height = 240;
      const field = { left: 52, right: width - 8, top: 26, bottom: height - 40 };
      const marks = [-1000, -100, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50, 100, 1000, 1e4, 1e5, 1e6, 1e8, 1e10].filter((mark) => Math.asinh(mark) >= low && Math.asinh(mark) <= high);
      const shown = [];
      const gap = (34 / width) * (high - low);
      for (const mark of marks) if (!shown.length || Math.asinh(mark) - Math.asinh(shown[shown.length - 1]) > gap) shown.push(mark);
      // Square roots, so that a few outliers are seen beside many good samples.
      const [across, up] = axes(svg, field,
        { low, high, ticks: shown.map((mark) => [Math.asinh(mark), number(mark, 3)]), name: "outlier score (the further from the other samples, the higher)".slice(0, width < 420 ? 13 : 99) },
        { low: 0, high: Math.sqrt(most), ticks: [0, 0.1, 0.4, 1].map((share) => Math.round(share * most)).filter((t, i, all) => all.indexOf(t) === i).map((t) => [Math.sqrt(t), String(t)]), name: "samples (square-root scale)" });
      counts.forEach((count, at) => {
        const from = low + (at / BARS) * (high - low);
        const to = low + ((at + 1) / BARS) * (high - low);
        if (!count) return;
        const bar = shape("rect", { class: (from + to) / 2 > Math.asinh(threshold) ? "bar bad" : "bar", x: across(from) + 0.5, width: Math.max(across(to) - across(from) - 1, 1), y: up(Math.sqrt(count)), height: field.bottom - up(Math.sqrt(count)) });
        bar.append(shape("title", {}, `${count} samples with scores from ${number(Math.sinh(from), 3)} to ${number(Math.sinh(to), 3)}`));
        svg.append(bar);
      });
      const cut = Math.min(Math.max(Math.asinh(threshold), low), high);
      svg.append(shape("line", { class: "cut", x1: across(cut), x2: across(cut), y1: field.top, y2: field.bottom }));
      return height;
    });
    const note = el("p", { class: "faint" });
    const outlier = run.truth ? run.classes.indexOf("outlier") : -1;
    heard.push(() => {
      let text = `${percent(above(run) / run.sorted.length)} of the samples are above the threshold.`;
      if (outlier >= 0) {
        let [found, all] = [0, 0];
        run.truth.forEach((truth, at) => {
          if (truth !== outlier) return;
          all += 1;
          if (isOutlier(run, at)) found += 1;
        });
        text += ` ${found} of the ${all} true outliers are among them${run.aside.size ? " or were set aside" : ""}.`;
      }
      note.textContent = text;
    });
    panel.append(note);
  },
};
