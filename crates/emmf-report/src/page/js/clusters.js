// The clusters: how large they are, how far apart, and which classes they hold.
const clusterSizes = {
  panel: (panel, run) => {
    const sizes = sizesOf(run);
    const order = Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a]);
    chart(panel, `sizes of the ${clustersOf(run)} clusters of ${run.name}`, (svg, width) => {
      const height = 220;
      const bad = new Float64Array(clustersOf(run));
      run.label.forEach((label, at) => { if (isOutlier(run, at)) bad[label] += 1; });
      const most = Math.max(...sizes, 1);
      const field = { left: 52, right: Math.min(width - 8, 52 + 90 * clustersOf(run)), top: 26, bottom: height - 40 };
      const digits = String(clustersOf(run) - 1).length;
      const every = Math.ceil((clustersOf(run) * (7 * digits + 3)) / (field.right - field.left));
      const [across, up] = axes(svg, field,
        { low: 0, high: clustersOf(run), ticks: order.map((cluster, at) => [at + 0.5, String(cluster)]).filter((_, at) => at % every === 0), name: "cluster, largest first" },
        { low: 0, high: most, ticks: ticks(0, most, 4).map((t) => [t, count(t)]), name: "samples" });
      const bars = order.map((cluster, at) => {
        const [x, wide] = [across(at + 0.12), Math.max(across(0.76) - across(0), 1)];
        const bar = shape("g", { "aria-label": `cluster ${cluster}: ${sizes[cluster]} samples` });
        for (const [from, to, kind] of [[0, sizes[cluster] - bad[cluster], "bar"], [sizes[cluster] - bad[cluster], sizes[cluster], "bar bad"]]) {
          const part = shape("rect", { class: kind, x, width: wide, y: up(to), height: Math.max(up(from) - up(to), 0) });
          if (kind === "bar") part.style.fill = hue(run, cluster);
          bar.append(part);
        }
        // The whole height can be pressed, however small the bar is.
        bar.append(shape("rect", { class: "reach", x: across(at), width: across(1) - across(0), y: field.top, height: field.bottom - field.top }),
          shape("title", {}, `cluster ${cluster}: ${plural(sizes[cluster], "sample")}, ${bad[cluster]} of them outliers`));
        return bar;
      });
      pressable(bars, (at) => chooseCluster(run, order[at]));
      svg.append(...bars);
      return height;
    });
    const note = el("p", { class: "faint" }, "Orange: outliers.");
    heard.push(() => { note.hidden = outliersOf(run) === 0; });
    panel.append(note);
  },
};

const silhouettes = {
  needs: (run) => run.sketch && run.sketch.silhouettes,
  panel: (panel, run) => {
    const found = run.sketch.silhouettes;
    const rows = run.sketch.plane.rows;
    const members = Array.from({ length: clustersOf(run) }, () => []);
    found.points.forEach((s, at) => members[run.label[placeOf(run, rows ? rows[at] : at)]].push(s));
    members.forEach((list) => list.sort((a, b) => b - a));
    const order = members.map((_, at) => at).filter((at) => members[at].length).sort((a, b) => found.clusters[b] - found.clusters[a]);
    const low = Math.min(-0.1, ...order.map((at) => members[at][members[at].length - 1]));
    chart(panel, `silhouettes of the samples of ${run.name} by cluster`, (svg, width) => {
      const least = order.length > 25 ? 8 : 14;
      const room = Math.max(260, order.length * (least + 8));
      const height = 66 + order.reduce((sum, at) => sum + Math.max(least, (room * members[at].length) / found.points.length) + 2, 0);
      const field = { left: 40, right: width - 8, top: 26, bottom: height - 40 };
      const [across] = axes(svg, field, { low, high: 1, ticks: ticks(low, 1, 5).map((t) => [t, number(t, 2)]), name: "silhouette" }, { low: 0, high: 1, ticks: [], name: "cluster" });
      svg.append(shape("line", { class: "axis", x1: across(0), x2: across(0), y1: field.top, y2: field.bottom }));
      let top = field.top;
      const areas = order.map((cluster) => {
        const list = members[cluster];
        const tall = Math.max(least, (room * list.length) / found.points.length);
        const down = (at) => top + (tall * at) / list.length;
        const outline = list.flatMap((s, at) => [[across(s), down(at)], [across(s), down(at + 1)]]);
        const area = shape("g", { "aria-label": `cluster ${cluster}: mean silhouette ${found.clusters[cluster].toFixed(2)}` });
        const form = shape("path", { d: `${path([[across(0), top], ...outline, [across(0), top + tall]])}Z` });
        form.style.fill = hue(run, cluster);
        area.append(form, shape("text", { x: field.left - 6, y: top + tall / 2 + 4, "text-anchor": "end" }, String(cluster)),
          shape("rect", { class: "reach", x: 0, width, y: top, height: tall }),
          shape("title", {}, `cluster ${cluster}: mean ${found.clusters[cluster].toFixed(2)}, ${list.filter((s) => s < 0).length} of ${plural(list.length, "sample")} nearer to another cluster`));
        top += tall + 2;
        return area;
      });
      pressable(areas, (at) => chooseCluster(run, order[at]));
      svg.append(...areas, shape("line", { class: "cut", x1: across(found.mean), x2: across(found.mean), y1: field.top, y2: field.bottom }));
      return height;
    });
    panel.append(el("p", { class: "faint" }, `Mean ${found.mean.toFixed(2)} (dashed).`));
  },
};

// Classes by their names, and for each the cluster that it shares most samples with, the largest shares first; then the clusters
// that are left over.
const diagonal = (counts, classes) => {
  const cells = counts.flatMap((row, i) => Array.from(row, (size, j) => [size, i, j])).sort((a, b) => b[0] - a[0]);
  const [partner, taken] = [new Map(), new Set()];
  for (const [, i, j] of cells) if (!partner.has(i) && !taken.has(j)) { partner.set(i, j); taken.add(j); }
  const rows = counts.map((_, i) => i).sort((a, b) => classes[a].localeCompare(classes[b], "en", { numeric: true }));
  const columns = rows.filter((i) => partner.has(i)).map((i) => partner.get(i));
  return [rows, [...columns, ...counts[0].keys()].filter((j, at, all) => all.indexOf(j) === at)];
};

const confusion = {
  needs: (run) => run.truth && run.classes.length * clustersOf(run) <= 10000,
  wide: true,
  panel: (panel, run) => {
    const k = clustersOf(run);
    const counts = run.classes.map(() => new Float64Array(k));
    run.truth.forEach((truth, at) => { counts[truth][run.label[at]] += 1; });
    const [rows, columns] = diagonal(counts, run.classes);
    const totals = counts.map((row) => row.reduce((a, b) => a + b, 0) || 1);
    const cells = [];
    const body = rows.map((i) => el("tr", {}, el("th", { title: run.classes[i], scope: "row" }, run.classes[i]), ...columns.map((j) => {
      const part = counts[i][j] / totals[i];
      const cell = el("td", { role: "gridcell", title: `class ${run.classes[i]}, cluster ${j}: ${plural(counts[i][j], "sample")}` }, el("span", {}, counts[i][j] ? String(counts[i][j]) : ""));
      cell.style.background = `color-mix(in srgb, var(--accent) ${Math.round(counts[i][j] ? 12 + 68 * part : 0)}%, transparent)`;
      cell.classList.toggle("strong", part > 0.55);
      cells.push(cell);
      return cell;
    })));
    const head = el("tr", {}, el("th", {}, "class \\ cluster"), ...columns.map((j) => el("th", { title: `cluster ${j}` }, swatch(hue(run, j)), el("span", {}, String(j)))));
    const matrix = el("table", { class: "matrix", role: "grid" }, el("thead", {}, head), el("tbody", {}, ...body));
    const at = (index) => [rows[Math.floor(index / columns.length)], columns[index % columns.length]];
    pressable(cells, (index) => {
      const [i, j] = at(index);
      choose(run, rowsWhere(run, (place) => run.truth[place] === i && run.label[place] === j), `class ${run.classes[i]} in cluster ${j}${many ? ` of ${run.name}` : ""}`);
    }, { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns.length, ArrowUp: -columns.length });
    panel.append(el("div", { class: "wide" }, matrix));
    // As large as there is room for; where numbers do not fit, the colour and the title have to do.
    pictures.push(() => {
      const wide = panel.clientWidth - 26;
      const names = Math.min(150, 0.3 * wide);
      const side = Math.max(Math.min((wide - names - 2) / columns.length - 1, 54), 6);
      const digits = String(Math.max(...counts.map((row) => Math.max(...row)))).length;
      matrix.style.setProperty("--side", `${side}px`);
      matrix.style.setProperty("--names", `${names}px`);
      matrix.style.setProperty("--letters", `${Math.max(Math.min(13, (side - 2) / (0.62 * digits)), 6)}px`);
      matrix.classList.toggle("bare", (side - 2) / (0.62 * digits) < 7);
      matrix.classList.toggle("upright", side < 7 * String(k).length + 6);
    });
  },
};
