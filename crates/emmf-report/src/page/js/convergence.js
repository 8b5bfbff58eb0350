// The objective on its way: how far it is from its last value, on a logarithmic axis, along which a steady pace is a straight line.
const convergence = {
  panel: (panel, run) => {
    const steps = [0, ...run.trace.step];
    const objective = [run.initial, ...run.trace.value];
    const last = objective[objective.length - 1];
    const distance = objective.map((value) => Math.abs(value - last));
    // What rounding can do is no distance.
    const least = 1e-13 * Math.max(Math.abs(last), Number.MIN_VALUE);
    const shown = steps.map((_, i) => i).filter((i) => distance[i] > least);
    const readout = el("p", { class: "faint", "aria-live": "polite" });
    readout.textContent = `from ${number(run.initial, 6)} to ${number(run.objective, 6)} in ${plural(run.iterations, "iteration")}; stopped by ${run.stop}`;
    if (shown.length < 2) { panel.append(el("p", {}, "The objective hardly changed."), readout); return; }
    let [at, places] = [null, []];
    const svg = chart(panel, `distance of the objective of ${run.name} from its last value after each iteration`, (svg, width) => {
      const height = 260;
      const logs = shown.map((i) => Math.log10(distance[i]));
      const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs) + 1e-9)];
      const field = { left: 62, right: width - 8, top: 26, bottom: height - 40 };
      const end = Math.max(steps[steps.length - 1], 1);
      const powers = ticks(low, high, 6).filter(Number.isInteger);
      const [across, up] = axes(svg, field,
        { low: 0, high: end, ticks: ticks(0, end, width / 90).filter(Number.isInteger).map((t) => [t, count(t)]), name: "iteration" },
        { low, high, ticks: powers.map((t) => [t, Math.abs(t) < 4 ? number(10 ** t, 1) : `1e${t}`]), name: "objective minus its last value" });
      places = shown.map((i, rank) => [across(steps[i]), up(logs[rank])]);
      svg.append(shape("path", { class: "curve", d: path(places) }));
      // A step at the last value is not on the curve.
      const dot = places[shown.indexOf(at)];
      if (dot) svg.append(shape("circle", { class: "dot", cx: dot[0], cy: dot[1], r: 5 }));
      return height;
    });
    const show = (to) => {
      at = Math.min(Math.max(to, 0), steps.length - 1);
      readout.textContent = `after ${steps[at]} iterations: ${number(objective[at], 8)}, ${number(distance[at], 3)} from the last value`;
      svg.redraw();
    };
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      show(shown[places.reduce((best, place, i) => (Math.abs(place[0] - x) < Math.abs(places[best][0] - x) ? i : best), 0)]);
    });
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      show((at ?? 0) + by);
    });
    panel.append(readout);
  },
};
