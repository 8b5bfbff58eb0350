// How the number of clusters, or of centroids, was chosen.
const AGREED = 0.9;
const choice = {
  needs: (run) => run.choice,
  panel: (panel, run) => {
    const { ks, stability, spread, k, agreeing, splits, by_graph: byGraph, rank } = run.choice;
    chart(panel, rank ? "how much of the held-out values each number of centroids explains" : "how stable the clusters are for each number of clusters", (svg, width) => {
      const height = 240;
      const field = { left: 46, right: width - 8, top: 26, bottom: height - 40 };
      const [low, high] = [Math.min(...ks) - 0.5, Math.max(...ks) + 0.5];
      const [across, up] = axes(svg, field,
        { low, high, ticks: ticks(low, high, width / 60).filter(Number.isInteger).map((t) => [t, String(t)]), name: rank ? "centroids (k)" : "clusters (k)" },
        { low: 0, high: 1, ticks: ticks(0, 1, 4).map((t) => [t, number(t, 2)]), name: rank ? "share of the held-out values that is explained" : "agreement between clusters of two halves of the data" });
      const at = (value) => up(Math.min(Math.max(value, 0), 1));
      ks.forEach((k, i) => svg.append(shape("line", { class: "whisker", x1: across(k), x2: across(k), y1: at(stability[i] - spread[i]), y2: at(stability[i] + spread[i]) })));
      svg.append(shape("path", { class: "curve", d: path(ks.map((k, i) => [across(k), at(stability[i])])) }));
      ks.forEach((k, i) => {
        const reach = shape("rect", { class: "reach", x: across(k - 0.5), width: across(k + 0.5) - across(k - 0.5), y: field.top, height: field.bottom - field.top });
        reach.append(shape("title", {}, `k = ${k}: ${percent(stability[i])} ± ${percent(spread[i])}`));
        svg.append(reach);
      });
      if (ks.includes(k) && !byGraph) svg.append(shape("circle", { class: "dot", cx: across(k), cy: at(stability[ks.indexOf(k)]), r: 6 }));
      return height;
    });
    if (rank) panel.append(el("p", {}, `k = ${k}: the smallest number of centroids that explains held-out values as well as any, within one standard error; ${agreeing} of ${splits} masks choose it.`));
    else panel.append(el("p", {}, byGraph
      ? `k = ${k}: ${Math.max(0, ...stability) >= AGREED ? "halves agree about groups of clusters, but half of the samples also show the same communities" : "no two halves agree well enough"}, so this is the number of communities in the graph of 5 neighbours; with 4 to 8 neighbours there are ${byGraph[0]} to ${byGraph[1]}.`
      : `k = ${k}: ${agreeing} of ${splits} splits of the data into halves choose it.`));
  },
};
