/* What is wider than the column scrolls inside itself, and can be reached and named by keyboard. */
(function () {
  "use strict";
  const boxes = ".md-typeset__scrollwrap, .table-scroll, .formula-math, .math-block, .md-typeset pre > code";

  function wrap(root) {
    for (const table of root.querySelectorAll("table[class]:not(.highlighttable)")) {
      if (table.closest(".md-typeset__scrollwrap, .table-scroll")) continue;
      const box = document.createElement("div");
      box.className = "table-scroll";
      if (table.classList.contains("evolution")) box.classList.add("wide");
      table.replaceWith(box);
      box.append(table);
    }
  }

  function name(box) {
    const table = box.querySelector("caption");
    if (table) return table.textContent.trim();
    return box.querySelector("table") ? "表格，可左右滚动" : box.querySelector("math") ? "公式，可左右滚动" : "代码，可左右滚动";
  }

  function mark(root) {
    const found = [...root.querySelectorAll(boxes)];
    const wide = found.map((box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1);
    found.forEach((box, i) => {
      if (box.clientWidth === 0 || box.classList.contains("is-scrolling") === wide[i]) return;
      box.classList.toggle("is-scrolling", wide[i]);
      const always = box.matches(".formula-math"); // its arrow keys need the focus whether it scrolls or not
      if (wide[i] && !always) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", name(box));
      } else if (!always) {
        for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
      }
    });
  }

  window.course.register("scroll", {
    mount(root, why) {
      if (why === "palette") return;
      wrap(root);
      requestAnimationFrame(() => mark(root)); // after Material has wrapped its own tables
    },
  });
})();
