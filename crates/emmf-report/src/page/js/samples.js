// All samples in a table: sorted, searched, in pages, and as a file.
const COLUMNS = [
  { name: "row", value: (run, row) => row },
  { name: "name", value: ownName, has: (run) => ownName(run, rowOf(run, 0)) !== undefined, text: true },
  { name: "text", value: textOf, has: (run) => Object.keys(run.texts).length > 0, text: true },
  { name: "cluster", value: (run, row, at) => run.label[at] },
  { name: "class", value: (run, row, at) => run.classes[run.truth[at]], has: (run) => run.truth, text: true },
  { name: "score", value: (run, row, at) => run.score[at] },
  { name: "outlier", value: (run, row, at) => (isOutlier(run, at) ? "yes" : "no"), text: true },
  { name: "why", value: (run, row, at) => (isOutlier(run, at) ? why(run, at) : ""), has: (run) => run.reason, text: true },
  { name: "residual", value: (run, row, at) => run.residual[at], minor: true },
  { name: "weight", value: (run, row, at) => run.weight[at], minor: true },
  { name: "silhouette", value: (run, row) => run.sketch.silhouettes.points[pointOf(run, row)], has: (run) => run.sketch && run.sketch.silhouettes, minor: true },
];
const columnsOf = (run) => COLUMNS.filter((column) => !column.has || column.has(run));

// These rows as lines of a CSV file. What a spreadsheet would take for a formula gets an apostrophe in front.
const csv = (run, rows) => {
  const columns = columnsOf(run);
  const quoted = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replace(/"/g, '""')}"`;
  const cell = (column, row) => {
    const value = column.value(run, row, placeOf(run, row));
    if (column.text) return quoted(String(value ?? ""));
    if (value === undefined) return "";
    // Scores have the digits of single precision, row numbers all of theirs.
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(7)));
  };
  return [columns.map((column) => column.name).join(","), ...rows.map((row) => columns.map((column) => cell(column, row)).join(","))];
};

const samplesTable = {
  wide: true,
  once: true,
  panel: (panel, first) => {
    let run = first;
    const PAGE = 25;
    const state = { by: COLUMNS.find((column) => column.name === "score"), down: true, wanted: "", only: "all", page: 0, rows: [] };
    const search = el("input", { type: "search", placeholder: "name, class or row", "aria-label": "search the samples" });
    const fit = el("select", { "aria-label": "which fit" }, ...runs.map((one, at) => el("option", { value: at }, one.name)));
    const only = el("select", { "aria-label": "which samples" }, ...["all", "outliers", "selected"].map((kind) => el("option", {}, kind)));
    const save = el("button", { type: "button" }, "download");
    const status = el("span", { class: "faint", role: "status" });
    const [back, on] = ["‹ previous", "next ›"].map((text) => el("button", { type: "button" }, text));
    const grid = el("table", { class: "samples" });
    panel.append(el("div", { class: "controls" }, many ? fit : "", search, only, save), el("div", { class: "wide", tabindex: "0" }, grid), el("div", { class: "controls" }, back, on, status));

    const matches = (row, place) => {
      if (state.only === "outliers" && !isOutlier(run, place)) return false;
      if (state.only === "selected" && !isSelected(run, row)) return false;
      if (!state.wanted) return true;
      const texts = [String(row), ownName(run, row) ?? "", textOf(run, row), run.truth ? run.classes[run.truth[place]] : ""];
      return texts.some((text) => text.toLowerCase().includes(state.wanted));
    };
    const sorted = () => {
      const keyed = rowsWhere(run, (place) => matches(rowOf(run, place), place)).map((row) => [state.by.value(run, row, placeOf(run, row)), row]);
      const sign = state.down ? -1 : 1;
      // What is not known comes last.
      const order = state.by.text ? (a, b) => String(a).localeCompare(String(b), "en", { numeric: true }) : (a, b) => a - b;
      keyed.sort(([a, i], [b, j]) => (a === undefined || b === undefined ? (a === undefined) - (b === undefined) : sign * order(a, b)) || i - j);
      return keyed.map(([, row]) => row);
    };
    const head = () => el("tr", {}, ...columnsOf(run).map((column) => {
      const sign = state.by === column ? (state.down ? " ▾" : " ▴") : "";
      const button = el("button", { type: "button", class: "link" }, column.name + sign);
      button.addEventListener("click", () => {
        state.down = state.by === column ? !state.down : !column.text && column.name !== "row" && column.name !== "cluster";
        [state.by, state.page] = [column, 0];
        update();
        [...grid.querySelectorAll("thead button")].find((other) => other.textContent.startsWith(column.name)).focus();
      });
      return el("th", { scope: "col", class: `${column.text ? "words" : ""}${column.minor ? " minor" : ""}`, "aria-sort": sign ? (state.down ? "descending" : "ascending") : "none" }, button);
    }));
    const body = (row) => {
      const at = placeOf(run, row);
      const line = el("tr", { class: isOutlier(run, at) ? "bad" : "" }, ...columnsOf(run).map((column) => {
        const value = column.value(run, row, at);
        const shown = column.text ? value ?? "" : column.name === "row" || column.name === "cluster" ? String(value) : number(value, 4);
        const cell = el("td", { class: `${column.text ? "words" : ""}${column.minor ? " minor" : ""}` });
        if (column.name === "row") {
          const button = el("button", { type: "button", class: "link", "aria-label": `row ${row}: select it` }, shown);
          button.addEventListener("click", () => chooseSample(run, row));
          cell.append(button);
        } else if (column.name === "cluster") cell.append(swatch(hue(run, value)), shown);
        else cell.append(shown);
        return cell;
      }));
      line.addEventListener("pointerenter", () => look(run, row));
      return line;
    };
    const turn = () => {
      const last = Math.max(Math.ceil(state.rows.length / PAGE) - 1, 0);
      state.page = Math.min(state.page, last);
      const from = state.page * PAGE;
      grid.replaceChildren(el("thead", {}, head()), el("tbody", {}, ...state.rows.slice(from, from + PAGE).map(body)));
      [back.disabled, on.disabled] = [state.page === 0, state.page === last];
      const thinned = run.rows ? `; of ${count(run.data.n)} samples in all` : "";
      status.textContent = state.rows.length ? `${count(from + 1)} to ${count(Math.min(from + PAGE, state.rows.length))} of ${count(state.rows.length)}${thinned}` : "none";
    };
    const update = () => { state.rows = sorted(); turn(); };
    const later = (work) => { let timer = null; return () => { clearTimeout(timer); timer = setTimeout(work, 80); }; };
    search.addEventListener("input", later(() => { [state.wanted, state.page] = [search.value.trim().toLowerCase(), 0]; update(); }));
    fit.addEventListener("change", () => { [run, state.page] = [runs[fit.value], 0]; if (!columnsOf(run).includes(state.by)) [state.by] = COLUMNS; update(); });
    only.addEventListener("change", () => { [state.only, state.page] = [only.value, 0]; update(); });
    save.addEventListener("click", () => download(`samples${many ? `-${run.spec.method}` : ""}.csv`, csv(run, state.rows)));
    back.addEventListener("click", () => { state.page -= 1; turn(); });
    on.addEventListener("click", () => { state.page += 1; turn(); });
    grid.addEventListener("pointerleave", () => look(null));
    // Whoever selects samples sees these; whoever selects none sees what was there before.
    let before = null;
    const changed = later(update);
    heard.push(() => {
      const own = shares(run, selection) ? selection : null;
      if (own !== before) {
        if (own) state.only = "selected";
        else if (state.only === "selected") state.only = "all";
        [only.value, state.page, before] = [state.only, 0, own];
      }
      changed();
    });
    update();
  },
};
