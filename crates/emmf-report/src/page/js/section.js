// A section with a panel for every run that has something to show in it.
//
// part.panel(panel, run, variant) fills a panel. Optional: part.needs(run), part.before(box), part.wide: one panel below the
// other, part.variants(run): several panels for a run, part.once: one panel for all runs.
const section = (id, title, text, part) => {
  const shown = runs.filter((run) => part.needs === undefined || part.needs(run));
  if (shown.length === 0) return;
  const box = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title));
  if (text) box.append(el("p", { class: "faint" }, text));
  main.append(box);
  if (part.before) part.before(box);
  const panels = el("div", { class: part.wide ? "stack" : "panels" });
  box.append(panels);
  for (const run of part.once ? shown.slice(0, 1) : shown) {
    for (const variant of part.variants ? part.variants(run) : [null]) {
      const panel = el("div", { class: "panel" }, many && !part.once ? el("h3", {}, run.name) : null);
      panels.append(panel);
      part.panel(panel, run, variant);
    }
  }
  document.querySelector("nav").append(el("a", { href: `#${id}` }, title));
};

const table = (head, rows, attributes = {}) => {
  const line = (cells, tag) => el("tr", {}, ...cells.map((cell) => (cell instanceof Node && cell.nodeName.match(/^T[DH]$/) ? cell : el(tag, {}, cell))));
  return el("div", { class: "wide" }, el("table", attributes, head ? el("thead", {}, line(head, "th")) : null, el("tbody", {}, ...rows.map((row) => line(row, "td")))));
};

const swatch = (paint) => {
  const dot = el("span", { class: "swatch" });
  dot.style.background = paint;
  return dot;
};

// A text file for the reader.
const download = (name, lines) => {
  const link = el("a", { download: name, href: URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
