/* The clickable formula: each term opens its explanation, by mouse, touch and keyboard.

   The real buttons are those of the legend (a button inside <math> has no name and no size); the formula itself takes
   the focus as a whole, arrow keys walk its terms, Enter or Space opens, Escape closes. Without JavaScript the legend is open. */
(function () {
  "use strict";
  const course = window.course;

  function setup(figure, signal) {
    const box = figure.querySelector(".formula-math");
    const legend = figure.querySelector(".formula-legend");
    const terms = [...box.querySelectorAll("[data-term]")];
    const entries = new Map([...legend.querySelectorAll(":scope > [data-term]")].map((entry) => [entry.dataset.term, entry]));
    let open = null;
    let at = -1;

    function show(term, spoken) {
      open = term;
      for (const node of terms) node.classList.toggle("is-open", node.dataset.term === term);
      for (const [name, entry] of entries) {
        entry.querySelector("button").setAttribute("aria-expanded", String(name === term));
        entry.querySelector("dd").hidden = name !== term;
      }
      if (spoken) course.say(term === null ? "解释已收起" : entries.get(term).querySelector("dd").textContent.trim());
    }
    const toggle = (term) => entries.has(term) && show(term === open ? null : term, true);

    function walk(to) {
      at = Math.max(-1, Math.min(terms.length - 1, to));
      terms.forEach((node, i) => node.classList.toggle("is-at", i === at));
      if (at < 0) return;
      terms[at].scrollIntoView({ block: "nearest", inline: "nearest" });
      const entry = entries.get(terms[at].dataset.term);
      const name = entry ? entry.querySelector("button").textContent.trim() : terms[at].textContent;
      course.say(`第 ${at + 1} 项，共 ${terms.length} 项：${name}`);
    }

    box.addEventListener("click", (event) => {
      const term = event.target.closest("[data-term]"); // the innermost one
      if (term) toggle(term.dataset.term);
    }, { signal });
    box.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at < 0 ? 0 : Math.max(0, at - 1), ArrowUp: at < 0 ? 0 : Math.max(0, at - 1), Home: 0, End: terms.length - 1 };
      if (event.key in steps) walk(steps[event.key]);
      else if ((event.key === "Enter" || event.key === " ") && at >= 0) toggle(terms[at].dataset.term);
      else return;
      event.preventDefault();
    }, { signal });
    box.addEventListener("blur", () => walk(-1), { signal });
    legend.addEventListener("click", (event) => {
      const button = event.target.closest("dt button");
      if (button) toggle(button.closest("[data-term]").dataset.term);
    }, { signal });
    figure.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || open === null) return;
      event.stopPropagation();
      show(null, true);
    }, { signal });

    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "公式：方向键在各项之间移动，回车打开解释");
    box.tabIndex = 0;
    legend.classList.add("is-live");
    show(entries.has(terms[0] && terms[0].dataset.term) ? terms[0].dataset.term : null, false);
  }

  course.register("formula", {
    mount(root, why, signal) {
      if (why !== "load" && why !== "shown") return;
      for (const figure of root.querySelectorAll("figure.formula:not([data-live])")) {
        if (!figure.querySelector(".formula-math") || !figure.querySelector(".formula-legend")) continue;
        figure.dataset.live = "";
        setup(figure, signal);
      }
    },
  });
})();
