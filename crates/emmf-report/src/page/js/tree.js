// The tree of a fit with layers: every node can be opened to see its children, and selects its samples on the whole page.
const branches = {
  needs: (run) => run.tree,
  wide: true,
  panel: (panel, run) => {
    const { tree, sketch } = run;
    const nodes = new Map(tree.nodes.map((node) => [`${node.layer}.${node.node}`, node]));
    const look = (node) => {
      const centroid = sketch && sketch.layers && (sketch.layers[node.layer - 1] || []).find((each) => each.cluster === node.node);
      if (!centroid) return null;
      if (sketch.image) return picture(values(centroid.shape), sketch.image, centroid.shape.high, `node ${node.node} of layer ${node.layer}`);
      return el("span", { class: "faint" }, centroid.top.slice(0, 6).map((feature) => feature.name).join(", "));
    };
    const labels = tree.labels.map((packed) => numbers(packed, Uint16Array));
    const select = (node) => {
      const name = `node ${node.layer}.${node.node}${many ? ` of ${run.name}` : ""}`;
      const button = el("button", { type: "button", "aria-label": `select the samples of ${name}`, "aria-pressed": "false" }, "select");
      button.addEventListener("click", (event) => {
        // It does not open or close the node around it.
        event.preventDefault();
        choose(run, rowsWhere(run, (place) => labels[node.layer - 1][place] === node.node), name);
      });
      heard.push(() => button.setAttribute("aria-pressed", String(selection !== null && selection.run === run && selection.title === name)));
      return button;
    };
    const build = (node) => {
      const certain = node.certainty === null ? null : el("span", { class: "faint" }, `certainty ${percent(node.certainty)}`);
      const bad = node.outliers ? el("span", { class: "faint" }, plural(node.outliers, "outlier")) : null;
      const children = node.children.map((child) => nodes.get(`${node.layer - 1}.${child}`)).filter(Boolean);
      const head = el(children.length ? "summary" : "div", {}, look(node), el("b", {}, `${node.layer}.${node.node}`), el("span", {}, `${plural(node.size, "sample")}, ${percent(node.share)}`), certain, bad, select(node));
      if (!children.length) return el("div", { class: "node" }, head);
      const box = el("details", { class: "node" }, head);
      // What is inside is made when it is looked at.
      box.addEventListener("toggle", () => {
        if (!box.open || box.childElementCount > 1) return;
        box.append(...children.map(build));
      });
      return box;
    };
    const roots = tree.nodes.filter((node) => node.layer === tree.layers);
    panel.append(...roots.sort((a, b) => b.size - a.size).map(build));
    const said = [];
    if (tree.empty) said.push(`${tree.empty} nodes without samples are left out.`);
    if (tree.left) said.push(`${tree.left} nodes of the first layer are not shown.`);
    if (said.length) panel.append(el("p", { class: "faint" }, said.join(" ")));
  },
};
