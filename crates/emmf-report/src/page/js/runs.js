// The runs as they are on the page: numbers unpacked, names, clusters and their colours, outliers.
const page = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main");
const many = page.runs.length > 1;
// In the precision of the scores: one that is just the threshold is not above it.
let threshold = page.runs.length ? Math.fround(page.runs[0].threshold) : 0;
// Called whenever the threshold or the selection has changed.
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
    reason: run.reason && bytes(run.reason),
    truth: run.truth && numbers(run.truth, Uint16Array),
    place: run.rows && new Map(run.rows.map((row, at) => [row, at])),
    point: run.sketch && run.sketch.plane.rows && new Map(run.sketch.plane.rows.map((row, at) => [row, at])),
    aside: new Set(run.set_aside),
  };
});

// Where the numbers of a row are, and where it is in the plane.
const placeOf = (run, row) => (run.place ? run.place.get(row) : row);
const rowOf = (run, place) => (run.rows ? run.rows[place] : place);
const pointOf = (run, row) => (run.point ? run.point.get(row) : row);
const ownName = (run, row) => (Array.isArray(run.names) ? run.names[placeOf(run, row)] : run.names[row]);
const textOf = (run, row) => run.texts[row] || "";
const nameOf = (run, row) => ownName(run, row) || `row ${row}`;

// Clusters, as many as centroids unless k-means made others; then they have other numbers.
// With layers, the nodes of the last.
const clustersOf = (run) => run.spec.clusters ?? (run.tree ? run.spec.above[run.spec.above.length - 1] : run.spec.k);
const widthsOf = (run) => [run.spec.k, ...(run.spec.above ?? [])].join(", ");
const alike = (run) => run.tree !== null || clustersOf(run) === run.spec.k;
const sizesOf = (run) => {
  const sizes = new Float64Array(clustersOf(run));
  for (const label of run.label) sizes[label] += 1;
  return sizes;
};
// The same colour for clusters of several runs that are matched.
const hue = (run, cluster) => colour(run.colours ? run.colours[cluster] : cluster, run.palette);

// An outlier scores above the threshold, or the fit was made without it.
const isOutlier = (run, place) => run.score[place] > threshold || run.aside.has(rowOf(run, place));
const outliersOf = (run) => {
  if (run.aside.size === 0) return above(run);
  if (run.counted !== threshold) {
    run.counted = threshold;
    run.outlying = run.score.reduce((sum, _, place) => sum + isOutlier(run, place), 0);
  }
  return run.outlying;
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

// Rows whose place has some property.
const rowsWhere = (run, has) => {
  const rows = [];
  for (let place = 0; place < run.label.length; place += 1) if (has(place)) rows.push(rowOf(run, place));
  return rows;
};

// Why an outlier is one, as a sentence without its full stop.
const why = (run, place) => {
  const told = run.reason && page.reasons[run.reason[place]];
  return told ? told.replace(/^./, (first) => first.toUpperCase()) : "";
};

const describe = (run, row) => {
  const at = placeOf(run, row);
  const parts = [];
  if (ownName(run, row)) parts.push(`row ${row}`);
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

// The picture of a sample, where there is one.
const imageOf = (run, row) => {
  if (!run.sketch || !run.sketch.image) return null;
  const worst = run.sketch.outliers.find((sample) => sample.row === row);
  const levels = worst ? worst.shape : (run.sketch.thumbnails || [])[pointOf(run, row)];
  return levels ? picture(values(levels), run.sketch.image, levels.high, `${nameOf(run, row)}`) : null;
};
