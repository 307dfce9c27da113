/* How a chart looks: the figure of the page (data, names, inks) becomes arguments for Plotly, for a width and a palette.

   course.chartLook(figure, { width, height, light, style, state }) -> { data, layout, keys }
     figure  what course_build/charts/render.py wrote; colours are "ink:NAME" or "ink:NAME/ALPHA"
     style   the computed style of the canvas (font)
     light   true on paper
     state   what the controls chose: { traces, metric, smoothing, log } (see chart-controls.js)
     keys    [{ name, color, dash, band }] of traces that have no label in the picture */
(function () {
  "use strict";
  const course = (window.course = window.course || {});
  const OWN = { accent: "--c-accent", warm: "--c-fail", cool: "--c-improve", grey: "--c-grey", text: "--c-text" };
  const LETTER = 13;
  const NARROW = 520; // below it, names stand above the picture instead of at the ends of lines
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  /* The palette's ground state is light: the root element always has it, the body has the one on show. */
  function palette(light) {
    const style = getComputedStyle(light ? document.documentElement : document.body);
    const read = (name) => style.getPropertyValue(name).trim() || "#777777";
    return (token) => {
      const found = /^ink:([a-z]+)(?:\/(.+))?$/.exec(token);
      if (!found) return token;
      const color = read(OWN[found[1]] || `--ink-${found[1]}`);
      return found[2] ? faded(color, Number(found[2])) : color;
    };
  }

  function faded(hex, alpha) {
    const n = parseInt(hex.slice(1, 7), 16);
    return `rgba(${n >> 16},${(n >> 8) & 255},${n & 255},${alpha})`;
  }

  function colored(value, ink) {
    if (typeof value === "string") return value.startsWith("ink:") ? ink(value) : value;
    if (Array.isArray(value)) return typeof value[0] === "number" ? value.slice() : value.map((item) => colored(item, ink));
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, colored(item, ink)]));
  }

  course.inkVariable = (token) => {
    const name = /^ink:([a-z]+)/.exec(token);
    return name ? OWN[name[1]] || `--ink-${name[1]}` : "--c-accent";
  };

  const edge = (trace) => trace.line && trace.line.width === 0 && !(trace.mode || "").includes("markers");
  const companion = (trace) => trace.line && trace.line.dash && trace.line.dash !== "solid";
  const isLine = (trace) => trace.type === "scatter" && (trace.mode || "lines").includes("lines") && !edge(trace);

  /* Least and greatest value of the traces along an axis, whiskers included. */
  function extent(traces, axis, log) {
    let low = Infinity;
    let high = -Infinity;
    for (const trace of traces) {
      const error = trace[`error_${axis}`] || {};
      (trace[axis] || []).forEach((value, i) => {
        if (typeof value !== "number") return;
        const up = (error.array && error.array[i]) || 0;
        const down = error.arrayminus ? error.arrayminus[i] || 0 : up;
        const least = log && value - down <= 0 ? value : value - down;
        low = Math.min(low, least);
        high = Math.max(high, value + up);
      });
    }
    return [low, high];
  }

  function padded([low, high], log, share) {
    if (low > high) return undefined;
    const [a, b] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
    const air = b > a ? (b - a) * share : Math.abs(b) * 0.1 || 1;
    return [a - air, b + air];
  }

  function power(exponent) {
    const digits = [...String(Math.abs(exponent))].map((d) => SUPERSCRIPT[d]).join("");
    return `10${exponent < 0 ? "⁻" : ""}${digits}`;
  }

  /* Round values on a logarithmic axis, written out whole (Plotly's own "2" and "5" hide their power of ten). */
  function logTicks([a, b]) {
    const step = Math.max(1, Math.ceil((b - a) / 6));
    const values = [];
    for (let e = Math.floor(a) - 1; e <= Math.ceil(b); e += b - a > 2.2 ? step : 1) {
      for (const m of b - a > 2.2 ? [1] : b - a > 0.7 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8]) values.push([m, e]);
    }
    const kept = values.filter(([m, e]) => a - 1e-9 <= Math.log10(m) + e && Math.log10(m) + e <= b + 1e-9);
    const text = ([m, e]) => {
      if (e >= -3 && e <= 4) return Number(`${m}e${e}`).toLocaleString("en-US", { maximumFractionDigits: 6 });
      return m === 1 ? power(e) : `${m} × ${power(e)}`;
    };
    return { tickmode: "array", tickvals: kept.map(([m, e]) => Number(`${m}e${e}`)), ticktext: kept.map(text) };
  }

  /* The display rule of value.py as d3 writes it (both round exact values, ties away from zero). */
  function hoverFormat(rule) {
    const found = /^(\+?)(,?)(?:\.(\d+))?([fg%ed])$/.exec(rule || "");
    if (!found) return rule ? "" : ".4~g";
    const [, sign, comma, digits, kind] = found;
    if (kind === "d") return `${sign}${comma}d`;
    const trim = kind === "f" || (kind === "%" && digits) ? "" : "~";
    return `${sign}${comma}.${digits || 4}${trim}${kind === "%" && !digits ? "p" : kind}`;
  }

  function average(values, window) {
    const half = Math.floor(window / 2);
    return values.map((value, i) => {
      if (value === null) return null;
      const near = values.slice(Math.max(0, i - half), i + half + 1).filter((v) => v !== null);
      return near.reduce((sum, v) => sum + v, 0) / near.length;
    });
  }

  /* The chosen traces; a smoothed line keeps its raw one faintly behind it. */
  function chosen(figure, state) {
    const out = [];
    figure.data.forEach((trace, i) => {
      if (state ? !state.traces.has(i) : trace.visible === "legendonly") return;
      const { visible, ...rest } = trace;
      if (!state || state.smoothing < 2 || !isLine(trace)) return out.push(rest);
      const raw = (trace.line && trace.line.color) || "ink:accent";
      out.push({ ...rest, line: { ...trace.line, color: `${raw.split("/")[0]}/0.22`, width: 1 }, hoverinfo: "skip", faint: true });
      out.push({ ...rest, y: average(trace.y, state.smoothing) });
    });
    return out;
  }

  function axes(figure, ink, state) {
    const common = {
      fixedrange: true, showline: false, zeroline: false, automargin: true, ticks: "", exponentformat: "power",
      separatethousands: true, tickfont: { size: LETTER - 1, color: ink("ink:grey") },
    };
    const x = { ...common, showgrid: false, ticks: "outside", ticklen: 4, tickcolor: ink("ink:grey/0.5"), ...figure.layout.xaxis };
    const y = { ...common, gridcolor: ink("ink:grey/0.22"), gridwidth: 1, nticks: 6, ...figure.layout.yaxis };
    x.title = { ...x.title, font: { size: LETTER, color: ink("ink:grey") }, standoff: 8 };
    delete y.title; // it stands above the picture, upright
    if (x.showticklabels === false) x.ticks = "";
    if (state && state.log !== null) y.type = state.log ? "log" : "linear";
    return { x, y };
  }

  /* Lines fill the width; the range is ours, so that labels can be placed before anything is drawn. */
  function ranges(data, { x, y }) {
    if (data.some((trace) => trace.type !== "scatter")) return;
    const marks = data.some((trace) => (trace.mode || "lines").includes("markers"));
    for (const [axis, name, share] of [[x, "x", marks ? 0.04 : 0], [y, "y", 0.06]]) {
      if (axis.range || axis.rangemode || axis.tickvals) continue;
      if (data.some((trace) => (trace[name] || []).some((value) => typeof value === "string"))) continue;
      const log = axis.type === "log";
      const full = name === "x" ? data.map((trace) => (trace.x ? trace : { x: trace.y.map((_, i) => i) })) : data;
      axis.range = padded(extent(full, name, log), log, share);
      if (axis.range && log) Object.assign(axis, logTicks(axis.range));
    }
  }

  function measure(text, family) {
    const pen = (measure.pen = measure.pen || document.createElement("canvas").getContext("2d"));
    pen.font = `${LETTER}px ${family}`;
    return pen.measureText(text).width;
  }

  /* Names at the ends of lines, pushed apart where they would touch. */
  function endLabels(lines, y, top, bottom) {
    const log = y.type === "log";
    const labels = lines.map((trace) => {
      let last = trace.y.length - 1;
      while (last > 0 && trace.y[last] === null) last--;
      const value = log ? Math.log10(trace.y[last]) : trace.y[last];
      const at = bottom - ((value - y.range[0]) / (y.range[1] - y.range[0])) * (bottom - top);
      return { trace, last, value, at, place: at };
    });
    labels.sort((a, b) => a.at - b.at);
    for (let round = 0; round < 40; round++) {
      for (let i = 1; i < labels.length; i++) {
        const close = 17 - (labels[i].place - labels[i - 1].place);
        if (close > 0) {
          labels[i - 1].place -= close / 2;
          labels[i].place += close / 2;
        }
      }
      if (labels.length && labels[0].place < top) labels[0].place = top;
      if (labels.length && labels[labels.length - 1].place > bottom) labels[labels.length - 1].place = bottom;
    }
    return labels.map(({ trace, value, at, place }) => ({
      text: escapeText(trace.name), xref: "paper", x: 1, xanchor: "left", xshift: 7, yref: "y", y: value, yanchor: "middle",
      yshift: at - place, showarrow: false, align: "left", font: { size: LETTER, color: trace.line.color },
    }));
  }

  /* Names below bars stay upright: a long one is broken into lines, after a comma or a space where there is one. */
  function wrapTicks(axis, names, room, family) {
    if (!names || typeof names[0] !== "string") return;
    const share = room / names.length;
    const lines = (name) => {
      const out = [""];
      for (const piece of name.match(/[\w.+−-]+[，、,]?\s?|.[，、,]?/gu)) {
        const last = out.length - 1;
        if (out[last] && measure((out[last] + piece).trimEnd(), family) > share) out.push(piece);
        else out[last] += piece;
      }
      return out.map((line) => escapeText(line.trim())).join("<br>");
    };
    Object.assign(axis, { tickmode: "array", tickvals: names.map((_, i) => i), ticktext: names.map(lines), tickangle: 0 });
  }

  /* Few bars stay slim. */
  function gap(bars, flat) {
    const groups = Math.max(1, ...bars.map((trace) => (trace[flat ? "y" : "x"] || trace[flat ? "x" : "y"]).length));
    return flat || groups > 4 ? 0.45 : 0.85 - 0.1 * groups - 0.1 * Math.min(2, bars.length - 1);
  }

  /* Values above whiskers. */
  function barLabels(trace, flat) {
    const along = flat ? trace.x : trace.y;
    const across = flat ? trace.y : trace.x;
    const error = trace[flat ? "error_x" : "error_y"] || {};
    return along.flatMap((value, i) => value === null ? [] : [{
      text: trace.text[i], showarrow: false, [flat ? "x" : "y"]: value + ((error.array || [])[i] || 0), [flat ? "y" : "x"]: across ? across[i] : i,
      xanchor: flat ? "left" : "center", yanchor: flat ? "middle" : "bottom", [flat ? "xshift" : "yshift"]: 4, font: { size: LETTER },
    }]);
  }

  const escapeText = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");

  course.chartLook = function (figure, { width, height, light, style, state }) {
    const ink = palette(light);
    const data = colored(chosen(figure, state), ink);
    const { x, y } = axes(figure, ink, state);
    ranges(data, { x, y });
    const bars = data.filter((trace) => trace.type === "bar");
    const flat = bars.some((trace) => trace.orientation === "h");
    if (flat) Object.assign(y, { showgrid: false, autorange: y.range ? undefined : "reversed" }); // the first one on top
    if (bars.length && !flat && !x.tickvals) wrapTicks(x, bars[0].x, width - 70, style.fontFamily);
    const margin = { l: 6, r: flat ? 46 : 10, t: bars.length ? 22 : 10, b: x.title.text ? 44 : 26, pad: 2 };
    const lines = data.filter((trace) => isLine(trace) && trace.name && !companion(trace) && !trace.faint);
    const room = Math.max(0, ...lines.map((trace) => measure(trace.name, style.fontFamily))) + 14;
    const direct = data.length > 1 && lines.length > 0 && width >= NARROW && room < width * 0.35 && y.range;
    if (direct) margin.r = room;
    const annotations = colored(figure.layout.annotations || [], ink).map((a) => ({ font: { size: LETTER }, ...a }));
    if (bars.length === 1 && bars[0].textposition === "none") annotations.push(...barLabels(bars[0], flat));
    if (direct) annotations.push(...endLabels(lines, y, margin.t, height - margin.b));
    const named = new Set(direct ? lines.map((trace) => trace.name) : []);
    const rules = figure.rules || {};
    x.hoverformat = hoverFormat(rules.x);
    y.hoverformat = hoverFormat(rules.y);
    const shown = data.length > 1 ? keys(data, named) : [];
    for (const trace of data) complete(trace, ink("ink:text"));
    const layout = {
      ...colored(figure.layout, ink), xaxis: x, yaxis: y, annotations, margin, width, height, autosize: false,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: false,
      hovermode: lines.length ? "x unified" : "closest", bargap: figure.layout.bargap ?? gap(bars, flat), bargroupgap: 0.08,
      font: { family: style.fontFamily, size: LETTER, color: ink("ink:text") },
      hoverlabel: { bgcolor: light ? "#fff" : getComputedStyle(document.body).getPropertyValue("--c-raised").trim() || "#fff",
        bordercolor: ink("ink:grey/0.5"), font: { family: style.fontFamily, size: LETTER - 1, color: ink("ink:text") } },
    };
    return { data, layout, keys: shown };
  };

  function complete(trace, text) {
    if (isLine(trace)) trace.line = { width: companion(trace) ? 1.3 : 2.2, ...trace.line };
    if (trace.type === "scatter") trace.mode = trace.mode || "lines";
    if (edge(trace)) trace.hoverinfo = "skip";
    if (trace.type === "bar") Object.assign(trace, { cliponaxis: false, textfont: { size: LETTER } });
    for (const error of [trace.error_x, trace.error_y]) if (error) Object.assign(error, { thickness: 1.5, width: 5, color: text }, { ...error });
    if (trace.name) trace.name = escapeText(trace.name);
    for (const axis of ["x", "y", "text", "labels"]) {
      if (Array.isArray(trace[axis])) trace[axis] = trace[axis].map((item) => (typeof item === "string" ? escapeText(item) : item));
    }
    delete trace.faint;
    delete trace.meta;
  }

  function keys(data, named) {
    const out = new Map();
    for (const trace of data) {
      if (!trace.name || named.has(trace.name) || edge(trace) || out.has(trace.name) || trace.hoverinfo === "skip") continue;
      const color = (trace.type === "bar" ? trace.marker && trace.marker.color : trace.line && trace.line.color) || "";
      if (typeof color === "string") out.set(trace.name, { name: trace.name, color, dash: companion(trace), bar: trace.type === "bar" });
    }
    return [...out.values()];
  }
})();
