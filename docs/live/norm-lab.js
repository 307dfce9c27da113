/* The LayerNorm / RMSNorm playground: every step goes into a log that says what changed, at the digits shown.

   State in the query: the vector's numbers joined by _.
   Classes (CSS in live.css): .lab-vector the inputs, .lab-log the table, .lab-tasks the tasks (li.is-done) */
(function (course) {
  "use strict";
  const SHOW = ".3f";
  const { h, button } = course;
  const vector = (x) => (x.every(Number.isFinite) ? course.formatVector(x, SHOW) : "—");
  const input = (x) => `[${x.map((v) => course.format(v, ".6g")).join(", ")}]`;
  const MARKS = { true: '<span class="is-same">没变</span>', false: '<span class="is-changed">变</span>' };

  class NormLab extends course.Live {
    start(data) {
      this.reading = this.querySelector(".live-reading");
      this.table = this.querySelector(".lab-log");
      this.table.tabIndex = 0;
      this.table.setAttribute("role", "region");
      this.table.setAttribute("aria-label", "操作记录");
      this.controls(data);
      this.done = new Set();
      this.reset();
    }

    controls(data) {
      const step = (name, change) => button(name, () => this.apply(name, this.x.map(change)));
      this.fields = data.x.map((_, i) => h("input", { type: "text", inputMode: "decimal", size: 6, autocomplete: "off", "aria-label": `x 的第 ${i + 1} 维`, onchange: () => this.edit(i) }));
      this.error = h("p", { className: "live-error", role: "alert" });
      this.undo = button("撤销", () => this.back());
      this.copied = button("复制记录", () => this.copy());
      this.tasks = [
        ["scale", `整体 ×${data.scale}：看两列是不是都「没变」。这就是缩放不变。`],
        ["shift", `整体 +${data.shift}：看哪一列变了。RMSNorm 放弃了平移不变。`],
        ["edit", "随便改一维：看 RMSNorm 输出的长度。"],
      ].map(([name, text]) => ({ name, node: h("li", {}, text) }));
      this.querySelector(".live-title").after(
        h("div", { className: "live-controls live-row lab-vector", role: "group", "aria-label": "输入向量 x" }, h("span", {}, "x ="), ...this.fields),
        this.error,
        h(
          "div", { className: "live-controls live-row" },
          step(`整体 ×${data.scale}`, (v) => v * data.scale), step(`整体 +${data.shift}`, (v) => v + data.shift), step("取负（×−1）", (v) => 0 - v),
          step(`整体 ÷${data.shrink}`, (v) => v / data.shrink), step("全部归零", () => 0),
          step("随机", () => Math.floor(Math.random() * (2 * data.random + 1)) - data.random), button("重置", () => this.reset()),
        ),
      );
      this.append(
        h("div", { className: "live-controls live-row" }, this.undo, button("清空记录", () => this.clear()), this.copied),
        h("p", { className: "lab-hint" }, "试三件事："), h("ol", { className: "lab-tasks" }, ...this.tasks.map((task) => task.node)),
      );
    }

    get x() {
      return this.log[this.log.length - 1].x;
    }

    row(name, x) {
      return { name, x, layer: course.norms.layerNorm(x), rms: course.norms.rmsNorm(x) };
    }

    reset() {
      this.log = [this.row("起点", this.data.x)];
      this.done.clear();
      this.show();
    }

    clear() {
      this.log = [this.row("起点", this.x)];
      this.show();
    }

    back() {
      if (this.log.length > 1) this.log.pop();
      this.show();
    }

    restore(text) {
      const x = text.split("_").map((part) => (part ? Number(part) : NaN));
      if (x.length !== this.data.x.length || !x.every(Number.isFinite)) return;
      this.log = [this.row("起点", x)];
      this.show();
    }

    edit(i) {
      const text = this.fields[i].value;
      const plain = text.normalize("NFKC").replace(/[\u2212–]/g, "-").trim();
      const value = plain ? Number(plain) : NaN;
      if (Number.isFinite(value)) return this.apply(`第 ${i + 1} 维改成 ${course.format(value, ".6g")}`, this.x.map((v, j) => (j === i ? value : v)), i);
      const why = plain === "" ? "空着" : Number.isNaN(value) ? "不是数" : "大得超出双精度";
      this.show(`第 ${i + 1} 维「${text}」${why}，先沿用 ${course.format(this.x[i], ".6g")}。`, i);
    }

    apply(name, x, edited) {
      if (!x.every(Number.isFinite)) return this.show("再乘下去就超出双精度能表示的范围了，这一步没有做。");
      const before = this.log[this.log.length - 1];
      const row = this.row(name, x.map((v) => v || 0)); // no negative zero
      row.same = { layer: vector(before.layer) === vector(row.layer), rms: vector(before.rms) === vector(row.rms) };
      this.log.push(row);
      this.tick(row, before.x, edited);
      this.show();
    }

    /* A task is done when what it asks to see is there, whichever button did it. */
    tick({ x, same, rms }, before, edited) {
      if (!rms.every(Number.isFinite)) return;
      if (edited !== undefined) this.done.add("edit");
      else if (same.layer && same.rms && x.some((v, i) => v !== before[i])) this.done.add("scale");
      else if (same.layer && !same.rms) this.done.add("shift");
    }

    show(error = "", wrong = -1) {
      this.error.textContent = error;
      const last = this.log[this.log.length - 1];
      this.fields.forEach((field, i) => {
        if (i !== wrong) field.value = String(Number(this.x[i].toPrecision(6)));
        field.setAttribute("aria-invalid", String(i === wrong));
      });
      this.undo.disabled = this.log.length < 2;
      this.copied.textContent = "复制记录";
      for (const { name, node } of this.tasks) {
        node.classList.toggle("is-done", this.done.has(name));
        if (this.done.has(name)) node.setAttribute("aria-label", `已完成：${node.textContent}`);
        else node.removeAttribute("aria-label");
      }
      course.put(this.reading, this.sentence(last));
      const cell = (row, name) => `<td>${vector(row[name])} ${row.same ? MARKS[row.same[name]] : ""}</td>`;
      const rows = this.log.map((row, i) => `<tr><td>${i}</td><th scope="row">${row.name}</th><td>${input(row.x)}</td>${cell(row, "layer")}${cell(row, "rms")}</tr>`);
      const head = ["#", "操作", "输入 x", "LayerNorm(x)", "RMSNorm(x)"].map((t) => `<th scope="col">${t}</th>`);
      course.put(this.table, `<table><thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`);
      this.table.scrollTop = this.table.scrollHeight;
      const home = this.x.every((v, i) => v === this.data.x[i]);
      this.remember(home ? null : this.x.join("_"));
    }

    sentence({ name, x, same, layer, rms }) {
      const d = x.length;
      let text = same ? `${name}：LayerNorm ${same.layer ? "没变" : "变了"}，RMSNorm ${same.rms ? "没变" : "变了"}。` : "";
      if (x.every((v) => v === 0)) return `${text}整行是 0：RMS 也是 0，0 ÷ 0 没有意义，所以不给结果。真实模型在根号里加一个很小的 ε，这时输出全是 0。`;
      const size = Math.max(...x.map(Math.abs));
      text += `RMS = ${course.format(course.norms.rootMeanSquare(x), ".4g")}，RMSNorm 输出的长度是 ${course.format(Math.sqrt(rms.reduce((sum, v) => sum + v * v, 0)), SHOW)}（√${d}）。`;
      if (!layer.every(Number.isFinite)) text += "各维相等：减去均值只剩 0，LayerNorm 没有方向可留，所以不给结果。";
      if (size > 1e6) text += "输入大到这个地步，除以自己的 RMS 之后还是同一个尺度。";
      if (size < 1e-6) text += "输入小到这个地步，除以自己的 RMS 之后还是同一个尺度；真实模型里的 ε 这时才会起作用。";
      return text;
    }

    async copy() {
      const lines = this.log.map((row, i) => {
        const mark = (name) => vector(row[name]) + (row.same ? (row.same[name] ? " 没变" : " 变") : "");
        return [i, row.name, input(row.x), mark("layer"), mark("rms")].join("\t");
      });
      const done = await course.copy([["#", "操作", "输入 x", "LayerNorm(x)", "RMSNorm(x)"].join("\t"), ...lines].join("\n"));
      this.copied.textContent = done ? "已复制" : "浏览器不让复制";
    }
  }

  course.define("norm-lab", NormLab);
})((window.course = window.course || {}));
