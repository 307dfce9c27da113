/* Small line charts as HTML and SVG text: the twin of course_build/plot.py (which explains the spec), character for character.

   course.plot(spec) -> HTML
   Classes: .plot (.plot-left, .plot-right: where the lines' names stand) > .plot-title, .plot-area (svg, .plot-tick, .plot-name), .plot-x
   (.plot-tick, .plot-xname); in the svg .plot-rule, .plot-band, .plot-mark, .plot-line. Inks are classes that set --plot-ink. */
(function (course) {
  "use strict";
  const WIDE = 1000;
  const GAP = 17;
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => ENTITIES[c]);
  const at = (value) => String(Math.floor(value * 10 + 0.5) / 10 || 0);
  const decade = (exponent) => Number(`1e${exponent}`);

  function plot(spec) {
    const { height, x: xs, lines, bands = [], marks = [], log = false, side = "right" } = spec;
    const [low, high] = yRange(spec.y, [...lines.map((line) => line.y), ...bands.flatMap((b) => [b.low, b.high])], log);
    const across = scale(xs[0], xs[xs.length - 1], WIDE, false, false);
    const down = scale(low, high, height, log, true);
    const ticks = log ? logTicks(low, high) : spec.ticks;
    const parts = [
      ...ticks.map((t) => `<path class="plot-rule" d="M0 ${at(down(t))}H${WIDE}"/>`),
      ...bands.map((b) => `<path class="plot-band ${b.ink}" d="${area(xs, b.low, b.high, across, down)}"/>`),
      ...marks.map((m) => `<path class="plot-mark" d="M0 ${at(down(m.y))}H${WIDE}"/>`),
      ...lines.map((line) => `<path class="plot-line ${line.ink}" d="${path(xs, line.y, across, down)}"/>`),
    ];
    const svg = `<svg viewBox="0 0 ${WIDE} ${height}" preserveAspectRatio="none" aria-hidden="true">${parts.join("")}</svg>`;
    const ys = ticks.map((t) => `<span class="plot-tick ticks" style="top:${at(down(t))}px">${tickText(t)}</span>`).join("");
    const below = wholeTicks(xs[xs.length - 1]).map((t) => `<span class="plot-tick ticks" style="left:${at(across(t) / 10)}%">${t}</span>`);
    return (
      `<div class="plot plot-${side}" role="img" aria-label="${escape(spec.label)}">` +
      `<div class="plot-title">${escape(spec.title)}</div>` +
      `<div class="plot-area" style="height:${height}px">${svg}${ys}${names(spec, down, side)}</div>` +
      `<div class="plot-x">${below.join("")}<span class="plot-xname">${escape(spec.xname)}</span></div></div>`
    );
  }

  function yRange([low, high], curves, log) {
    const values = curves.flat().filter((v) => v !== null);
    const least = Math.min(low, ...values);
    const most = Math.max(high, ...values);
    if (!log) return [least, most];
    return [
      least >= low ? low : decade(Math.floor(Math.log10(least))),
      most <= high ? high : decade(Math.ceil(Math.log10(most))),
    ];
  }

  function logTicks(low, high) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const ticks = [];
    if (Math.log10(high) - Math.log10(low) > 2.2) {
      const step = Math.max(1, Math.ceil((last - first) / 5));
      for (let e = first; e <= last; e += step) ticks.push(decade(e));
      return ticks;
    }
    for (let e = first - 1; e <= last; e++) for (const m of [1, 2, 5]) ticks.push(m * decade(e));
    return ticks.filter((t) => low * 0.999 <= t && t <= high * 1.001);
  }

  function wholeTicks(last) {
    for (let unit = 1; ; unit *= 10) {
      for (const m of [1, 2, 5]) {
        if (unit * m * 5 < last) continue;
        const ticks = [];
        for (let t = 0; t <= last; t += unit * m) ticks.push(t);
        return ticks;
      }
    }
  }

  function tickText(value) {
    if (value === 0 || (0.00099 < value && value < 1001)) return String(Number(value.toPrecision(4)));
    const exponent = String(Math.round(Math.log10(value)));
    return "10" + exponent.replace("-", "⁻").replace(/\d/g, (d) => SUPERSCRIPT[d]);
  }

  function scale(first, last, size, log, down) {
    const change = log ? Math.log10 : Number;
    const a = change(first);
    const b = change(last);
    return (value) => {
      const share = (change(value) - a) / (b - a || 1);
      return down ? (1 - share) * size : share * size;
    };
  }

  function path(xs, ys, across, down) {
    let text = "";
    let pen = "M";
    xs.forEach((x, i) => {
      if (ys[i] === null) {
        pen = "M";
        return;
      }
      text += `${pen}${at(across(x))} ${at(down(ys[i]))}`;
      pen = "L";
    });
    return text;
  }

  function area(xs, low, high, across, down) {
    const known = xs.map((_, i) => i).filter((i) => low[i] !== null && high[i] !== null);
    if (known.length < 2) return "";
    const pick = (all) => known.map((i) => all[i]);
    const there = path(pick(xs), pick(high), across, down);
    known.reverse();
    return `${there}L${path(pick(xs), pick(low), across, down).slice(1)}Z`;
  }

  function names(spec, down, side) {
    const named = [];
    for (const item of [...spec.lines, ...(spec.marks || [])]) {
      const known = [].concat(item.y).filter((y) => y !== null);
      if (item.name && known.length) named.push([down(side === "left" ? known[0] : known[known.length - 1]), item.ink || "plot-grey", item.name]);
    }
    named.sort((a, b) => a[0] - b[0]);
    for (let i = 1; i < named.length; i++) named[i][0] = Math.max(named[i][0], named[i - 1][0] + GAP);
    let over = named.length ? Math.max(0, named[named.length - 1][0] - spec.height) : 0;
    for (let i = named.length - 1; i >= 0; i--) {
      named[i][0] -= over;
      if (i) over = Math.max(0, named[i - 1][0] + GAP - named[i][0]);
    }
    return named.map(([y, ink, name]) => `<span class="plot-name ${ink}" style="top:${at(y)}px">${escape(name)}</span>`).join("");
  }

  course.plot = plot;
})((globalThis.course = globalThis.course || {}));
