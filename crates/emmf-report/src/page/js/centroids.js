// The centroids as pictures, as curves, or as the features that they have most of. A press selects the samples of the cluster.
const weights = (top) => {
  const most = Math.max(...top.map((feature) => feature.value), 1e-300);
  return el("ol", { class: "terms" }, ...top.map((feature) => {
    const bar = el("span", { class: "weight" });
    bar.style.width = `${(100 * feature.value) / most}%`;
    return el("li", { title: `${feature.name}: ${number(feature.value)}` }, el("span", { class: "term" }, feature.name), el("span", { class: "faint" }, number(feature.value, 2)), bar);
  }));
};

const centroids = {
  needs: (run) => run.sketch && run.sketch.centroids.length > 0,
  wide: true,
  panel: (panel, run) => {
    const [sizes, size, own] = [sizesOf(run), run.sketch.image, alike(run)];
    const box = el("div", { class: size ? "grid-of-images" : "cards small" });
    const nodes = run.sketch.centroids.map(({ cluster, shape: levels, top }) => {
      const title = `${own ? "cluster" : "centroid"} ${cluster}`;
      const head = el("span", { class: "centroid" }, own ? swatch(hue(run, cluster)) : "", el("b", {}, title));
      const amount = own ? el("span", { class: "faint" }, plural(sizes[cluster], "sample")) : "";
      if (size) return el("figure", { "aria-label": title }, picture(values(levels), size, levels.high, title), el("figcaption", {}, head, " ", amount));
      const curve = words(run) ? null : sparkline(values(levels), null, `centroid of ${title}`);
      if (curve && own) curve.querySelector("path").style.stroke = hue(run, cluster);
      return el("article", { class: "card", "aria-label": title }, el("header", {}, head, amount), curve, weights(top.slice(0, words(run) ? 12 : 6)));
    });
    if (own) {
      pressable(nodes, (at) => chooseCluster(run, run.sketch.centroids[at].cluster));
      heard.push(() => nodes.forEach((node, at) => node.setAttribute("aria-pressed", String(isChosen(run, run.sketch.centroids[at].cluster)))));
    }
    // Cards are large: of many clusters the first ones.
    const first = size ? nodes.length : window.innerWidth < 600 ? 6 : 24;
    box.append(...nodes.slice(0, first));
    panel.append(box);
    if (nodes.length > first) {
      const more = el("button", { type: "button", class: "more" }, `show ${nodes.length - first} more`);
      more.addEventListener("click", () => { more.remove(); box.append(...nodes.slice(first)); });
      panel.append(more);
    }
    const left = (run.tree ? clustersOf(run) : run.spec.k) - run.sketch.centroids.length;
    if (left > 0) panel.append(el("p", { class: "faint" }, `The ${left} centroids of the smallest clusters are not shown.`));
  },
};
