/* Charts: Plotly comes once, when the first chart is near; each chart is drawn once and then follows width, palette and paper.

   course.chartData(path, figure)   called by the data scripts of large charts
   course.mountCharts(root)         finds the charts below root; doing it again changes nothing
   course.unmountCharts(root)       frees them
   Files lie beside this script: plotly.js, charts/ID.HASH.js. Needs chart-look.js; chart-controls.js where a chart has controls. */
(function () {
  "use strict";
  const course = (window.course = window.course || {});
  const here = document.currentScript.src;
  const PAPER = 640; // px: the text width of an A4 page
  const CONFIG = {
    displayModeBar: false, displaylogo: false, showSendToCloud: false, showEditInChartStudio: false, responsive: false,
    scrollZoom: false, doubleClick: false, showTips: false, plotlyServerURL: "",
  };
  let styleKept = false;
  const loading = new Map();
  const figures = new Map();
  const charts = new Map(); // canvas -> { figure, key, state, drawing }

  course.chartData = (path, figure) => figures.set(path, figure);

  function load(file) {
    if (!loading.has(file)) {
      loading.set(file, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = new URL(file, here).href;
        script.onload = done;
        script.onerror = () => failed(new Error(`cannot load ${script.src}`));
        document.head.append(script);
      }));
    }
    return loading.get(file);
  }

  async function figureOf(canvas) {
    const { src, figure } = canvas.dataset;
    if (figure) return JSON.parse(figure);
    if (!figures.has(src)) await load(src);
    return figures.get(src);
  }

  /* Fetch what the chart needs and draw it, unless the page was left or the chart hidden meanwhile. */
  async function begin(canvas) {
    const chart = charts.get(canvas);
    if (!chart || chart.begun) return;
    chart.begun = true;
    try {
      const [figure] = await Promise.all([figureOf(canvas), load("plotly.js")]);
      if (charts.get(canvas) !== chart) return;
      if (!chart.figure) adopt(canvas, chart, figure);
      draw(canvas);
      keepStyle();
      (window.requestIdleCallback || setTimeout)(prepare);
    } catch (error) {
      console.error("course: chart not drawn", error);
      const table = canvas.parentElement.querySelector(".chart-data");
      canvas.hidden = true;
      if (table) table.open = true;
    }
  }

  /* Instant navigation takes the library's style out of the head, and the next page's pictures would lie below each
     other instead of upon each other; an adopted sheet stays with the document. */
  function keepStyle() {
    const style = styleKept ? null : document.getElementById("plotly.js-style-global");
    if (!style) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(Array.from(style.sheet.cssRules, (rule) => rule.cssText).join("\n"));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    styleKept = true;
  }

  function adopt(canvas, chart, figure) {
    chart.figure = figure;
    if (canvas.dataset.controls) chart.state = course.chartControls(canvas, figure, () => draw(canvas));
  }

  /* The data of the other charts, so that all can be put on paper at once. */
  function prepare() {
    for (const [canvas, chart] of charts) if (!chart.begun && canvas.dataset.src) figureOf(canvas).catch(() => {});
  }

  function draw(canvas) {
    const chart = charts.get(canvas);
    if (!chart || !chart.figure) return;
    if (canvas.offsetWidth) return paint(canvas, chart, course.printing ? Math.min(PAPER, canvas.offsetWidth) : canvas.offsetWidth);
    if (!course.printing) return; // shown later: the observer calls again
    const place = document.createComment("chart"); // hidden in a tab, but on paper: text is measured in a box that is laid out
    canvas.replaceWith(place);
    document.body.append(canvas);
    paint(canvas, chart, PAPER);
    place.replaceWith(canvas);
  }

  function paint(canvas, chart, width) {
    const light = Boolean(course.printing);
    const scheme = light ? "paper" : document.body.dataset.mdColorScheme;
    const key = [width, scheme, chart.state ? chart.state.version : 0].join();
    if (chart.key === key) return;
    chart.key = key;
    const style = getComputedStyle(canvas);
    const height = parseInt(style.getPropertyValue("--chart-height"), 10) || 340;
    const { data, layout, keys } = course.chartLook(chart.figure, { width, height, light, style, state: chart.state });
    window.Plotly.react(canvas, data, layout, CONFIG);
    canvas.classList.add("is-drawn");
    head(canvas, chart, keys);
  }

  /* The name of the y axis and of the lines that have no label stand above the picture, as text. */
  function head(canvas, chart, keys) {
    let box = canvas.previousElementSibling;
    if (!box || !box.classList.contains("chart-head")) {
      box = document.createElement("div");
      box.className = "chart-head";
      box.setAttribute("aria-hidden", "true"); // the data table names the same
      canvas.before(box);
    }
    const axis = document.createElement("span");
    axis.className = "chart-axis";
    axis.textContent = (chart.state && chart.state.axis) || ((chart.figure.layout.yaxis || {}).title || {}).text || "";
    box.replaceChildren(axis, ...keys.map(({ name, color, dash, bar }) => {
      const item = document.createElement("span");
      item.className = `chart-key${dash ? " is-dash" : ""}${bar ? " is-bar" : ""}`;
      item.style.setProperty("--key", color);
      item.textContent = name;
      return item;
    }));
  }

  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) begin(target);
  }, { rootMargin: "600px 0px" });

  const sized = new ResizeObserver((entries) => {
    requestAnimationFrame(() => entries.forEach(({ target }) => !course.printing && draw(target)));
  });

  course.mountCharts = function (root = document) {
    for (const canvas of root.querySelectorAll(".chart-canvas")) {
      if (charts.has(canvas)) continue;
      charts.set(canvas, { figure: null, key: "", state: null, begun: false });
      near.observe(canvas);
      sized.observe(canvas);
    }
  };

  course.unmountCharts = function (root = document) {
    for (const canvas of [...charts.keys()]) {
      if (!root.contains(canvas) && canvas.isConnected) continue;
      near.unobserve(canvas);
      sized.unobserve(canvas);
      if (canvas.classList.contains("is-drawn")) window.Plotly.purge(canvas);
      canvas.classList.remove("is-drawn");
      charts.delete(canvas);
    }
  };

  /* On paper: what Plotly can draw now is drawn, light and fitted; for the rest the data table stays open. */
  function redraw() {
    for (const [canvas, chart] of charts) {
      const at = canvas.dataset;
      if (course.printing && !chart.figure && window.Plotly && (at.figure || figures.has(at.src))) {
        chart.begun = true;
        adopt(canvas, chart, at.figure ? JSON.parse(at.figure) : figures.get(at.src));
      }
      draw(canvas);
    }
  }

  if (course.register) {
    course.register("charts", {
      mount(root, why) {
        if (why === "load" || why === "shown") course.mountCharts(root);
        else if (why !== "resize") redraw();
      },
      unmount: () => course.unmountCharts(document),
    });
  }
})();
