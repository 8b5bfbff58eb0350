// What the restarts agree on: the stability of every component, the least stable first.
const consensus = {
  needs: (run) => run.consensus,
  panel: (panel, run) => {
    const { stability, stable, restarts, set_aside: aside } = run.consensus;
    const order = Array.from(stability.keys()).sort((a, b) => stability[a] - stability[b]);
    chart(panel, `stability of the ${stability.length} components of ${run.name}`, (svg, width) => {
      const height = 220;
      const field = { left: 52, right: Math.min(width - 8, 52 + 90 * stability.length), top: 26, bottom: height - 40 };
      const digits = String(stability.length - 1).length;
      const every = Math.ceil((stability.length * (7 * digits + 3)) / (field.right - field.left));
      const [across, up] = axes(svg, field,
        { low: 0, high: stability.length, ticks: order.map((k, at) => [at + 0.5, String(k)]).filter((_, at) => at % every === 0), name: "component, least stable first" },
        { low: 0, high: 1, ticks: ticks(0, 1, 4).map((t) => [t, number(t, 2)]), name: "stability" });
      order.forEach((k, at) => {
        const value = Math.min(Math.max(stability[k], 0), 1);
        const bar = shape("rect", { class: value < stable ? "bar bad" : "bar", x: across(at + 0.12), width: Math.max(across(0.76) - across(0), 1), y: up(value), height: Math.max(up(0) - up(value), 0) });
        bar.append(shape("title", {}, `component ${k}: ${number(stability[k], 3)}`));
        svg.append(bar);
      });
      svg.append(shape("line", { class: "whisker", x1: field.left, x2: field.right, y1: up(stable), y2: up(stable) }));
      return height;
    });
    const unstable = order.filter((k) => stability[k] < stable);
    const said = [`${restarts} restarts.`];
    said.push(unstable.length ? `Orange: ${plural(unstable.length, "component")} below ${stable}, not the same in all restarts.` : `All components are above ${stable}.`);
    if (aside.length) said.push(`${plural(aside.length, "restart")} far from the others did not count: ${aside.join(", ")}.`);
    panel.append(el("p", { class: "faint" }, said.join(" ")));
  },
};
