// The samples as points of a plane: near each other where they are alike, or along principal components. Hover, touch or keys
// show a sample; a rectangle selects many.
const views = {
  layout: { name: "neighbours together", points: (run) => run.sketch.layout, text: (run) => `Samples that are alike${run.sketch.layout.by === "coefficients" ? " in their coefficients" : ""} lie near each other; directions, and distances between groups, mean little.` },
  principal: { name: "principal components", points: (run) => run.sketch.plane, text: (run) => `The two axes explain ${percent(run.sketch.plane.shares[0] + run.sketch.plane.shares[1])} of the variance of the ${run.sketch.plane.by === "samples" ? "samples, brought to unit length" : "coefficients"}.` },
};
const planeView = { of: "layout" };
const planes = [];

const ends = (list) => list.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

// Where the centroids are: by their coordinates, or in the middle of the samples of their clusters, on one of these. With layers
// clusters are the nodes of the last, whose coordinates nobody knows.
const centroidPlaces = (run, view, points, labels, outlier) => {
  if (clustersOf(run) > 60) return [];
  if (view === "principal" && !run.tree) {
    const known = alike(run) && run.sketch.plane.centroids ? run.sketch.plane.centroids : [];
    return known.map(([x, y], cluster) => ({ cluster, x, y }));
  }
  const members = Array.from({ length: clustersOf(run) }, () => []);
  labels.forEach((label, at) => { if (!outlier(at)) members[label].push(at); });
  const middle = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];
  return members.flatMap((of, cluster) => {
    if (!of.length) return [];
    const [x, y] = [middle(of.map((at) => points.x[at])), middle(of.map((at) => points.y[at]))];
    const far = (at) => (points.x[at] - x) ** 2 + (points.y[at] - y) ** 2;
    const nearest = of.reduce((best, at) => (far(at) < far(best) ? at : best));
    const reaches = of.map(far).sort((a, b) => a - b);
    return [{ cluster, x: points.x[nearest], y: points.y[nearest], reach: Math.sqrt(reaches[Math.floor(0.9 * reaches.length)]) }];
  });
};

class Plane {
  constructor(panel, run, fixed) {
    const rows = run.sketch.plane.rows;
    const size = run.sketch.plane.x.length;
    Object.assign(this, { panel, run, fixed, zoom: 1, centre: [0.5, 0.5], places: [], drag: null, selecting: false });
    this.rows = rows || Array.from({ length: size }, (_, at) => at);
    this.of = this.rows.map((row) => placeOf(run, row));
    this.labels = this.of.map((place) => run.label[place]);
    const scores = this.of.map((place) => run.score[place]);
    this.worst = scores.reduce((best, score, at) => (score > scores[best] ? at : best), 0);
    this.canvas = el("canvas", { class: "plane", tabindex: "0", role: "img", "aria-label": `the samples of ${run.name} as points; arrow keys go from point to point, Home goes to the worst outlier, Enter selects the sample, C its cluster; plus and minus zoom, 0 shows all, arrows with shift move the view` });
    this.base = el("canvas");
    this.tip = el("div", { class: "tip", role: "status", hidden: "" });
    this.legend = el("div", { class: "legend" });
    this.caption = el("p", { class: "faint" });
    panel.append(this.tools(), this.canvas, this.tip, this.legend, this.caption);
    steer(this);
    planes.push(this);
    pictures.push(() => this.draw());
    watching.push(() => this.show());
  }

  get view() { return this.fixed || (this.run.sketch.layout ? planeView.of : "principal"); }

  get focus() { return shares(this.run, focused) ? pointOf(this.run, focused.row) ?? null : null; }

  tools() {
    const button = (text, label, press) => {
      const made = el("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", () => press(made));
      return made;
    };
    const select = button("▭ select", "drag a rectangle to select samples", (own) => {
      this.selecting = !this.selecting;
      own.setAttribute("aria-pressed", String(this.selecting));
      this.canvas.classList.toggle("selecting", this.selecting);
    });
    select.setAttribute("aria-pressed", "false");
    this.title = el("span", { class: "faint" });
    return el("div", { class: "tools" }, this.title, el("span", { class: "actions" }, select,
      button("+", "zoom in", () => this.zoomBy(1.5)), button("−", "zoom out", () => this.zoomBy(1 / 1.5)), button("all", "show all", () => this.reset())));
  }

  // Fits the points into the field, at the zoom.
  scales() {
    const points = views[this.view].points(this.run);
    const width = Math.max(this.panel.clientWidth - 26, 220);
    const height = Math.round(Math.min(0.8 * width, 560));
    const axes = this.view === "principal";
    const field = axes ? { left: 44, right: width - 2, top: 2, bottom: height - 34 } : { left: 1, right: width - 1, top: 1, bottom: height - 1 };
    const centroids = this.centroids = centroidPlaces(this.run, this.view, points, this.labels, (at) => isOutlier(this.run, this.of[at]));
    let [[left, right], [low, high]] = ["x", "y"].map((axis) => ends(points[axis].concat(centroids.map((one) => one[axis]))));
    // Room for whole points at the edges and for the numbers above centroids.
    const [wide, tall] = [field.right - field.left - 24, field.bottom - field.top - 44];
    let [perX, perY] = [wide / (right - left || 1), tall / (high - low || 1)];
    // A layout has no directions: one unit is as long across as upwards.
    if (!axes) perX = perY = Math.min(perX, perY);
    const middle = [left + (right - left) * this.centre[0], low + (high - low) * this.centre[1]];
    const at = [(field.left + field.right) / 2, (field.top + field.bottom) / 2];
    const across = (x) => at[0] + (x - middle[0]) * perX * this.zoom;
    const up = (y) => at[1] - (y - middle[1]) * perY * this.zoom;
    Object.assign(this, { width, height, field, across, up, spans: [(right - left || 1) * perX, (high - low || 1) * perY] });
    this.shown = { x: [middle[0] - (wide + 24) / 2 / perX / this.zoom, middle[0] + (wide + 24) / 2 / perX / this.zoom], y: [middle[1] - (tall + 24) / 2 / perY / this.zoom, middle[1] + (tall + 24) / 2 / perY / this.zoom] };
    this.places = points.x.map((x, i) => [across(x), up(points.y[i])]);
  }

  draw() {
    this.scales();
    const { canvas, base, run, width, height, field } = this;
    const fine = Math.max(window.devicePixelRatio || 1, 1);
    for (const one of [canvas, base]) [one.width, one.height] = [Math.round(width * fine), Math.round(height * fine)];
    canvas.style.height = `${height}px`;
    canvas.classList.toggle("zoomed", this.zoom > 1);
    const pen = base.getContext("2d");
    pen.setTransform(fine, 0, 0, fine, 0, 0);
    const look = getComputedStyle(canvas);
    const ink = Object.fromEntries(["bad", "ink", "faint", "line", "paper"].map((name) => [name, look.getPropertyValue(`--${name}`)]));
    const held = run.sketch.plane.shares.map(percent);
    drawFrame(pen, field, ink, this.view === "principal" && { ...this.shown, across: this.across, up: this.up, names: [`first component (${held[0]})`, `second component (${held[1]})`] });
    pen.save();
    pen.beginPath();
    pen.rect(field.left, field.top, field.right - field.left, field.bottom - field.top);
    pen.clip();
    this.drawPoints(pen, ink);
    pen.restore();
    this.show();
    this.captions();
  }

  drawPoints(pen, ink) {
    const { run, places, rows } = this;
    const inking = this.painted = colourPoints(run, this.of);
    const size = places.length > 3000 ? 1.6 : places.length > 600 ? 2.4 : 3.4;
    const radius = size * Math.min(Math.sqrt(this.zoom), 2.5);
    const numeric = inking.range !== undefined;
    const any = shares(run, selection);
    pen.lineWidth = 1.6;
    // What is selected and what is an outlier comes last, so that nothing covers it.
    for (const [chosen, bad] of [[false, false], [false, true], [true, false], [true, true]]) {
      for (let at = 0; at < places.length; at += 1) {
        const outlier = isOutlier(run, this.of[at]);
        if (outlier !== bad || (any && selection.rows.has(rows[at])) !== chosen) continue;
        const [x, y] = places[at];
        if (x < -9 || y < -9 || x > this.width + 9 || y > this.height + 9) continue;
        pen.globalAlpha = any && !chosen ? 0.12 : bad ? 1 : 0.8;
        pen.fillStyle = inking.colours[at];
        pen.strokeStyle = numeric ? inking.colours[at] : ink.bad;
        drawPoint(pen, x, y, radius, bad);
      }
    }
    pen.globalAlpha = 1;
    if (colouring.by !== "cluster") return;
    for (const one of this.centroids) drawCentroid(pen, this.across(one.x), this.up(one.y) - this.lift(one, radius), String(one.cluster), ink, any && !isChosen(run, one.cluster));
  }

  // How far above its place the number of a cluster is. Samples are to be seen: by coordinates a centroid may lie on a few of its
  // own, and a number would hide a small group.
  lift({ y, reach }, radius) {
    if (this.view === "principal") return 10;
    const own = this.up(y) - this.up(y + reach);
    return own < 10 ? own + radius + 8 : 0;
  }

  // The sample that is looked at, here or in another plane.
  show() {
    const { canvas, tip, run, focus } = this;
    if (!this.places.length) return;
    const pen = canvas.getContext("2d");
    const fine = canvas.width / this.width;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(this.base, 0, 0);
    pen.setTransform(fine, 0, 0, fine, 0, 0);
    pen.strokeStyle = getComputedStyle(canvas).getPropertyValue("--ink");
    if (this.drag && this.drag.to) {
      const { from, to } = this.drag;
      pen.setLineDash([4, 3]);
      pen.strokeRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
      pen.setLineDash([]);
    }
    tip.hidden = focus === null || focused.by !== this;
    if (focus === null) return;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(...this.places[focus], 8, 0, 7);
    pen.stroke();
    if (tip.hidden) return;
    const row = this.rows[focus];
    const text = textOf(run, row);
    tip.replaceChildren(el("b", {}, nameOf(run, row)), el("div", {}, `score ${number(run.score[this.of[focus]], 3)}`), el("div", {}, describe(run, row)), text ? el("div", { class: "text" }, text) : "", imageOf(run, row) || "");
    const [px, py] = this.places[focus];
    tip.style.left = `${Math.max(4, Math.min(px + canvas.offsetLeft + 12, this.panel.clientWidth - tip.offsetWidth - 6))}px`;
    tip.style.top = `${py + canvas.offsetTop + (py > 0.55 * canvas.clientHeight ? -tip.offsetHeight - 12 : 14)}px`;
  }

  captions() {
    const { run, legend, painted } = this;
    this.title.textContent = views[this.view].name;
    const held = [...legend.children].indexOf(document.activeElement);
    if (painted.range) {
      const scale = el("span", { class: "scale" });
      scale.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(heat).join(", ")})`;
      legend.replaceChildren(el("span", { class: "faint" }, `${colouring.by === "feature" ? colouring.feature : colouring.by} ${number(painted.range[0], 3)}`), scale, el("span", { class: "faint" }, number(painted.range[1], 3)));
    } else if (painted.groups.length <= 60) {
      const own = selection !== null && selection.run === run ? selection.title : "";
      const buttons = painted.groups.map(({ name, title, paint }) => el("button", { type: "button", "aria-pressed": String(title === own) }, swatch(paint), name));
      pressable(buttons, (at) => painted.groups[at].press());
      legend.replaceChildren(...buttons);
    } else legend.replaceChildren();
    if (held >= 0 && legend.children[held]) legend.children[held].focus({ preventScroll: true });
    const thinned = run.sketch.plane.rows ? ` ${count(this.rows.length)} of ${count(run.data.n)} samples are shown, including the worst.` : "";
    this.caption.textContent = views[this.view].text(run) + thinned;
  }

  zoomBy(factor, [x, y] = [(this.field.left + this.field.right) / 2, (this.field.top + this.field.bottom) / 2]) {
    const before = this.zoom;
    this.zoom = Math.min(Math.max(before * factor, 1), 200);
    if (this.zoom === 1) { this.reset(); return; }
    // What lies under the pointer stays there.
    const [dx, dy] = [x - (this.field.left + this.field.right) / 2, y - (this.field.top + this.field.bottom) / 2];
    this.move(dx * (1 - this.zoom / before), dy * (1 - this.zoom / before));
  }

  move(dx, dy) {
    this.centre = [this.centre[0] - dx / this.spans[0] / this.zoom, this.centre[1] + dy / this.spans[1] / this.zoom].map((c) => Math.min(Math.max(c, 0), 1));
    this.draw();
  }

  reset() {
    [this.zoom, this.centre] = [1, [0.5, 0.5]];
    this.draw();
  }

  nearest(px, py, allowed = () => true) {
    let [best, distance] = [null, Infinity];
    this.places.forEach(([qx, qy], at) => {
      const d = (qx - px) ** 2 + (qy - py) ** 2;
      if (d < distance && allowed(qx - px, qy - py, at)) [best, distance] = [at, d];
    });
    return [best, distance];
  }

  lookAt(at) {
    if (at === null) { look(null); return; }
    focused = { run: this.run, row: this.rows[at], by: this };
    watching.forEach((watch) => watch());
  }
}

const embedding = {
  needs: (run) => run.sketch,
  variants: (run) => (many ? [null] : run.sketch.layout ? ["layout", "principal"] : ["principal"]),
  before: (box) => {
    const controls = el("div", { class: "controls" }, colouringControls(() => planes.forEach((plane) => plane.draw())));
    if (many && runs.some((run) => run.sketch && run.sketch.layout)) {
      const select = el("select", { id: "view" }, ...Object.entries(views).map(([value, view]) => el("option", { value }, view.name)));
      select.addEventListener("change", () => { planeView.of = select.value; planes.forEach((plane) => plane.reset()); });
      controls.append(el("span", { class: "control" }, el("label", { for: "view" }, "show "), select));
    }
    box.append(controls);
  },
  panel: (panel, run, view) => new Plane(panel, run, view),
};
