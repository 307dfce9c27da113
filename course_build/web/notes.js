/* Citations in the margin: on a wide page the first mention of a paper in a section gets a note beside its line.

   Narrower pages and paper keep the mark in the text only. The notes are copies of what the mark's title says. */
(function () {
  "use strict";

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
          note.append(short, node.title);
          node.after(note);
        }
      }
    },
  });
})();
