/* What is wider than the column scrolls inside itself, and only then takes the focus, with a name. */
(function () {
  "use strict";
  const boxes = ".md-typeset__scrollwrap, .table-scroll, .scroll, .math-display, .formula-math, .highlight pre > code";

  function wrap(root) {
    for (const table of root.querySelectorAll("table[class]:not(.highlighttable)")) {
      if (table.closest(boxes)) continue;
      const box = document.createElement("div");
      box.className = "table-scroll";
      table.replaceWith(box);
      box.append(table);
    }
  }

  function name(box) {
    const title = box.closest("figure") && box.closest("figure").querySelector("figcaption");
    if (title) return `${title.textContent.trim()}（可左右滚动）`;
    const what = box.tagName === "CODE" ? "代码" : box.querySelector("table") ? "表格" : "公式";
    return `${what}（可左右滚动）`;
  }

  /* Material takes the focus from code where nothing hovers, on phones, whenever it has measured it. */
  const kept = new WeakSet();
  function keep(box) {
    kept.add(box);
    const again = () => box.classList.contains("is-scrolling") && !box.hasAttribute("tabindex") && (box.tabIndex = 0);
    new MutationObserver(again).observe(box, { attributeFilter: ["tabindex"] });
  }

  /* Shown, and not waiting for its layout (thaw.js): asking for its width would force it. */
  const laid = (box) => (!box.checkVisibility || box.checkVisibility({ contentVisibilityAuto: true })) && box.clientWidth > 0;

  function mark(root) {
    for (const box of root.querySelectorAll("figure.table:not(.wide) .scroll")) {
      if (laid(box) && box.querySelector("table").offsetWidth > box.clientWidth + 1) box.closest("figure").classList.add("wide"); // the margin is free
    }
    const found = [...root.querySelectorAll(boxes)].filter(laid);
    const wide = found.map((box) => box.scrollWidth > box.clientWidth + 1);
    found.forEach((box, i) => {
      box.classList.toggle("is-scrolling", wide[i]);
      if (box.matches(".formula-math")) return; // its arrow keys need the focus whether it scrolls or not
      if (!wide[i]) {
        for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
      } else if (box.getAttribute("role") !== "group") {
        box.tabIndex = 0;
        box.setAttribute("role", "group"); // not region: a page with ten landmarks has none
        box.setAttribute("aria-label", name(box));
        if (box.tagName === "CODE" && !kept.has(box)) keep(box);
      }
    });
  }

  window.course.register("scroll", {
    mount(root, why) {
      if (why === "palette") return;
      wrap(root);
      requestAnimationFrame(() => {
        mark(root); // after Material has wrapped its own tables
        for (const nav of root.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "none"); // a copy button is no landmark
      });
    },
  });
})();
