/* The controls of a chart whose traces carry meta { run, metric }: native inputs above the picture, and a line that says what is shown.

   course.chartControls(canvas, figure, changed) -> state
     state = { version, traces: Set of indices, smoothing: points, log: true | false | null, axis: name of the y axis }
   data-controls names them: "runs metric smoothing log"; data-metrics = [[metric, name], …]. */
(function () {
  "use strict";
  const course = (window.course = window.course || {});
  const WINDOWS = [[1, "不平滑"], [5, "相邻 5 点平均"], [25, "相邻 25 点平均"], [101, "相邻 101 点平均"]];
  const meta = (trace, key) => (trace.meta && trace.meta[key]) || "";

  function element(tag, text, attributes = {}) {
    const node = Object.assign(document.createElement(tag), attributes);
    if (text) node.textContent = text;
    return node;
  }

  function labelled(text, control, after = false) {
    const label = element("label");
    label.append(...(after ? [control, ` ${text}`] : [`${text} `, control]));
    return label;
  }

  function choice(options) {
    const select = element("select");
    for (const [value, text] of options) select.append(element("option", text, { value }));
    return select;
  }

  /* run -> { name, color, on }: the name is that of its first trace. */
  function runsOf(figure) {
    const runs = new Map();
    for (const trace of figure.data) {
      const run = meta(trace, "run");
      const on = trace.visible !== "legendonly";
      if (!runs.has(run)) runs.set(run, { name: trace.name || run, color: (trace.line && trace.line.color) || "", on });
      else if (on) runs.get(run).on = true;
    }
    return runs;
  }

  course.chartControls = function (canvas, figure, changed) {
    const wanted = new Set(canvas.dataset.controls.split(" "));
    const names = Object.fromEntries(JSON.parse(canvas.dataset.metrics || "[]")); // [[metric, name], …] in the author's order
    const metrics = [...new Set(figure.data.map((trace) => meta(trace, "metric")))];
    const ordered = [...Object.keys(names).filter((metric) => metrics.includes(metric)), ...metrics.filter((metric) => !(metric in names))];
    const runs = runsOf(figure);
    const yaxis = figure.layout.yaxis || {};
    const start = { metric: ordered[0], smoothing: 1, log: yaxis.type === "log" };
    const state = { version: 0, traces: new Set(), smoothing: 1, log: null, axis: "" };

    const bar = element("div", "", { className: "chart-controls" });
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "图的选项");
    const metric = choice(ordered.map((id) => [id, names[id] || id]));
    const smoothing = choice(WINDOWS);
    const log = element("input", "", { type: "checkbox", checked: start.log });
    const boxes = new Map();
    if (wanted.has("metric")) bar.append(labelled("指标", metric));
    if (wanted.has("runs")) {
      const set = element("span", "", { className: "chart-runs" });
      set.setAttribute("role", "group");
      set.setAttribute("aria-label", "运行");
      for (const [run, { name, color, on }] of runs) {
        const box = element("input", "", { type: "checkbox", checked: on });
        const label = labelled(name, box, true);
        label.className = "chart-run";
        label.style.setProperty("--key", `var(${course.inkVariable(color)})`);
        boxes.set(run, box);
        set.append(label);
      }
      bar.append(set);
    }
    if (wanted.has("smoothing")) bar.append(labelled("平滑", smoothing));
    if (wanted.has("log")) bar.append(labelled("对数轴", log, true));
    const reset = element("button", "恢复默认", { type: "button" });
    bar.append(reset);
    const line = element("p", "", { className: "chart-state" });

    function read(spoken) {
      const on = (trace) => (boxes.size ? boxes.get(meta(trace, "run")).checked : trace.visible !== "legendonly");
      const shown = figure.data.map((trace, i) => [trace, i]).filter(([trace]) => (!wanted.has("metric") || meta(trace, "metric") === metric.value) && on(trace));
      state.traces = new Set(shown.map(([, i]) => i));
      state.smoothing = Number(smoothing.value);
      state.log = wanted.has("log") ? log.checked : null;
      const axis = names[metric.value] || (yaxis.title || {}).text || "";
      state.axis = axis.replace("（对数轴）", "") + (state.log ?? start.log ? "（对数轴）" : "");
      const list = [...new Set(shown.map(([trace]) => runs.get(meta(trace, "run")).name))];
      const parts = [`显示${state.axis || "数据"}：${list.map((name) => `「${name}」`).join("") || "没有选中任何运行"}`];
      if (wanted.has("smoothing")) parts.push(WINDOWS.find(([points]) => points === state.smoothing)[1]);
      line.textContent = `${parts.join("；")}。`;
      state.version += 1;
      if (spoken && course.say) course.say(line.textContent);
    }

    bar.addEventListener("change", () => {
      read(true);
      changed();
    });
    reset.addEventListener("click", () => {
      metric.value = start.metric;
      smoothing.value = String(start.smoothing);
      log.checked = start.log;
      for (const [run, box] of boxes) box.checked = runs.get(run).on;
      read(true);
      changed();
    });

    for (const old of canvas.parentElement.querySelectorAll(":scope > :is(.chart-controls, .chart-state)")) old.remove();
    canvas.before(bar);
    canvas.after(line);
    read(false);
    return state;
  };
})();
