/* The data-flow map. Its stages are native folds (data_flow.py); here: one open at a time, Escape closes, state in the query.

   State in the query: the stage's name. Classes (live.css): .flow, .flow-block, .flow-times, .flow-stage (.flow-branch, .flow-here), .flow-mark */
(function (course) {
  "use strict";

  class DataFlow extends course.Live {
    start() {
      this.stages = [...this.querySelectorAll("details[data-stage]")];
      for (const stage of this.stages) stage.addEventListener("toggle", () => this.turned(stage));
      this.addEventListener("keydown", (event) => {
        const open = event.key === "Escape" && event.target.closest("details[open]");
        if (!open) return;
        open.open = false;
        open.firstElementChild.focus();
      });
    }

    restore(name) {
      for (const stage of this.stages) stage.open = stage.dataset.stage === name;
    }

    turned(stage) {
      if (course.printing) return; // on paper all are open
      if (stage.open) for (const other of this.stages) if (other !== stage) other.open = false;
      const open = this.stages.find((one) => one.open);
      this.remember(open ? open.dataset.stage : null);
    }
  }

  course.define("data-flow", DataFlow);
})((window.course = window.course || {}));
