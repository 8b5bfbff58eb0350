// What the points of the planes are coloured by; the same on all of them.
const colouring = { by: "cluster", feature: "" };

// Names and values of the features at the points; pixels where these are thumbnails.
const featureNames = (run) => {
  const { thumbnails, image, colour, features } = run.sketch;
  if (!thumbnails || !thumbnails.length) return (features || []).map((feature) => feature.name);
  const parts = colour ? [" red", " green", " blue"] : [""];
  const pixels = Array.from({ length: image[0] * image[1] }, (_, at) => `pixel ${Math.floor(at / image[1]) + 1}, ${(at % image[1]) + 1}`);
  return pixels.flatMap((pixel) => parts.map((part) => pixel + part));
};
const featureValues = (run, name) => {
  // A plane is drawn often by the same feature.
  if (run.feature && run.feature.name === name) return run.feature.found;
  const at = featureNames(run).indexOf(name);
  const { thumbnails, features } = run.sketch;
  const pixels = thumbnails && thumbnails.length;
  const found = at < 0 ? null : pixels ? thumbnails.map((levels) => values(levels)[at]) : values(features[at].values);
  run.feature = { name, found };
  return found;
};

// One number for every point, or null where it is not known.
const numbersBy = {
  score: (run, places) => places.map((place) => Math.asinh(run.score[place])),
  residual: (run, places) => places.map((place) => run.residual[place]),
  weight: (run, places) => places.map((place) => run.weight[place]),
  silhouette: (run) => (run.sketch.silhouettes ? Array.from(run.sketch.silhouettes.points) : null),
  feature: (run) => featureValues(run, colouring.feature),
};

// The colour of every point, and what the legend is made of: groups to press, or a range.
const colourPoints = (run, places) => {
  const { by } = colouring;
  if (by === "class" && run.truth) {
    const paint = (at) => colour(at, run.classes.length);
    const group = (name, at) => ({ name, title: `class ${name}`, paint: paint(at), press: () => choose(run, rowsWhere(run, (place) => run.truth[place] === at), `class ${name}`) });
    return { colours: places.map((place) => paint(run.truth[place])), groups: run.classes.map(group).sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })) };
  }
  const found = numbersBy[by] && numbersBy[by](run, places);
  if (found) {
    // A few extreme values must not take all the colours.
    const there = found.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
    const [low, high] = [0.01, 0.99].map((quantile) => there[Math.round(quantile * (there.length - 1))] ?? 0);
    const back = by === "score" ? Math.sinh : (value) => value;
    const colours = found.map((value) => (Number.isNaN(value) ? "#888" : heat((value - low) / (high - low || 1))));
    return { colours, range: [back(low), back(high)] };
  }
  const order = Array.from({ length: clustersOf(run) }, (_, at) => at);
  if (run.colours) order.sort((a, b) => run.colours[a] - run.colours[b]);
  const groups = order.map((cluster) => ({ name: String(cluster), title: clusterTitle(run, cluster), paint: hue(run, cluster), press: () => chooseCluster(run, cluster) }));
  return { colours: places.map((place) => hue(run, run.label[place])), groups };
};

// The controls: by what, and by which feature.
const colouringControls = (changed) => {
  const kinds = ["cluster", "class", "score", "residual", "weight", "silhouette", "feature"].filter((kind) => runs.some((run) => run.sketch && (
    kind === "class" ? run.truth : kind === "silhouette" ? run.sketch.silhouettes : kind === "feature" ? featureNames(run).length : true)));
  const select = el("select", { id: "colour-by" }, ...kinds.map((kind) => el("option", {}, kind)));
  const names = [...new Set(runs.filter((run) => run.sketch).flatMap(featureNames))];
  const input = el("input", { id: "feature", list: "features", placeholder: names[0] ?? "", "aria-label": "feature", autocomplete: "off" });
  const list = el("datalist", { id: "features" });
  const which = el("span", { class: "which" }, input, list);
  which.hidden = true;
  // Thousands of options are made when they are wanted.
  const offer = () => { if (!list.firstChild) list.append(...names.slice(0, 5000).map((name) => el("option", { value: name }))); };
  select.addEventListener("change", () => {
    colouring.by = select.value;
    which.hidden = select.value !== "feature";
    if (!which.hidden) {
      offer();
      if (!colouring.feature) input.value = colouring.feature = names[0];
    }
    changed();
  });
  input.addEventListener("input", () => {
    const known = names.includes(input.value);
    input.setAttribute("aria-invalid", String(!known));
    if (known) { colouring.feature = input.value; changed(); }
  });
  return el("span", { class: "control" }, el("label", { for: "colour-by" }, "colour by "), select, which);
};
