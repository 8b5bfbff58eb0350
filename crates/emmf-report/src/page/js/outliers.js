// Outliers: the scores with a threshold to move, and the worst samples beside their approximations.
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
      at ? "; " : "", many ? `${run.name} ` : "", el("b", {}, count(above(run))), ` of ${count(run.data.n)} samples`,
      run.aside.size ? ` (${plural(run.aside.size, "outlier was", "outliers were")} set aside before the start)` : "",
    ]));
  });
  box.append(el("div", { class: "slider" }, el("label", { for: "threshold" }, "outlier threshold"), input, output));
};

// How many samples have which score.
const histogram = (run, bars) => {
  const low = Math.asinh(run.sorted[0]);
  const high = Math.max(Math.asinh(run.sorted[run.sorted.length - 1]), low + 1e-6);
  const bin = (score) => Math.min(Math.floor(((Math.asinh(score) - low) / (high - low)) * bars), bars - 1);
  const counts = new Float64Array(bars);
  for (const score of run.score) counts[bin(score)] += 1;
  return { low, high, counts, bin, most: Math.max(...counts), edge: (at) => low + (at / bars) * (high - low) };
};

const residuals = {
  before: slider,
  panel: (panel, run) => {
    const { low, high, counts, bin, most, edge } = histogram(run, 64);
    chart(panel, `distribution of the outlier scores of ${run.name}`, (svg, width) => {
      const height = 240;
      const field = { left: 52, right: width - 8, top: 26, bottom: height - 40 };
      const marks = [-1000, -100, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50, 100, 1000, 1e4, 1e5, 1e6, 1e8, 1e10].filter((mark) => Math.asinh(mark) >= low && Math.asinh(mark) <= high);
      const shown = [];
      const gap = (34 / width) * (high - low);
      for (const mark of marks) if (!shown.length || Math.asinh(mark) - Math.asinh(shown[shown.length - 1]) > gap) shown.push(mark);
      // Square roots, so that a few outliers are seen beside many good samples.
      const [across, up] = axes(svg, field,
        { low, high, ticks: shown.map((mark) => [Math.asinh(mark), number(mark, 3)]), name: width < 420 ? "outlier score" : "outlier score (the further from the other samples, the higher)" },
        { low: 0, high: Math.sqrt(most), ticks: [0, 0.1, 0.4, 1].map((share) => Math.round(share * most)).filter((t, i, all) => all.indexOf(t) === i).map((t) => [Math.sqrt(t), count(t)]), name: "samples (square-root scale)" });
      const filled = Array.from(counts.keys()).filter((at) => counts[at]);
      const bars = filled.map((at) => {
        const [from, to, size] = [edge(at), edge(at + 1), counts[at]];
        const kind = (from + to) / 2 > Math.asinh(threshold) ? "bar bad" : "bar";
        const bar = shape("rect", { class: kind, x: across(from) + 0.5, width: Math.max(across(to) - across(from) - 1, 1), y: up(Math.sqrt(size)), height: field.bottom - up(Math.sqrt(size)) });
        bar.append(shape("title", {}, `${plural(size, "sample")} with scores from ${number(Math.sinh(from), 3)} to ${number(Math.sinh(to), 3)}`));
        return bar;
      });
      pressable(bars, (at) => choose(run, rowsWhere(run, (place) => bin(run.score[place]) === filled[at]), `scores from ${number(Math.sinh(edge(filled[at])), 3)} to ${number(Math.sinh(edge(filled[at] + 1)), 3)}${many ? ` by ${run.name}` : ""}`));
      svg.append(...bars);
      const cut = Math.min(Math.max(Math.asinh(threshold), low), high);
      svg.append(shape("line", { class: "cut", x1: across(cut), x2: across(cut), y1: field.top, y2: field.bottom }));
      return height;
    });
    const note = el("p", { class: "faint" });
    heard.push(() => { note.textContent = found(run); });
    panel.append(note);
  },
};

// What the threshold finds, and how many of the true outliers that are, where these are known.
const found = (run) => {
  const text = `${percent(above(run) / run.sorted.length)} of the samples are above the threshold.`;
  const outlier = run.truth ? run.classes.indexOf("outlier") : -1;
  if (outlier < 0) return text;
  const all = rowsWhere(run, (place) => run.truth[place] === outlier);
  const hits = all.filter((row) => isOutlier(run, placeOf(run, row)));
  return `${text} ${hits.length} of the ${all.length} true outliers are among them${run.aside.size ? " or were set aside" : ""}.`;
};

const triple = (run, sample) => {
  const [given, fitted] = [values(sample.shape), values(sample.fitted)];
  const size = run.sketch.image;
  if (!size) return sparkline(given, fitted, "the sample and its approximation");
  const off = given.map((value, at) => Math.abs(value - fitted[at]));
  const figure = (pixels, name) => el("figure", {}, picture(pixels, size, sample.shape.high, name), el("figcaption", {}, name));
  return el("div", { class: "pictures" }, figure(given, "sample"), figure(fitted, "fit"), figure(off, "difference"));
};

// What the score of a sample is made of, where the record says so.
const madeOf = (sample) => (sample.parts || []).filter(({ part }) => part > 0).sort((a, b) => b.part - a.part)
  .map(({ reason, part, z }) => `${number(part, 3)} for ${reason} (robust z ${number(z, 3)})`).join(", ");

const outlierCard = (run, sample, rank) => {
  const place = placeOf(run, sample.row);
  const name = el("button", { type: "button", class: "link" }, nameOf(run, sample.row));
  name.addEventListener("click", () => chooseSample(run, sample.row));
  const [reason, parts, made] = [el("div", { class: "why" }), el("div", { class: "faint" }), madeOf(sample)];
  const card = el("article", { class: "card", "data-row": sample.row },
    el("header", {}, el("b", {}, `${rank + 1}. `, name), el("span", { class: "nowrap" }, `score ${number(run.score[place], 3)}`)),
    el("div", { class: "faint" }, describe(run, sample.row)), reason, parts,
    textOf(run, sample.row) ? el("div", { class: "text" }, textOf(run, sample.row)) : null, words(run) ? null : triple(run, sample));
  if (!run.sketch.image && sample.worst.length) {
    card.append(table(["fits worst", "value", "fit"], sample.worst.slice(0, words(run) ? 8 : 4).map((w) => [el("td", { title: w.name }, w.name), number(w.value, 3), number(w.fitted, 3)])));
  }
  const hear = () => {
    const bad = isOutlier(run, place);
    reason.textContent = bad ? why(run, place) : "";
    parts.textContent = bad && made ? `The score is made of ${made}.` : "";
    // Where nothing is an outlier, nothing is told apart.
    card.classList.toggle("below", !bad && outliersOf(run) > 0);
  };
  heard.push(hear);
  hear();
  return card;
};

const ranking = {
  needs: (run) => run.sketch && run.sketch.outliers.length > 0,
  wide: true,
  panel: (panel, run) => {
    const first = window.innerWidth < 600 ? 4 : 8;
    const { outliers } = run.sketch;
    const lead = el("p", { class: "faint" });
    const cards = el("div", { class: "cards" });
    const add = (from, to) => cards.append(...outliers.slice(from, to).map((sample, at) => outlierCard(run, sample, from + at)));
    add(0, first);
    panel.append(lead, cards);
    heard.push(() => {
      const bad = outliersOf(run);
      lead.textContent = bad ? "Outliers first; pale samples are not outliers." : "There are no outliers. These are the samples with the highest scores.";
    });
    if (!run.sketch.image && !words(run)) panel.append(el("p", { class: "faint" }, "Curves run over the features: the sample in blue, its approximation in orange."));
    if (outliers.length <= first) return;
    const more = el("button", { type: "button", class: "more" }, `show ${outliers.length - first} more`);
    more.addEventListener("click", () => { more.remove(); add(first); });
    panel.append(more);
  },
};
