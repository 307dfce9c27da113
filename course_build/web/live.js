/* What all live components share. A component is a custom element in light DOM; inside it stands what Python rendered,
   which stays until the reader changes something, and comes back when everything is as it was.

   class X extends course.Live { start(data) … ; restore(text) … }   data = JSON of data-state; data.key = its name in the query
   course.define(name, X)        once the page's scripts are all there, whatever their order
   start                         comes when the part is near or the browser idle, one part at a time; at once when the address holds
                                 its state or a fragment, and for paper
   this.remember(text | null)    keep the state in the query string under the element's own key (null = default state)
   course.h(tag, props, …kids)   an element; props: onx = listener, known properties, else attributes
   course.slider({…}) course.box({…}) course.button(text, press)     native controls with visible values
   course.put(node, html)        write only what changed, so that a live region speaks only then
   course.shown(x)               a reading of any size: 20.4, 0.97, 1.02 × 10¹⁶
   course.copy(text)             to the clipboard, also from file://; resolves to whether it worked

   A link in the text to this page (?key=state) whose query holds the key of an element on it sets that element.
   Classes: .live-controls, .live-reading (role=status), .live-state (stated without JavaScript and in print), .live-error, .is-live */
(function (course) {
  "use strict";
  const waiting = new Map();
  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 100));
  const far = []; // parts that wait for an idle moment, in the order of the page
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) target.begin();
  }, { rootMargin: "600px 0px" });

  function later(live) {
    if (far.push(live) === 1) idle(step, { timeout: 4000 });
  }

  function step() {
    const live = far.shift();
    if (live.isConnected) live.begin();
    if (far.length) idle(step, { timeout: 4000 });
  }

  /* Paper shows every part, and a jump to a place on the page must find all heights settled. */
  function beginAll() {
    const fresh = [...document.querySelectorAll(".live")].filter((live) => live.data && !live.begun);
    for (const live of fresh) live.begin();
    return fresh.length > 0;
  }

  course.h = function (tag, props = {}, ...kids) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name in node) node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...kids);
    return node;
  };

  course.put = function (node, html) {
    if ((node.last ?? node.innerHTML) === html) return;
    node.last = html;
    node.innerHTML = html;
  };

  course.button = (text, press, props = {}) => course.h("button", { type: "button", onclick: press, ...props }, text);

  course.box = function (text, change) {
    const input = course.h("input", { type: "checkbox", onchange: change });
    return { input, node: course.h("label", {}, input, text) };
  };

  /* show(value) -> text beside the slider and what a screen reader says */
  course.slider = function ({ text, min, max, step, show, input }) {
    const range = course.h("input", { type: "range", min, max, step, oninput: () => (tell(), input()) });
    const output = course.h("output", { "aria-hidden": "true" }); // a reader hears aria-valuetext
    const tell = () => {
      output.textContent = show(Number(range.value));
      range.setAttribute("aria-valuetext", output.textContent);
    };
    const set = (value) => {
      range.value = value;
      tell();
      return Number(range.value);
    };
    return { range, set, get: () => Number(range.value), node: course.h("label", {}, course.h("span", {}, text), range, output) };
  };

  course.shown = function (x) {
    if (!Number.isFinite(x)) return "—";
    const size = Math.abs(x);
    return course.format(x, size < 1 ? ".2g" : size < 1000 ? ".1f" : ".3g");
  };

  course.copy = async function (text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = course.h("textarea", { value: text, className: "visually-hidden" });
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };

  course.Live = class extends HTMLElement {
    connectedCallback() {
      if (this.data) return;
      try {
        this.data = JSON.parse(this.dataset.state || "{}");
      } catch (error) {
        this.data = {};
        this.begun = true;
        return this.stay(error);
      }
      const asked = new URLSearchParams(location.search).has(this.data.key);
      if (asked || course.printing || location.hash) return this.begin();
      near.observe(this);
      later(this);
    }

    disconnectedCallback() {
      near.unobserve(this);
    }

    begin() {
      if (this.begun) return;
      this.begun = true;
      near.unobserve(this);
      try {
        this.start(this.data);
        this.classList.add("is-live");
        const kept = new URLSearchParams(location.search).get(this.data.key);
        if (kept !== null) this.restore(kept);
      } catch (error) {
        this.stay(error);
      }
    }

    stay(error) {
      console.error(`course: ${this.localName} stays as Python rendered it`, error);
    }

    /* Browsers refuse hundreds of writes a minute: a dragged slider writes once it rests. */
    remember(text) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        if (!this.isConnected) return;
        const query = new URLSearchParams(location.search);
        if (query.get(this.data.key) === text) return;
        if (text === null) query.delete(this.data.key);
        else query.set(this.data.key, text);
        const tail = String(query);
        try {
          history.replaceState(history.state, "", (tail ? `?${tail}` : location.pathname) + location.hash);
        } catch {
          /* from file:// some browsers refuse: the state is then not kept */
        }
      }, 150);
    }
  };

  function follow(event) {
    const link = event.target.closest && event.target.closest('a[href*="?"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const url = new URL(link.href, location.href); // instant navigation has made it absolute
    if (url.origin !== location.origin || url.pathname !== location.pathname) return;
    const query = url.searchParams;
    const named = [...document.querySelectorAll(".live")].filter((live) => live.data && query.has(live.data.key));
    for (const live of named) live.begin();
    const found = named.filter((live) => live.classList.contains("is-live"));
    if (!found.length) return;
    event.preventDefault();
    event.stopPropagation(); // instant navigation would load the page again
    for (const live of found) live.restore(query.get(live.data.key));
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    found[0].scrollIntoView({ block: "nearest", behavior });
  }

  function flush() {
    for (const [name, element] of waiting) if (!customElements.get(name)) customElements.define(name, element);
  }

  course.define = function (name, element) {
    waiting.set(name, element);
    if (document.readyState === "complete") flush();
  };
  document.addEventListener("click", follow, true);
  document.addEventListener("DOMContentLoaded", flush);
  addEventListener("load", flush);
  addEventListener("hashchange", () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (beginAll() && target) target.scrollIntoView();
  });
  if (course.register) course.register("live", { mount: (root, why) => void (why === "print" && beginAll()) });
})((window.course = window.course || {}));
