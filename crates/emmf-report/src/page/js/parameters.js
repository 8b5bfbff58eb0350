// Everything that was said to the program, and how to say it again.
const flat = (value) => {
  if (Array.isArray(value)) return value.length > 12 ? `${value.slice(0, 12).map(flat).join(", ")} … (${value.length})` : value.map(flat).join(", ") || "none";
  if (value && typeof value === "object") return Object.entries(value).map(([name, inner]) => `${name} ${flat(inner)}`).join(", ") || "none";
  return typeof value === "number" ? number(value, 6) : String(value ?? "default");
};

const repeat = {
  panel: (panel, run) => {
    if (run.command) panel.append(el("p", {}, "The command that made this:"), el("pre", { tabindex: "0" }, run.command));
    const { data, seconds } = run;
    const rows = [
      ["data", `${data.name}: ${count(data.n)} samples, ${count(data.d)} features, ${data.dtype}, ${data.sparse ? "sparse" : "dense"}`],
      ["seconds", ["prepare", "init", "iterate", "total"].map((part) => `${part} ${number(seconds[part], 3)}`).join(", ")],
      ["best restart", String(run.restart)],
      ...(run.grid ? [["chosen from a grid", flat(run.grid)]] : []),
      ...Object.entries(run.spec).map(([name, value]) => [name, flat(value)]),
      ...Object.entries(run.extras).map(([name, value]) => [name, flat(value)]),
      ["versions", `fitted with emmf ${run.emmf}, page by emmf ${page.emmf}`],
    ];
    panel.append(table(null, rows, { class: "keys" }));
  },
};
