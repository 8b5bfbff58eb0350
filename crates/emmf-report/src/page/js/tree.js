// The tree of a fit with layers: every node can be opened to see its children, or its samples.
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
    const members = (node) => {
      const rows = Object.entries(node.members).map(([row, name]) => name || `row ${row}`);
      const more = node.size - rows.length;
      return el("p", { class: "faint members" }, rows.join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : ""));
    };
    const build = (node) => {
      const certain = node.certainty === null ? null : el("span", { class: "faint" }, `certainty ${percent(node.certainty)}`);
      const bad = node.outliers ? el("span", { class: "faint" }, plural(node.outliers, "outlier")) : null;
      const head = el("summary", {}, look(node), el("b", {}, `${node.layer}.${node.node}`), el("span", {}, `${plural(node.size, "sample")}, ${percent(node.share)}`), certain, bad);
      const box = el("details", { class: "node" }, head);
      // What is inside is made when it is looked at.
      box.addEventListener("toggle", () => {
        if (!box.open || box.childElementCount > 1) return;
        const children = node.children.map((child) => nodes.get(`${node.layer - 1}.${child}`)).filter(Boolean);
        box.append(...(children.length ? children.map(build) : [members(node)]));
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
