/* The batch-mate table: choose the other sentence. Every number is Python's (batch_mates.py); here rows come and go.

   State in the query: a mate's id. Classes: .mates the table, tr[data-mate], td[data-norm] */
(function (course) {
  "use strict";
  let count = 0;

  class BatchMates extends course.Live {
    start(data) {
      const { h } = course;
      const group = `mates-${++count}`;
      this.rows = [...this.querySelectorAll("tr[data-mate]")];
      this.reading = this.querySelector(".live-reading");
      this.kept = this.reading.innerHTML;
      this.choices = [["", "都看"], ...Object.entries(data.mates)].map(([value, text]) => {
        const input = h("input", { type: "radio", name: group, value, checked: value === "", onchange: () => this.choose(value) });
        return { input, node: h("label", {}, input, text) };
      });
      const nodes = this.choices.map((choice) => choice.node);
      this.querySelector(".live-title").after(
        h("div", { className: "live-controls live-row", role: "group", "aria-label": "拼进同一批的另一句" }, h("span", {}, "拼进同一批的另一句："), ...nodes),
      );
    }

    restore(value) {
      if (value in this.data.mates) this.choose(value);
    }

    choose(value) {
      for (const { input } of this.choices) input.checked = input.value === value;
      for (const row of this.rows) row.hidden = Boolean(value && row.dataset.mate && row.dataset.mate !== value);
      course.put(this.reading, value ? this.sentence(value) : this.kept);
      this.remember(value || null);
    }

    sentence(value) {
      const row = this.rows.find((r) => r.dataset.mate === value);
      const cells = [...row.querySelectorAll("td[data-norm]")].map((cell) => {
        const same = Boolean(cell.querySelector(".is-same"));
        const numbers = cell.querySelector(".num, .number");
        return `${cell.dataset.norm} 后的「苹果」${same ? "没变" : `变成 ${numbers ? numbers.textContent : ""}`}`;
      });
      const others = this.rows.length - this.rows.filter((r) => r.hidden).length;
      return `同批换成「${this.data.mates[value]}」：${cells.join("，")}。表里留下 ${others} 种情形。`;
    }
  }

  course.define("batch-mates", BatchMates);
})((window.course = window.course || {}));
