/* The first load on a phone: course.css lets the browser skip the layout of what is out of sight, and here the rest is laid
   out piece by piece while the phone is idle, from the top, a few milliseconds at a time. Then the page is as if laid out at once. */
(function () {
  "use strict";
  const SLICE = 6; // ms
  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 30));
  const fresh = () => document.documentElement.classList.contains("is-fresh");

  window.course.register("thaw", {
    mount(root, why) {
      if (why !== "load" || !fresh() || root.dataset.thawing) return;
      root.dataset.thawing = "";
      const rest = [...root.children];
      const work = () => {
        if (!fresh()) return;
        const start = performance.now();
        while (rest.length && performance.now() - start < SLICE) {
          const block = rest.shift();
          if (block.matches("h1, h2, h3, template")) continue;
          block.classList.add("is-ready");
          void block.offsetHeight; // now, so that the clock sees it
        }
        if (rest.length) return void idle(work);
        root.dataset.thawing = "done";
        window.course.mount(root, "resize"); // boxes can be measured now
      };
      idle(work);
    },
  });
})();
