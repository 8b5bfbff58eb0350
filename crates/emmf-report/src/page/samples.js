// What the fit made of the samples: the worst ones, centroids, sizes, classes, the choice of k, parameters.
const describe = (run, row) => {
  const at = placeOf(run, row);
  const parts = [];
  if (run.names && run.names[row]) parts.push(`row ${row}`);
  if (at !== undefined) {
    parts.push(`cluster ${run.label[at]}`);
    if (run.truth) parts.push(`class ${run.classes[run.truth[at]]}`);
    parts.push(`residual ${number(run.residual[at])}`, `weight ${number(run.weight[at])}`);
    if (run.aside.has(row)) parts.push("set aside before the start");
  }
  return parts.join(", ");
};

// A curve over the words of a vocabulary tells nothing.
const words = (run) => run.data.sparse && !run.sketch.image;

const triple = (run, sample) => {
  const [given, fitted] = [values(sample.shape), values(sample.fitted)];
  const size = run.sketch.image;
  if (!size) return sparkline(given, fitted, "the sample and its approximation");
  const off = given.map((value, at) => Math.abs(value - fitted[at]));
  const figure = (pixels, name) => el("figure", {}, picture(pixels, size, sample.shape.high, name), el("figcaption", {}, name));
  return el("div", { class: "pictures" }, figure(given, "sample"), figure(fitted, "fit"), figure(off, "difference"));
};

// Why an outlier is one, as a sentence.
const why = (run, row) => (run.reasons[row] || "").replace(/^./, (first) => first.toUpperCase());

const ranking = {
  needs: (run) => run.sketch && run.sketch.outliers.length > 0,
  wide: true,
  panel: (panel, run) => {
    const cards = el("div", { class: "cards" });
    const FIRST = window.innerWidth < 600 ? 4 : 8;
    const build = (sample, rank) => {
      const score = run.score[placeOf(run, sample.row)];
      const card = el("article", { class: "card", "data-row": sample.row },
        el("header", {}, el("b", {}, `${rank + 1}. ${nameOf(run, sample.row)}`), el("span", {}, `score ${number(score, 3)}`)),
        el("div", { class: "faint" }, describe(run, sample.row)),
        el("div", { class: "why" }, why(run, sample.row)), words(run) ? null : triple(run, sample));
      if (!run.sketch.image && sample.worst.length) {
        card.append(table(["does not fit", "is", "fit"], sample.worst.slice(0, words(run) ? 8 : 4).map((w) => {
          const cell = el("td", { title: w.name }, w.name);
          return [cell, number(w.value, 3), number(w.fitted, 3)];
        })));
      }
      heard.push(() => card.classList.toggle("below", !isOutlier(run, placeOf(run, sample.row))));
      return card;
    };
    const add = (samples, from) => cards.append(...samples.map((sample, at) => build(sample, from + at)));
    add(run.sketch.outliers.slice(0, FIRST), 0);
    panel.append(cards);
    if (!run.sketch.image && !words(run)) panel.append(el("p", { class: "faint" }, "Curves run over the features: the sample in blue, its approximation in orange."));
    const rest = run.sketch.outliers.slice(FIRST);
    if (rest.length) {
      const more = el("button", { type: "button", class: "more" }, `show ${rest.length} more`);
      more.addEventListener("click", () => { more.remove(); add(rest, FIRST); heard.forEach((hear) => hear()); });
      panel.append(more);
    }
  },
};

// Clusters, as many as centroids unless k-means made others.
const clustersOf = (run) => run.spec.clusters ?? run.spec.k;

const sizesOf = (run) => {
  const sizes = new Float64Array(clustersOf(run));
  for (const label of run.label) sizes[label] += 1;
  return sizes;
};

const centroids = {
  needs: (run) => run.sketch && run.sketch.centroids.length > 0,
  wide: true,
  panel: (panel, run) => {
    // Clusters that are not one for each centroid have other numbers.
    const alike = clustersOf(run) === run.spec.k;
    const [sizes, size] = [sizesOf(run), run.sketch.image];
    const box = el("div", { class: size ? "grid-of-images" : "cards small" });
    for (const centroid of run.sketch.centroids) {
      const title = `${alike ? "cluster" : "centroid"} ${centroid.cluster}`;
      const count = alike ? `${sizes[centroid.cluster].toLocaleString("en")} samples` : "";
      if (size) {
        box.append(el("figure", {}, picture(values(centroid.shape), size, centroid.shape.high, title), el("figcaption", {}, count ? `${title}: ${count}` : title)));
        continue;
      }
      const terms = centroid.top.map((feature) => el("li", { title: number(feature.value) }, feature.name));
      box.append(el("article", { class: "card" }, el("header", {}, el("b", {}, title), el("span", { class: "faint" }, count)),
        words(run) ? null : sparkline(values(centroid.shape), null, `centroid of ${title}`), el("ol", { class: "terms" }, ...terms)));
    }
    panel.append(box);
    const left = run.spec.k - run.sketch.centroids.length;
    if (left > 0) panel.append(el("p", { class: "faint" }, `The ${left} centroids of the smallest clusters are not shown.`));
  },
};

const clusterSizes = {
  panel: (panel, run) => {
    const sizes = sizesOf(run);
    const order = Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a]);
    chart(panel, `sizes of the ${clustersOf(run)} clusters of ${run.name}`, (svg, width) => {
      const height = 220;
      const bad = new Float64Array(clustersOf(run));
      run.label.forEach((label, at) => { if (isOutlier(run, at)) bad[label] += 1; });
      const most = Math.max(...sizes, 1);
      const field = { left: 52, right: width - 8, top: 26, bottom: height - 40 };
      const every = Math.ceil((clustersOf(run) * 26) / (field.right - field.left));
      const [across, up] = axes(svg, field,
        { low: 0, high: clustersOf(run), ticks: order.map((cluster, at) => [at + 0.5, String(cluster)]).filter((_, at) => at % every === 0), name: "cluster, largest first" },
        { low: 0, high: most, ticks: ticks(0, most, 4).map((t) => [t, String(t)]), name: "samples" });
      order.forEach((cluster, at) => {
        const [x, wide] = [across(at + 0.12), Math.max(across(0.76) - across(0), 1)];
        for (const [from, to, kind] of [[0, sizes[cluster] - bad[cluster], "bar"], [sizes[cluster] - bad[cluster], sizes[cluster], "bar bad"]]) {
          const bar = shape("rect", { class: kind, x, width: wide, y: up(to), height: Math.max(up(from) - up(to), 0) });
          bar.append(shape("title", {}, `cluster ${cluster}: ${sizes[cluster]} samples, ${bad[cluster]} of them outliers`));
          svg.append(bar);
        }
      });
      return height;
    });
    panel.append(el("p", { class: "faint" }, "Orange: outliers."));
  },
};

const confusion = {
  needs: (run) => run.truth && run.classes.length * clustersOf(run) <= 10000,
  panel: (panel, run) => {
    const k = clustersOf(run);
    const counts = run.classes.map(() => new Float64Array(k));
    run.truth.forEach((truth, at) => { counts[truth][run.label[at]] += 1; });
    // Every class beside the cluster that it shares most samples with, the largest shares first.
    const cells = counts.flatMap((row, i) => Array.from(row, (count, j) => [count, i, j])).sort((a, b) => b[0] - a[0]);
    const [rows, columns] = [[], []];
    for (const [, i, j] of cells) if (!rows.includes(i) && !columns.includes(j)) { rows.push(i); columns.push(j); }
    counts.forEach((_, i) => { if (!rows.includes(i)) rows.push(i); });
    for (let j = 0; j < k; j += 1) if (!columns.includes(j)) columns.push(j);
    const totals = counts.map((row) => row.reduce((a, b) => a + b, 0) || 1);
    const body = rows.map((i) => [el("th", { title: run.classes[i], scope: "row" }, run.classes[i]), ...columns.map((j) => {
      const share = counts[i][j] / totals[i];
      const cell = el("td", { title: `class ${run.classes[i]}, cluster ${j}: ${counts[i][j]} samples` }, counts[i][j] ? String(counts[i][j]) : "");
      cell.style.background = `color-mix(in srgb, var(--accent) ${(70 * share).toFixed(0)}%, transparent)`;
      return cell;
    })]);
    panel.append(table(["class \\ cluster", ...columns.map(String)], body, { class: "matrix" }));
  },
};

const choice = {
  needs: (run) => run.choice,
  panel: (panel, run) => {
    const { ks, stability, spread, k, agreeing, splits, by_graph: byGraph, rank } = run.choice;
    chart(panel, rank ? "how much of values that were held out is explained by each number of centroids" : "how stable the clusters are for each number of clusters", (svg, width) => {
      const height = 240;
      const field = { left: 46, right: width - 8, top: 26, bottom: height - 40 };
      const ends = [Math.min(...ks) - 0.5, Math.max(...ks) + 0.5];
      const [across, up] = axes(svg, field,
        { low: ends[0], high: ends[1], ticks: ticks(ends[0], ends[1], width / 60).filter(Number.isInteger).map((t) => [t, String(t)]), name: rank ? "centroids (k)" : "clusters (k)" },
        { low: 0, high: 1, ticks: ticks(0, 1, 4).map((t) => [t, number(t, 2)]), name: rank ? "share of held-out values that is explained" : "agreement of clusters of two halves of the data" });
      const at = (value) => up(Math.min(Math.max(value, 0), 1));
      ks.forEach((k, i) => svg.append(shape("line", { class: "whisker", x1: across(k), x2: across(k), y1: at(stability[i] - spread[i]), y2: at(stability[i] + spread[i]) })));
      svg.append(shape("path", { class: "curve", d: path(ks.map((k, i) => [across(k), at(stability[i])])) }));
      if (!byGraph) svg.append(shape("circle", { class: "dot", cx: across(k), cy: at(stability[ks.indexOf(k)]), r: 6 }));
      return height;
    });
    if (rank) panel.append(el("p", {}, `k = ${k}: the least number of centroids that explains values it has not seen as well as any, within one standard error; ${agreeing} of ${splits} masks choose it.`));
    else panel.append(el("p", {}, byGraph
      ? `k = ${k}: no halves agree well enough, so these are the communities of the graph of 5 neighbours; with 4 to 8 neighbours there are ${byGraph[0]} to ${byGraph[1]}.`
      : `k = ${k}: ${agreeing} of ${splits} splits of the data into halves choose it.`));
  },
};

const flat = (value) => {
  if (Array.isArray(value)) return value.length > 12 ? `${value.slice(0, 12).map(flat).join(", ")} … (${value.length})` : value.map(flat).join(", ") || "none";
  if (value && typeof value === "object") return Object.entries(value).map(([name, inner]) => `${name} ${flat(inner)}`).join(", ") || "none";
  return typeof value === "number" ? number(value, 6) : String(value ?? "default");
};

const repeat = {
  panel: (panel, run) => {
    if (run.command) panel.append(el("p", {}, "The command that made this:"), el("pre", { tabindex: "0" }, run.command));
    const { data, seconds } = run;
    const rows = [
      ["data", `${data.name}: ${data.n} samples, ${data.d} features, ${data.dtype}, ${data.sparse ? "sparse" : "dense"}`],
      ["seconds", ["prepare", "init", "iterate", "total"].map((part) => `${part} ${number(seconds[part], 3)}`).join(", ")],
      ["best restart", String(run.restart)],
      ...Object.entries(run.spec).map(([name, value]) => [name, flat(value)]),
      ...Object.entries(run.extras).map(([name, value]) => [name, flat(value)]),
      ["versions", `fitted with emmf ${run.emmf}, page by emmf ${page.emmf}`],
    ];
    panel.append(table(null, rows, { class: "keys" }));
  },
};
