// The samples as points of a plane: hover, touch or arrow keys show a row.
const embedding = {
  needs: (run) => run.sketch,
  panel: (panel, run) => {
    const { x, y, rows, shares } = run.sketch.plane;
    const row = (at) => (rows ? rows[at] : at);
    const canvas = el("canvas", { class: "plane", tabindex: "0", role: "img", "aria-label": `the samples of ${run.name} as points; arrow keys go from point to point, Home to the worst outlier` });
    const tip = el("div", { class: "tip", role: "status", hidden: "" });
    panel.append(canvas, tip);
    const ends = (list) => list.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const [[left, right], [low, high]] = [ends(x), ends(y)];
    let [places, focus, only] = [[], null, null];
    const scores = x.map((_, at) => run.score[placeOf(run, row(at))]);
    const labels = x.map((_, at) => run.label[placeOf(run, row(at))]);
    const outlier = (at) => isOutlier(run, placeOf(run, row(at)));

    const draw = () => {
      const width = Math.max(panel.clientWidth - 26, 220);
      const height = Math.round(Math.min(0.8 * width, 520));
      const fine = Math.max(window.devicePixelRatio || 1, 1);
      [canvas.width, canvas.height] = [width * fine, height * fine];
      canvas.style.height = `${height}px`;
      const pen = canvas.getContext("2d");
      pen.setTransform(fine, 0, 0, fine, 0, 0);
      const bad = getComputedStyle(canvas).getPropertyValue("--bad");
      const ink = getComputedStyle(canvas).getPropertyValue("--ink");
      const radius = x.length > 3000 ? 1.6 : x.length > 600 ? 2.4 : 3.4;
      places = x.map((value, at) => [
        12 + ((value - left) / (right - left || 1)) * (width - 24),
        height - 12 - ((y[at] - low) / (high - low || 1)) * (height - 24),
      ]);
      places.forEach(([px, py], at) => {
        if (outlier(at)) return;
        pen.globalAlpha = only === null || only === labels[at] ? 0.8 : 0.1;
        pen.fillStyle = colour(labels[at], clustersOf(run));
        pen.beginPath();
        pen.arc(px, py, radius, 0, 7);
        pen.fill();
      });
      pen.lineWidth = 1.6;
      places.forEach(([px, py], at) => {
        if (!outlier(at)) return;
        pen.globalAlpha = only === null || only === labels[at] ? 1 : 0.15;
        pen.strokeStyle = bad;
        pen.beginPath();
        pen.moveTo(px - 4, py - 4);
        pen.lineTo(px + 4, py + 4);
        pen.moveTo(px - 4, py + 4);
        pen.lineTo(px + 4, py - 4);
        pen.stroke();
      });
      pen.globalAlpha = 1;
      if (focus !== null) {
        pen.strokeStyle = ink;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(...places[focus], 8, 0, 7);
        pen.stroke();
      }
    };
    pictures.push(draw);

    const show = (at) => {
      focus = at;
      draw();
      if (at === null) { tip.hidden = true; return; }
      const here = row(at);
      tip.replaceChildren(el("b", {}, nameOf(run, here)), el("div", {}, `score ${number(scores[at], 3)}`), el("div", {}, describe(run, here)));
      const worst = run.sketch.outliers.find((sample) => sample.row === here);
      const levels = worst ? worst.shape : run.sketch.thumbnails && run.sketch.thumbnails[at];
      if (levels && run.sketch.image) tip.append(picture(values(levels), run.sketch.image, levels.high, "the sample"));
      tip.hidden = false;
      const [px, py] = places[at];
      tip.style.left = `${Math.max(4, Math.min(px + canvas.offsetLeft + 12, panel.clientWidth - tip.offsetWidth - 6))}px`;
      tip.style.top = `${py + canvas.offsetTop + (py > 0.55 * canvas.clientHeight ? -tip.offsetHeight - 12 : 14)}px`;
    };
    const nearest = (px, py, allowed = () => true) => {
      let [best, distance] = [null, Infinity];
      places.forEach(([qx, qy], at) => {
        const d = (qx - px) ** 2 + (qy - py) ** 2;
        if (d < distance && allowed(qx - px, qy - py, at)) [best, distance] = [at, d];
      });
      return [best, distance];
    };
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const [at, distance] = nearest(event.clientX - box.left, event.clientY - box.top);
      if (at !== focus || tip.hidden) show(distance < 900 ? at : null);
    });
    canvas.addEventListener("pointerleave", () => show(null));
    canvas.addEventListener("blur", () => show(null));
    const worst = scores.reduce((best, score, at) => (score > scores[best] ? at : best), 0);
    canvas.addEventListener("focus", () => { if (focus === null && canvas.matches(":focus-visible")) show(worst); });
    const ways = {
      ArrowRight: (dx, dy) => dx > 0 && Math.abs(dy) <= dx, ArrowLeft: (dx, dy) => dx < 0 && Math.abs(dy) <= -dx,
      ArrowUp: (dx, dy) => dy < 0 && Math.abs(dx) <= -dy, ArrowDown: (dx, dy) => dy > 0 && Math.abs(dx) <= dy,
    };
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(null);
      else if (event.key === "Home") show(worst);
      else if (ways[event.key]) {
        const [px, py] = places[focus ?? worst];
        const [next] = nearest(px, py, (dx, dy, at) => at !== focus && ways[event.key](dx, dy));
        if (next !== null) show(next);
      } else return;
      event.preventDefault();
    });

    if (clustersOf(run) <= 40) {
      const legend = el("div", { class: "legend" });
      for (let cluster = 0; cluster < clustersOf(run); cluster += 1) {
        const swatch = el("span", { class: "swatch" });
        swatch.style.background = colour(cluster, clustersOf(run));
        const button = el("button", { type: "button", "aria-pressed": "false" }, swatch, String(cluster));
        button.addEventListener("click", () => {
          only = only === cluster ? null : cluster;
          legend.querySelectorAll("button").forEach((other, at) => other.setAttribute("aria-pressed", String(only === at)));
          draw();
        });
        legend.append(button);
      }
      panel.append(legend);
    }
    const thinned = rows ? ` ${x.length.toLocaleString("en")} of ${run.data.n.toLocaleString("en")} samples are shown, the worst among them.` : "";
    panel.append(el("p", { class: "faint" }, `The two axes hold ${percent(shares[0] + shares[1])} of the variance of the coefficients.${thinned}`));
  },
};

summary();
section("residuals", "Residuals and outliers", "Move the threshold: counts, colours and marks on the whole page follow.", residuals);
section("ranking", "Worst samples", null, ranking);
section("convergence", "Convergence", null, convergence);
section("choice", "Number of clusters", null, choice);
section("embedding", "Samples by their coefficients", "Each point is a sample, coloured by cluster; a cross is an outlier. Point at one, or use the arrow keys.", embedding);
section("sizes", "Cluster sizes", null, clusterSizes);
section("centroids", "Centroids", null, centroids);
section("confusion", "Classes and clusters", "How many samples of each class are in each cluster.", confusion);
section("repeat", "Parameters and how to repeat it", null, repeat);
const redraw = () => pictures.forEach((draw) => draw());
redraw();
heard.push(redraw);
heard.forEach((hear) => hear());
let waiting = null;
window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 60); });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("beforeprint", redraw);
