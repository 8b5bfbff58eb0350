// Drawing: elements, scales, axes, small pictures. Text from the data only ever becomes a text node.
"use strict";

const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null));
  return node;
};

const shape = (tag, attributes = {}, text = null) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  return node;
};

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const numbers = (text, Kind) => new Kind(bytes(text).buffer);

const number = (value, digits = 4) => {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(Math.max(digits - 2, 1));
  return String(Number(value.toPrecision(digits)));
};

// With a space at which no line ends.
const percent = (share) => `${number(100 * share, 3)}\u00a0%`;

const count = (value) => value.toLocaleString("en");
const plural = (value, one, several = `${one}s`) => `${count(value)} ${value === 1 ? one : several}`;

const FEW = ["#3b82c4", "#d6ad17", "#2f9e6e", "#c94f7c", "#8b6cc9", "#a98324", "#3aa6b9", "#d1495b", "#7a8b3c", "#7d7f8c"];
const colour = (at, count) =>
  count <= FEW.length ? FEW[at] : `hsl(${((at * 137.508) % 360).toFixed(0)} 62% ${46 + 9 * (at % 3)}%)`;

// Round numbers between two ends, about as many as asked for.
const ticks = (low, high, count) => {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.99) || 10);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return found;
};

// Numbers as colours, from blue over yellow to red, which show on white and on black.
const HEAT = [[59, 110, 190], [80, 165, 190], [205, 175, 60], [238, 115, 55], [205, 40, 50]];
const heat = (share) => {
  const at = Math.min(Math.max(share, 0), 1) * (HEAT.length - 1);
  const low = Math.min(Math.floor(at), HEAT.length - 2);
  return `rgb(${HEAT[low].map((value, i) => Math.round(value + (at - low) * (HEAT[low + 1][i] - value))).join(" ")})`;
};

// A part of a text that stands for a group of samples: pressed by mouse, touch or keys. Of many in a row one takes the
// focus of the tab key, and arrow keys go on from there.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const pressable = (nodes, press, steps = STEPS) => {
  nodes.forEach((node, at) => {
    node.setAttribute("tabindex", at ? "-1" : "0");
    if (!node.hasAttribute("role") && node.nodeName !== "BUTTON") node.setAttribute("role", "button");
    node.classList.add("pressable");
    node.addEventListener("click", () => press(at));
    node.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && node.nodeName !== "BUTTON") press(at);
      else if (nodes[at + steps[event.key]]) {
        node.setAttribute("tabindex", "-1");
        nodes[at + steps[event.key]].setAttribute("tabindex", "0");
        nodes[at + steps[event.key]].focus();
      } else return;
      event.preventDefault();
    });
  });
};

// A picture that is drawn anew whenever its width or the threshold changes. Whoever draws it gives back its height.
const pictures = [];
const chart = (panel, label, draw) => {
  const svg = shape("svg", { role: "img", "aria-label": label });
  panel.append(svg);
  svg.redraw = () => {
    const width = Math.max(panel.clientWidth - 26, 220);
    // What has the focus has it again when it is drawn anew.
    const held = [...svg.querySelectorAll(".pressable")].indexOf(document.activeElement);
    svg.replaceChildren();
    const height = draw(svg, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const again = held >= 0 && svg.querySelectorAll(".pressable")[held];
    if (again) again.focus({ preventScroll: true });
  };
  pictures.push(svg.redraw);
  return svg;
};

// Axes around a field; gives the two scales. Ticks are [place, text] in the units of the axes.
const axes = (svg, field, x, y) => {
  const { left, top, right, bottom } = field;
  const across = (value) => left + ((value - x.low) / (x.high - x.low || 1)) * (right - left);
  const up = (value) => bottom - ((value - y.low) / (y.high - y.low || 1)) * (bottom - top);
  for (const [value, text] of y.ticks) {
    svg.append(shape("line", { class: "grid", x1: left, x2: right, y1: up(value), y2: up(value) }));
    svg.append(shape("text", { x: left - 6, y: up(value) + 4, "text-anchor": "end" }, text));
  }
  for (const [value, text] of x.ticks) {
    svg.append(shape("text", { x: across(value), y: bottom + 16, "text-anchor": "middle" }, text));
  }
  svg.append(shape("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  if (x.name) svg.append(shape("text", { x: (left + right) / 2, y: bottom + 33, "text-anchor": "middle" }, x.name));
  if (y.name) svg.append(shape("text", { x: left, y: top - 8, "text-anchor": "start" }, y.name));
  return [across, up];
};

const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// The numbers of a picture in levels; NaN where one is missing.
const values = (levels) =>
  Array.from(bytes(levels.levels), (level) =>
    level === 255 ? NaN : levels.low + (level / 254) * (levels.high - levels.low));

// An image, of a number a pixel or of red, green and blue; brighter is more. In grey ones red is missing.
const picture = (pixels, [height, width], top, label) => {
  const canvas = el("canvas", { class: "picture", width, height, role: "img", "aria-label": label });
  const image = new ImageData(width, height);
  const parts = Math.max(1, Math.round(pixels.length / (width * height)));
  const level = (value) => Math.round(255 * Math.min(Math.max(value / (top || 1), 0), 1));
  for (let at = 0; at < width * height; at++) {
    const own = pixels.slice(parts * at, parts * at + parts);
    const shown = own.some(Number.isNaN) ? [160, 30, 30] : parts === 3 ? own.map(level) : Array(3).fill(level(own[0]));
    image.data.set([...shown, 255], 4 * at);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
};

// A curve, or two of the same scale.
const sparkline = (first, second, label) => {
  const svg = shape("svg", { viewBox: "0 0 240 56", role: "img", "aria-label": label, preserveAspectRatio: "none" });
  const all = second ? first.concat(second) : first;
  const there = all.filter((value) => !Number.isNaN(value));
  const [low, high] = [Math.min(0, ...there), Math.max(...there, 1e-300)];
  const line = (curve, kind) => {
    const points = curve.map((value, at) => [(240 * (at + 0.5)) / curve.length, 53 - (50 * (value - low)) / (high - low || 1)]);
    const kept = points.filter(([, y]) => !Number.isNaN(y));
    if (kept.length === 1) kept.push([kept[0][0] + 1, kept[0][1]]);
    svg.append(shape("path", { class: `curve ${kind}`, d: path(kept) }));
  };
  line(first, "given");
  if (second) line(second, "fit");
  return svg;
};
