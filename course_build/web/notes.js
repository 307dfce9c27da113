/* Citations in the margin: on a wide page the first mention of a paper in a section gets a note beside its line.

   Narrower pages and paper keep the mark in the text only. The notes are copies of what the mark's title says. */
(function () {
  "use strict";
  const AIR = 72; // px above a figure

  /* A wide figure clears the margin; a note that would push it down stays out, its mark in the text says the same. */
  function settle(root) {
    if (!matchMedia("(min-width: 76.25em)").matches) return;
    for (const wide of root.querySelectorAll(":scope > figure:is(.wide, .evolution)")) {
      const end = wide.previousElementSibling.getBoundingClientRect().bottom;
      const notes = [...root.querySelectorAll(".note-body")].filter((note) => note.compareDocumentPosition(wide) & 4);
      while (notes.length && wide.getBoundingClientRect().top - end > AIR) {
        const last = notes.pop();
        if (last.getBoundingClientRect().bottom <= end) break;
        last.remove();
      }
    }
  }

  window.course.register("notes", {
    mount(root, why) {
      if (why !== "load") return;
      const seen = new Set();
      for (const node of root.querySelectorAll("h2, a.cite[title]")) {
        if (node.tagName === "H2") seen.clear();
        else if (!seen.has(node.href) && !node.closest("table, details, figure, .tabbed-set, .margin-note, .promise, .claim")) {
          seen.add(node.href);
          if (node.nextElementSibling && node.nextElementSibling.matches(".note-body")) continue;
          const note = document.createElement("small");
          note.className = "note-body";
          note.setAttribute("aria-hidden", "true"); // a screen reader hears the title on the link
          const short = document.createElement("b");
          short.textContent = node.textContent.trim();
          note.append(short, node.title.replaceAll(" · ", "\u00a0· "));
          node.after(note);
        }
      }
      settle(root);
    },
  });
})();
