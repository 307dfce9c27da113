/* Weight decay alone, on a gain that is stored and on one whose distance from 1 is stored: the exact power.

   State in the query: gain_steps. Inks (live.css): .ink-fail, .ink-improve */
(function (course) {
  "use strict";

  class DecayChart extends course.Live {
    start(data) {
      const { h } = course;
      this.nodes = ["picture", "reading", "state"].map((name) => this.querySelector(`.live-${name}`));
      this.kept = this.nodes.map((node) => node.innerHTML);
      const change = () => this.show();
      this.gain = course.slider({ text: "训练把增益推到", ...data.gain, show: (v) => course.format(v, ".2f"), input: change });
      this.steps = course.slider({ text: "之后只衰减的步数", ...data.steps, show: (v) => course.format(v, ",d"), input: change });
      this.querySelector(".live-title").after(
        h("div", { className: "live-controls" }, this.gain.node, this.steps.node, course.button("重置", () => this.go(data.state))),
      );
      this.go(data.state);
    }

    restore(text) {
      const [, gain, steps] = /^([\d.]+)_(\d+)$/.exec(text) || [];
      if (Number(gain) <= this.data.gain.max && Number(steps) <= this.data.steps.max) this.go({ gain, steps });
    }

    go({ gain, steps }) {
      this.gain.set(gain);
      this.steps.set(steps);
      this.show();
    }

    show() {
      const { data } = this;
      const gain = this.gain.get();
      const steps = this.steps.get();
      const home = gain === data.state.gain && steps === data.state.steps;
      const fresh = home ? this.kept : this.draw(gain, steps);
      this.nodes.forEach((node, i) => course.put(node, fresh[i]));
      this.remember(home ? null : `${gain}_${steps}`);
    }

    draw(gain, steps) {
      const { data } = this;
      const x = Array.from({ length: data.points + 1 }, (_, i) => Math.floor((steps * i) / data.points));
      const { stored, zeroCentered } = course.decay.curves(gain, x, data.lr, data.wd);
      const ends = [stored, zeroCentered].map((curve) => course.format(curve[data.points], ".3f"));
      const count = course.format(steps, ",d");
      const picture = course.plot({
        label: "标准与零中心写法的增益随步数变化的曲线，终点的读数写在图下",
        title: "增益", height: data.height, x, xname: "步", y: data.y, ticks: data.ticks.filter((t) => t <= Math.max(data.y[1], gain)),
        lines: [{ y: stored, ink: "ink-fail", name: "标准写法" }, { y: zeroCentered, ink: "ink-improve", name: "零中心写法" }],
      });
      const note = gain === 1 ? "起点已经是 1：零中心写法原地不动。" : "前者被拉向零，后者被拉向一。";
      return [
        picture,
        `<strong>${count} 步之后，标准写法的增益是 ${ends[0]}，零中心写法是 ${ends[1]}。</strong>${steps ? note : "还没有开始衰减，两种写法没有分别。"}`,
        `当前设置：训练把增益推到 ${course.format(gain, ".2f")}，之后只衰减 ${count} 步；学习率 ${course.format(data.lr, "e")}，衰减系数 ${course.format(data.wd, "g")}。`,
      ];
    }
  }

  course.define("decay-chart", DecayChart);
})((window.course = window.course || {}));
