/* The ledger's filter: every word typed must stand in a row, numbers as they are set (660480 finds 660,480).

   Folds with matches open, the others go; an emptied field puts back what was open. A link to a row that is filtered out
   empties the field. Without JavaScript the folds alone remain. */
(function () {
  "use strict";
  const course = window.course;
  const WAIT = 120; // ms after the last key

  function setup(box, signal) {
    const folds = [...box.querySelectorAll(".ledger-group")];
    const rows = folds.map((fold) => [...fold.querySelectorAll("tbody > tr")]);
    const count = rows.flat().length;
    const field = course.h("input", { type: "search", placeholder: "编号、说法或数值", autocomplete: "off", spellcheck: false });
    const told = course.h("span", { className: "ledger-found" });
    told.setAttribute("role", "status");
    let texts = null;
    let before = null; // which folds were open
    let timer = 0;

    function filter() {
      const words = course.asSet(field.value).toLowerCase().split(/\s+/).filter(Boolean);
      texts = texts || rows.map((group) => group.map((row) => row.textContent.toLowerCase()));
      before = before || folds.map((fold) => fold.open);
      let found = 0;
      folds.forEach((fold, i) => {
        let here = 0;
        rows[i].forEach((row, j) => {
          row.hidden = !words.every((word) => texts[i][j].includes(word));
          here += !row.hidden;
        });
        fold.hidden = !here;
        fold.open = words.length ? here > 0 : before[i];
        found += here;
      });
      if (!words.length) before = null;
      told.textContent = words.length ? `${count} 个数里有 ${found} 个符合` : "";
    }

    function clear() {
      const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!row || !row.closest(".ledger-group [hidden], .ledger-group[hidden]")) return;
      field.value = "";
      filter();
      row.closest("details").open = true;
      row.scrollIntoView();
    }

    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(filter, WAIT);
    });
    addEventListener("hashchange", clear, { signal });
    folds[0].before(course.h("p", { className: "ledger-filter" }, course.h("label", {}, "筛选 ", field), " ", told));
  }

  course.register("ledger", {
    mount(root, why, signal) {
      if (why !== "load") return;
      const box = root.querySelector(".generated-ledger");
      if (box && box.querySelector(".ledger-group") && !box.querySelector(".ledger-filter")) setup(box, signal);
    },
  });
})();
