// Mouse, touch and keys in a plane.
const WAYS = {
  ArrowRight: (dx, dy) => dx > 0 && Math.abs(dy) <= dx, ArrowLeft: (dx, dy) => dx < 0 && Math.abs(dy) <= -dx,
  ArrowUp: (dx, dy) => dy < 0 && Math.abs(dx) <= -dy, ArrowDown: (dx, dy) => dy > 0 && Math.abs(dx) <= dy,
};
const MOVES = { ArrowRight: [-60, 0], ArrowLeft: [60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };

const steer = (plane) => {
  const { canvas } = plane;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    plane.drag = { from: at(event), last: at(event), moved: false, brush: plane.selecting || event.shiftKey };
    // Without a rectangle or a zoom a finger scrolls the page.
    if (plane.drag.brush || plane.zoom > 1) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    const { drag } = plane;
    if (!drag) {
      const [near, distance] = plane.nearest(x, y);
      const found = distance < 900 ? near : null;
      if (found !== plane.focus || plane.tip.hidden) plane.lookAt(found);
      return;
    }
    drag.moved = drag.moved || Math.hypot(x - drag.from[0], y - drag.from[1]) > 4;
    if (!drag.moved) return;
    if (drag.brush) {
      drag.to = [x, y];
      plane.show();
    } else if (plane.zoom > 1) {
      plane.move(x - drag.last[0], y - drag.last[1]);
      drag.last = [x, y];
    }
  });
  const brushed = ({ from, to }) => {
    const [left, right, top, bottom] = [Math.min(from[0], to[0]), Math.max(from[0], to[0]), Math.min(from[1], to[1]), Math.max(from[1], to[1])];
    const inside = plane.rows.filter((_, i) => { const [x, y] = plane.places[i]; return x >= left && x <= right && y >= top && y <= bottom; });
    if (inside.length) choose(plane.run, inside, `part of the plane${many ? ` of ${plane.run.name}` : ""}`);
    else if (selection) clearSelection();
  };
  canvas.addEventListener("pointerup", (event) => {
    const { drag } = plane;
    plane.drag = null;
    if (!drag) return;
    if (drag.to) { selection = null; brushed(drag); }
    if (drag.moved) { plane.show(); return; }
    const [near, distance] = plane.nearest(...at(event));
    if (distance < 400) { chooseSample(plane.run, plane.rows[near]); plane.lookAt(near); }
    else if (selection) clearSelection();
  });
  for (const lost of ["pointercancel", "pointerleave"]) canvas.addEventListener(lost, () => { plane.drag = null; plane.lookAt(null); });
  canvas.addEventListener("blur", () => plane.lookAt(null));
  canvas.addEventListener("dblclick", (event) => plane.zoomBy(2, at(event)));
  // Without a key the wheel scrolls the page.
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    plane.zoomBy(Math.exp(-event.deltaY / 300), at(event));
  }, { passive: false });
  canvas.addEventListener("focus", () => { if (plane.focus === null && canvas.matches(":focus-visible")) plane.lookAt(plane.worst); });
  canvas.addEventListener("keydown", (event) => {
    const held = plane.focus;
    if (event.key === "Escape" && held !== null) plane.lookAt(null);
    else if (event.key === "Home") plane.lookAt(plane.worst);
    else if (event.key === "+" || event.key === "=") plane.zoomBy(1.5, held === null ? undefined : plane.places[held]);
    else if (event.key === "-") plane.zoomBy(1 / 1.5);
    else if (event.key === "0") plane.reset();
    else if (event.key === "Enter" && held !== null) { choose(plane.run, [plane.rows[held]], nameOf(plane.run, plane.rows[held])); }
    else if (event.key.toLowerCase() === "c" && held !== null && !event.ctrlKey && !event.metaKey) chooseCluster(plane.run, plane.labels[held]);
    else if (WAYS[event.key] && event.shiftKey) plane.move(...MOVES[event.key]);
    else if (WAYS[event.key]) {
      const from = held ?? plane.worst;
      const [next] = plane.nearest(...plane.places[from], (dx, dy, i) => i !== held && WAYS[event.key](dx, dy));
      if (next !== null) plane.lookAt(next);
    } else return;
    event.preventDefault();
  });
};
