/* The mount layer: one idempotent function that brings a page to life, however it came on show.

   course.register(name, { mount(root, why, signal), unmount(root) })
     mount   is called again and again and must do a thing once: mark what you did, or compare before you write.
             root    the page's article, or the part of it that became visible
             why     "load" first load or navigation · "shown" a tab or fold opened · "resize" · "palette" · "print" · "screen" after printing
             signal  aborted when the page is left: addEventListener(…, { signal }) and nothing leaks
     unmount is called when instant navigation takes the page away.
   course.mount(root, why)   runs every part.
   course.say(text)          tells a screen reader what changed.
   course.printing           true while the page is laid out for paper.

   Material's document$ fires on navigation, there and back, but not from file://: the first load is ours. */
(function () {
  "use strict";
  const course = (window.course = window.course || {});
  const parts = new Map();
  let article = null;
  let page = null;
  let opened = [];

  function run(name, part, root, why) {
    try {
      part.mount(root, why, page.signal);
    } catch (error) {
      console.error(`course: ${name} failed (${why})`, error);
    }
  }

  course.printing = false;
  course.register = function (name, part) {
    parts.set(name, part);
    if (article) run(name, part, article, "load");
  };
  course.mount = function (root = article, why = "load") {
    if (page && root) for (const [name, part] of parts) run(name, part, root, why);
  };

  let voice = null;
  course.say = function (text) {
    if (!voice || !voice.isConnected) {
      voice = document.createElement("div");
      voice.className = "visually-hidden";
      voice.setAttribute("role", "status");
      document.body.append(voice);
    }
    voice.textContent = voice.textContent === text ? `${text} ` : text;
  };

  function enter() {
    const next = document.querySelector("article") || document.body;
    if (next !== article) {
      leave();
      article = next;
      page = new AbortController();
    }
    course.mount(article, "load");
    reveal();
  }

  function leave() {
    if (!article) return;
    for (const part of parts.values()) if (part.unmount) part.unmount(article);
    document.documentElement.classList.remove("is-fresh"); // only the first page of a visit is laid out piece by piece
    page.abort();
    article = page = null;
    opened = [];
  }

  /* A link may point into a fold or a tab that is closed: open it. */
  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !article || !article.contains(target)) return;
    let moved = false;
    for (let node = target; node && node !== article; node = node.parentElement) {
      if (node.tagName === "DETAILS" && !node.open) moved = node.open = true;
      if (!node.classList.contains("tabbed-block")) continue;
      const place = [...node.parentElement.children].indexOf(node);
      const input = node.closest(".tabbed-set").querySelectorAll(":scope > input")[place];
      if (input && !input.checked) moved = input.checked = true;
    }
    if (moved) {
      course.mount(article, "shown");
      target.scrollIntoView();
    }
  }

  function paper(on) {
    if (on === course.printing || !article) return;
    course.printing = on;
    if (on) {
      opened = [...article.querySelectorAll("details:not([open])")];
      for (const fold of opened) fold.open = true;
    } else {
      for (const fold of opened.splice(0)) fold.open = false;
    }
    course.mount(article, on ? "print" : "screen");
  }

  function listen() {
    addEventListener("hashchange", reveal);
    addEventListener("beforeprint", () => paper(true));
    addEventListener("afterprint", () => paper(false));
    matchMedia("print").addEventListener("change", (event) => paper(event.matches));

    let waiting = 0;
    addEventListener("resize", () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => course.mount(article, "resize"));
    });
    document.addEventListener("change", ({ target }) => {
      if (!target.matches(".tabbed-set > input")) return;
      const set = target.parentElement;
      const place = [...set.querySelectorAll(":scope > input")].indexOf(target);
      course.mount(set.querySelectorAll(":scope > .tabbed-content > .tabbed-block")[place], "shown");
    });
    document.addEventListener("toggle", ({ target }) => {
      if (target.tagName === "DETAILS" && target.open && !course.printing) course.mount(target, "shown");
    }, true);
    new MutationObserver(() => course.mount(article, "palette")).observe(document.body, {
      attributeFilter: ["data-md-color-scheme"],
    });
  }

  function start() {
    listen();
    enter();
    if (window.document$) window.document$.subscribe(enter);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
})();
