/* The residual simulator. Inside the element stands Python's picture of the default state (residual_sim.py).

   State in the query: n_gain_seed_boxes, boxes from r n s (0 = none), or a scenario's name.
   Classes (CSS in live.css): .sim-picture two .plot; .sim-scenarios row of buttons; .sim-table; .plot-key legend entries;
   inks: .ink-none .ink-residual .ink-rmsnorm .ink-theory, with .plot-dashed .plot-edge .plot-fill */
(function (course) {
  "use strict";
  const NAMES = { r: "残差", n: "RMSNorm", s: "写回缩放" };
  const same = (a, b) => ["n", "gain", "seed", "boxes"].every((name) => a[name] === b[name]);

  class ResidualSim extends course.Live {
    start(data) {
      const { h } = course;
      this.home = { ...data.state, boxes: data.scenarios.find((s) => s.id === data.start).boxes };
      this.state = { ...this.home };
      this.edges = `${data.edges.join(" 到 ")} 分位`;
      for (const name of ["picture", "legend", "reading", "state"]) this[`${name}Node`] = this.querySelector(`.live-${name}`);
      this.kept = ["picture", "legend", "reading", "state"].map((name) => this[`${name}Node`].innerHTML);
      this.controls(data, h);
      this.layers = h("details", { className: "chart-data" }, h("summary", {}, "逐层的数"), h("div", { className: "table-scroll", tabIndex: 0, role: "region", "aria-label": "逐层的数" }));
      this.layers.addEventListener("toggle", () => this.tabulate());
      this.append(this.layers);
      this.show();
      this.warm(data.n.max);
    }

    /* When the reader comes near: draw the weights and run once, so that the first change is as quick as the others. */
    warm(n) {
      const near = new IntersectionObserver((seen) => {
        if (!seen.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        (window.requestIdleCallback || setTimeout)(() => course.residual.simulate({ ...this.setting(), n }));
      }, { rootMargin: "100%" });
      near.observe(this);
    }

    controls(data, h) {
      const change = () => this.change();
      this.n = course.slider({ text: "子层数 N", ...data.n, show: String, input: change });
      this.gain = course.slider({ text: "初始化尺度", ...data.gain, show: (v) => course.format(v, ".2f"), input: change });
      this.boxes = { r: course.box("残差 x + F(x)", change), n: course.box("子层输入先 RMSNorm", change), s: course.box("写回乘 1/√N", change) };
      this.seed = h("input", { type: "text", inputMode: "numeric", size: 8, autocomplete: "off", onchange: change });
      this.error = h("p", { className: "live-error", role: "alert" });
      this.scenarios = data.scenarios.map((s) => course.button(s.title, () => this.restore(s.id), { value: s.boxes }));
      this.querySelector(".live-title").after(
        h("div", { className: "live-controls live-row sim-scenarios", role: "group", "aria-label": "情形" }, ...this.scenarios),
        h("div", { className: "live-controls" }, this.boxes.r.node, this.boxes.n.node, this.boxes.s.node),
        h("div", { className: "live-controls" }, this.n.node, this.gain.node),
        h(
          "div", { className: "live-controls live-row" }, h("label", {}, "种子", this.seed),
          course.button("下一个种子", () => this.go({ seed: (this.state.seed + 1) % (data.seed.max + 1) })),
          course.button("重置", () => this.go(this.home)),
        ),
        this.error,
      );
    }

    setting() {
      const { n, gain, seed, boxes } = this.state;
      return { n, gain, seed, residual: boxes.includes("r"), norm: boxes.includes("n"), scale: boxes.includes("s") };
    }

    /* From the controls to the state. */
    change() {
      const text = this.seed.value.normalize("NFKC").trim();
      const seed = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
      const good = seed <= this.data.seed.max;
      const limit = course.format(this.data.seed.max, ",d");
      const error = good ? "" : `种子「${text}」不能用：要 0 到 ${limit} 的整数。先沿用 ${this.state.seed}。`;
      const boxes = "rns".replace(/./g, (c) => (this.boxes[c].input.checked ? c : "")) || "0";
      this.go({ n: this.n.get(), gain: this.gain.get(), boxes, ...(good ? { seed } : {}) }, error);
    }

    restore(text) {
      const scenario = this.data.scenarios.find((s) => s.id === text);
      if (scenario) return this.go({ ...this.home, boxes: scenario.boxes });
      const [, n, gain, seed, boxes] = /^(\d+)_([\d.]+)_(\d+)_(0|r?n?s?)$/.exec(text) || [];
      const fits = (value, { min, max }) => Number(value) >= min && Number(value) <= max;
      const { data } = this;
      if (boxes && fits(n, data.n) && fits(gain, data.gain) && fits(seed, data.seed)) {
        this.go({ n: Number(n), gain: Number(gain), seed: Number(seed), boxes });
      }
    }

    go(changes, error = "") {
      this.state = { ...this.state, ...changes };
      course.put(this.error, "");
      this.error.textContent = error;
      this.show(error);
      const { n, gain, seed, boxes } = this.state;
      this.remember(same(this.state, this.home) ? null : `${n}_${gain}_${seed}_${boxes}`);
    }

    show(error) {
      const { state } = this;
      state.n = this.n.set(state.n);
      state.gain = this.gain.set(state.gain);
      for (const [letter, { input }] of Object.entries(this.boxes)) input.checked = state.boxes.includes(letter);
      if (!error) this.seed.value = state.seed;
      this.seed.setAttribute("aria-invalid", String(Boolean(error)));
      for (const button of this.scenarios) {
        const on = same(state, { ...this.home, boxes: button.value });
        button.setAttribute("aria-pressed", String(on));
      }
      if (same(state, this.home)) {
        this.found = null;
        ["picture", "legend", "reading", "state"].forEach((name, i) => course.put(this[`${name}Node`], this.kept[i]));
      } else this.draw();
      this.tabulate();
    }

    compute() {
      const setting = this.setting();
      this.found = this.found || { sim: course.residual.simulate(setting), theory: course.meanfield.theory(setting) };
      return this.found;
    }

    draw() {
      this.found = null;
      const { sim, theory } = this.compute();
      const { n, gain, seed, boxes } = this.state;
      const ink = boxes.includes("n") ? "ink-rmsnorm" : boxes.includes("r") ? "ink-residual" : "ink-none";
      const home = this.home;
      const recorded = (n === home.n && gain === home.gain && this.data.bands && this.data.bands[boxes]) || null;
      const rms = { kind: "rms", sim: sim.rmsCurve, mean: theory.rms, low: theory.rmsLow, high: theory.rmsHigh };
      const gradient = { kind: "gradient", sim: sim.gradientCurve, mean: theory.ratio, low: theory.ratioLow, high: theory.ratioHigh };
      course.put(
        this.pictureNode,
        this.panel(rms, ink, recorded, "残差流 RMS（对数轴）", "残差流 RMS 沿深度的曲线，两端的读数写在图下") +
          this.panel(gradient, ink, recorded, "梯度 ÷ 顶层梯度（对数轴）", "梯度沿深度的曲线，读数写在图下"),
      );
      course.put(this.legendNode, this.legend(ink, recorded, theory));
      course.put(this.readingNode, this.reading(sim, theory, recorded));
      const switches = Object.keys(NAMES).map((c) => NAMES[c] + (boxes.includes(c) ? "开" : "关"));
      course.put(this.stateNode, `当前设置：N = ${n}，初始化尺度 ${course.format(gain, ".2f")}，种子 ${seed}；${switches.join("，")}。`);
    }

    panel({ kind, sim, mean, low, high }, ink, recorded, title, label) {
      const lines = [
        { y: low, ink: "ink-theory plot-edge" },
        { y: high, ink: "ink-theory plot-edge" },
        { y: mean, ink: "ink-theory plot-dashed", name: "理论" },
        { y: sim, ink, name: "本网络" },
      ];
      const bands = recorded ? [{ low: recorded[`${kind}_low`], high: recorded[`${kind}_high`], ink }] : [];
      return course.plot({
        label, title, lines, bands, height: this.data.height, x: sim.map((_, i) => i), xname: "子层", y: this.data[kind],
        log: true, side: kind === "rms" ? "right" : "left",
      });
    }

    legend(ink, recorded, theory) {
      const edges = theory.rmsLow[0] !== null || theory.ratioLow[0] !== null;
      return (
        `<span class="plot-key ${ink}">本网络</span><span class="plot-key ink-theory plot-dashed">理论的平均场</span>` +
        (edges ? `<span class="plot-key ink-theory plot-edge">理论的 ${this.edges}</span>` : "") +
        (recorded ? `<span class="plot-key plot-fill ${ink}">记录的 ${this.data.count} 个种子，同样的分位</span>` : "")
      );
    }

    reading(sim, theory, recorded) {
      const three = (x) => course.format(x, ".3g");
      const n = this.state.n;
      let text = `<strong>梯度比 ${course.shown(sim.ratio)}，残差流 RMS ${course.shown(sim.rms)}。</strong>`;
      if (theory.ratioLow[0] === null) text += `按平均场，梯度比是 ${three(theory.ratio[0])}；不同种子相差太大，理论给不出有用的带。`;
      else text += `按理论，梯度比的典型值（中位数）是 ${three(theory.ratioMedian[0])}，${this.edges}是 ${three(theory.ratioLow[0])} 到 ${three(theory.ratioHigh[0])}；`;
      text += `RMS 是 ${three(theory.rms[n])}${theory.rmsLow[n] === null ? "" : `（${three(theory.rmsLow[n])} 到 ${three(theory.rmsHigh[n])}）`}。`;
      if (recorded && this.state.seed === this.home.seed) {
        text += `在记录的 ${this.data.count} 个种子里，种子 ${this.state.seed} 的梯度比高过 ${recorded.ratio_percentile}% 的种子，RMS 高过 ${recorded.rms_percentile}%。`;
      } else if (recorded) {
        text += `记录的 ${this.data.count} 个种子：梯度比的中位数 ${recorded.ratio_p50}，${this.edges}是 ${recorded.ratio_p5} 到 ${recorded.ratio_p95}。`;
      }
      if (this.state.boxes === "s" || this.state.boxes === "ns") text += "没有残差时，写回缩放只是把每一层的输出再乘小一次，层层相乘，什么也留不住：这一项只有配着残差才有意义。";
      return text;
    }

    /* One row a sublayer, only while the fold is open. */
    tabulate() {
      if (!this.layers.open) return;
      const { sim, theory } = this.compute();
      const cells = (i) => [sim.rmsCurve[i], theory.rms[i], sim.gradientCurve[i], theory.ratio[i]].map((v) => `<td>${course.format(v, ".4g")}</td>`);
      const rows = sim.rmsCurve.map((_, i) => `<tr><th scope="row">${i}</th>${cells(i).join("")}</tr>`);
      const head = ["子层", "RMS", "RMS（理论）", "梯度 ÷ 顶层", "梯度（理论）"].map((t) => `<th scope="col">${t}</th>`);
      course.put(this.layers.lastChild, `<table><thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`);
    }
  }

  course.define("residual-sim", ResidualSim);
})((window.course = window.course || {}));
