// One group of samples is selected on the whole page, and one sample is looked at. Runs of the same data share both.
let selection = null;
let focused = null;
// Called when another sample is looked at.
const watching = [];

const shares = (run, what) => what !== null && what.run.link === run.link;
const isSelected = (run, row) => shares(run, selection) && selection.rows.has(row);

// Selects these rows; the same once more ends it.
const choose = (run, rows, title, cluster = null) => {
  const again = selection && selection.run === run && selection.rows.size === rows.length && rows.every((row) => selection.rows.has(row));
  selection = again ? null : { run, rows: new Set(rows), title, cluster };
  heard.forEach((hear) => hear());
};
const clusterTitle = (run, cluster) => `cluster ${cluster}${many ? ` of ${run.name}` : ""}`;
const chooseCluster = (run, cluster) => choose(run, rowsWhere(run, (place) => run.label[place] === cluster), clusterTitle(run, cluster), cluster);
const isChosen = (run, cluster) => selection !== null && selection.run === run && selection.cluster === cluster;
const chooseSample = (run, row) => {
  look(run, row);
  choose(run, [row], nameOf(run, row));
};
const clearSelection = () => {
  selection = null;
  heard.forEach((hear) => hear());
};
const look = (run, row) => {
  focused = run === null ? null : { run, row };
  watching.forEach((watch) => watch());
};

// What the selection is made of: its counts of something, the largest first.
const counts = (run, rows, of) => {
  const found = new Map();
  for (const row of rows) {
    const key = of(placeOf(run, row));
    found.set(key, (found.get(key) || 0) + 1);
  }
  return [...found].sort((a, b) => b[1] - a[1]);
};

const composition = (run, rows) => {
  const list = (found, name) => `${found.length > 1 ? `${name}s` : name} ${found.slice(0, 5).map(([key, size]) => (found.length > 1 ? `${key} (${count(size)})` : key)).join(", ")}${found.length > 5 ? ", …" : ""}`;
  const parts = [];
  const bad = rows.filter((row) => isOutlier(run, placeOf(run, row))).length;
  parts.push(bad ? plural(bad, "outlier") : "no outliers");
  for (const other of runs.filter((one) => one.link === run.link)) {
    const there = rows.filter((row) => placeOf(other, row) !== undefined);
    parts.push(list(counts(other, there, (place) => other.label[place]), "cluster") + (many ? ` of ${other.name}` : ""));
  }
  if (run.truth) parts.push(list(counts(run, rows, (place) => run.classes[run.truth[place]]), "class").replace("classs", "classes"));
  return parts.join("; ");
};

// The bar at the lower edge: what is selected, some of its samples, and what can be done with them.
const selectionBar = () => {
  const bar = el("div", { id: "selection", role: "region", "aria-label": "selected samples", hidden: "" });
  document.body.append(bar);
  const button = (text, press) => {
    const made = el("button", { type: "button" }, text);
    made.addEventListener("click", press);
    return made;
  };
  const item = (run, row) => {
    const [image, text] = [imageOf(run, row), textOf(run, row)];
    const node = el("button", { type: "button", class: image ? "item image" : "item", title: text || nameOf(run, row) }, image || nameOf(run, row));
    node.classList.toggle("bad", isOutlier(run, placeOf(run, row)));
    node.addEventListener("click", () => look(run, row));
    return node;
  };
  heard.push(() => {
    bar.hidden = selection === null;
    document.body.classList.toggle("selecting", selection !== null);
    if (selection === null) { bar.replaceChildren(); return; }
    const { run, title } = selection;
    const first = window.innerWidth < 600 ? 8 : 24;
    const rows = [...selection.rows].filter((row) => placeOf(run, row) !== undefined);
    rows.sort((a, b) => run.score[placeOf(run, b)] - run.score[placeOf(run, a)]);
    const head = el("div", { class: "head" },
      el("span", { role: "status" }, el("b", {}, title.replace(/^./, (first) => first.toUpperCase())), rows.length === 1 ? "" : `: ${plural(rows.length, "sample")}`),
      el("span", { class: "actions" }, button("in the table", () => document.getElementById("samples").scrollIntoView()),
        button("download", () => download("selected.csv", csv(run, rows))), button("clear (Esc)", clearSelection)));
    const about = rows.length === 1 ? `score ${number(run.score[placeOf(run, rows[0])], 3)}, ${describe(run, rows[0])}` : composition(run, rows);
    bar.replaceChildren(head, el("div", { class: "faint" }, about),
      el("div", { class: "text" }, rows.length === 1 ? textOf(run, rows[0]) : ""),
      el("div", { class: "items" }, ...rows.slice(0, rows.length === 1 && !imageOf(run, rows[0]) ? 0 : first).map((row) => item(run, row)),
        rows.length > first ? el("span", { class: "faint" }, `and ${count(rows.length - first)} more`) : ""));
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && selection && !event.defaultPrevented) clearSelection(); });
};
