// What came out, in words: clusters, how sure, outliers and why.
const share = (part, whole) => `${count(part)} of ${count(whole)} (${percent(part / (whole || 1))})`;

// Samples by their names, to be pressed.
const links = (run, rows) => rows.flatMap((row, at) => {
  const link = el("button", { type: "button", class: "link" }, nameOf(run, row));
  link.addEventListener("click", () => chooseSample(run, row));
  return [at ? " " : "", el("span", { class: "nowrap" }, link, at < rows.length - 1 ? "," : ".")];
});

const told = {
  clusters: (run) => {
    const sizes = Array.from(sizesOf(run)).sort((a, b) => a - b);
    const [least, middle, most] = [sizes[0], sizes[sizes.length >> 1], sizes[sizes.length - 1]];
    const spread = sizes.length === 1 ? "" : least === most ? `, each with ${count(least)}` : `, the smallest with ${count(least)}, the largest with ${count(most)} (median ${count(middle)})`;
    const thinned = run.rows ? `, counted on ${count(run.rows.length)} of them` : "";
    return [el("b", {}, plural(sizes.length, "cluster")), `${many ? "" : ` among ${plural(run.data.n, "sample")} of ${run.data.name} by ${run.spec.method}`}${spread}${thinned}.`];
  },
  number: (run) => {
    if (run.tree) return [`The layers have ${widthsOf(run)} nodes, from the bottom up; clusters are those of the last.`];
    if (!run.choice) return ["The number of clusters was given, not chosen."];
    const { ks, k, agreeing, splits, stability, by_graph: byGraph, rank } = run.choice;
    if (rank) return [`The number of centroids was chosen by how much of the held-out values they explain; ${agreeing} of ${splits} masks choose it.`];
    const best = percent(Math.max(0, ...stability));
    if (byGraph && Math.max(0, ...stability) >= AGREED) return [el("b", {}, "The number of clusters is fairly sure: "), `half of the samples show the same communities in the graph of neighbours, ${byGraph[0]} to ${byGraph[1]} depending on how many neighbours it has; they lie in fewer groups, about which random halves of the data agree to ${best}.`];
    if (byGraph) return [el("b", {}, "The number of clusters is a guess: "), `random halves of the data do not agree well enough (${best} at best), so it is the number of communities in the graph of neighbours, ${byGraph[0]} to ${byGraph[1]} depending on how many neighbours it has.`];
    const own = stability[ks.indexOf(k)] ?? 0;
    const sure = own >= 0.95 && agreeing >= 0.7 * splits ? "sure" : own >= 0.85 && 2 * agreeing >= splits ? "fairly sure" : "not sure";
    const end = k === Math.max(...ks) && ks.length > 1 ? " It is the largest number that was tried; there may be more clusters." : "";
    return [el("b", {}, `The number of clusters is ${sure}: `), `two halves of the data agree to ${percent(own)}, and ${agreeing} of ${splits} splits choose ${k}.${end}`];
  },
  apart: (run) => {
    const found = run.sketch && run.sketch.silhouettes;
    if (!found) return [];
    const wrong = found.points.filter((s) => s < 0).length;
    // As it is told.
    const mean = Number(found.mean.toFixed(2));
    const how = mean >= 0.5 ? "far apart" : mean >= 0.25 ? "apart, but touching" : "hardly apart by direction alone";
    return [el("b", {}, `The clusters are ${how}: `), `the mean silhouette is ${found.mean.toFixed(2)}, and ${percent(wrong / (found.points.length || 1))} of the samples are nearer to another cluster.`];
  },
  classes: (run) => {
    if (!run.clustering) return [];
    const outside = run.classes.includes("outlier") ? " of the samples that have one" : " of the samples";
    return [el("b", {}, `Against the known classes: `), `${percent(run.clustering.accuracy)}${outside} are in the cluster that stands for their class; NMI ${run.clustering.nmi.toFixed(3)}, ARI ${run.clustering.ari.toFixed(3)}.`];
  },
  outliers: (run) => {
    const bad = rowsWhere(run, (place) => isOutlier(run, place));
    if (bad.length === 0) return [el("b", {}, "No outliers"), `: no score is above ${number(threshold, 3)}.`];
    const reasons = run.reason ? counts(run, bad, (place) => run.reason[place]).map(([reason, size]) => `${page.reasons[reason]} (${count(size)})`) : [];
    const aside = run.aside.size ? ` ${count(run.aside.size)} were set aside before the start and took no part in the fit.` : "";
    const worst = bad.sort((a, b) => run.score[placeOf(run, b)] - run.score[placeOf(run, a)]).slice(0, 3);
    return [el("b", {}, plural(bad.length, "outlier")), ` (${percent(bad.length / run.score.length)}). ${reasons.length ? `Why: ${reasons.join("; ")}.` : ""}${aside} The highest scores: `, ...links(run, worst)];
  },
  groups: (run) => {
    const [k, n] = [clustersOf(run), run.data.n];
    const more = run.tree ? "" : ` It may show with -k ${k + 1}`;
    return run.groups.flatMap((group, at) => {
      const link = el("button", { type: "button", class: "link" }, `${count(group.length)} outliers`);
      link.addEventListener("click", () => choose(run, group, `outliers that are alike${run.groups.length > 1 ? ` (${at + 1})` : ""}`));
      return [at ? " " : "", link, ` are alike but unlike the rest${4 * k * group.length >= n ? `: a cluster of their own?${more}` : ""}.`];
    });
  },
  doubts: (run) => {
    const said = [];
    if (run.doubt) said.push(`About outliers: ${run.doubt}.`);
    if (run.unassigned.length) said.push(`${share(run.unassigned.length, run.data.n)} samples have no positive coefficient: no centroid describes them, whatever their cluster.`);
    if (run.early) said.push(`The fit ended early (${run.stop}).`);
    return said.length ? [said.join(" ")] : [];
  },
  agreement: (run) => {
    if (run.agreement === null || run.agreement === undefined) return [];
    return [`${percent(run.agreement)} of the samples are in the cluster matched to their cluster in ${runs[run.link].name}.`];
  },
};

const verdict = {
  panel: (panel, run) => {
    const lines = Object.values(told).map((tell) => [tell, el("p", {})]);
    panel.classList.add("verdict");
    panel.append(...lines.map(([, line]) => line));
    heard.push(() => lines.forEach(([tell, line]) => { line.replaceChildren(...tell(run)); line.hidden = !line.firstChild; }));
    if (run.notes.length) panel.append(el("p", { class: "faint" }, `About the data: ${run.notes.join("; ")}.`));
  },
};

const summary = () => {
  const head = ["method", "k", "samples", "iterations", "stopped by", "objective", "seconds"];
  const known = runs.some((run) => run.clustering);
  const nmi = () => el("th", { title: "mutual information divided by the geometric mean of the entropies" }, "NMI");
  if (known) head.push("accuracy", nmi(), "ARI");
  head.push("outliers");
  const rows = runs.map((run) => {
    const cell = el("td");
    heard.push(() => { cell.textContent = count(outliersOf(run)); });
    const cells = [run.name, widthsOf(run), count(run.data.n), run.iterations, run.stop, number(run.objective, 6), number(run.seconds.total, 3)].map(String);
    if (known) cells.push(...["accuracy", "nmi", "ari"].map((name) => (run.clustering ? run.clustering[name].toFixed(3) : "–")));
    return [...cells, cell];
  });
  if (runs.length) main.append(table(head, rows, { id: "summary" }));
  if (page.summary) {
    main.append(el("h2", {}, `Over ${page.summary.data_sets} data sets`), el("p", { class: "faint" }, page.summary.text));
    main.append(table(page.summary.head, page.summary.rows));
  }
};
