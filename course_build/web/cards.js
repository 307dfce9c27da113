/* The number card and the inline check: a click opens what stands behind a number, beside it, without moving a line.

   The content comes from the page's <template id="course-cards">, a table as JSON; a number that is not in it stays a plain
   link. An input that is a number itself opens its own card in the same place.
   All listening is done once, on the document: a page that comes or goes adds nothing. */
(function () {
  "use strict";
  const course = window.course;
  const h = course.h;
  const phone = matchMedia("(max-width: 48em)");
  let shown = null; // { card, anchor }

  /* The page's table of cards (course_build/site/numbers.py says what stands where), read at the first click. */
  let read = { store: null, table: null };
  function table() {
    const store = document.getElementById("course-cards");
    if (store && store !== read.store) read = { store, table: JSON.parse(store.content.textContent) };
    return store && read.table;
  }

  function filled({ words, kinds, ledger, sources, files, leaves, cards }, id) {
    const [kind, title, value, work, exact, file, line, inputs] = cards[id];
    const [name, glyph, label] = kinds[kind];
    const [byFormula, byWords, given, basis, code, row] = words;
    const link = (href, text, more) => h("a", { href, ...more }, h("code", {}, text));
    const source = (path, at = "") => link(`${sources}${path}.html${at && `#L${at}`}`, at ? `${path}:${at}` : path, {});
    const place = ([path, pointers]) => [source(files[path]), " ", h("code", {}, pointers), " "];
    const input = ([variable, text, from]) => h("li", {}, h("var", {}, variable), text ? ` = ${text} ` : " ",
      ...(typeof from === "string" ? [link(`${ledger}#${from}`, from, { "data-id": from })] : leaves[from].flatMap(place)));
    const list = [
      work && [exact ? byFormula : byWords, h("div", { className: "derivation" }, work)],
      inputs.length && [given, h("ul", { className: "inputs" }, ...inputs.map(input))],
      [basis, h("span", { className: `badge badge-${name}` }, `${glyph} ${label}`)],
      [code, source(files[file], line)],
    ];
    const body = h("div", {},
      h("h2", {}, title),
      h("p", { className: `card-value num-${name}` }, value),
      h("dl", {}, ...list.filter(Boolean).flatMap(([word, what]) => [h("dt", {}, word), h("dd", {}, what)])),
      h("p", {}, h("a", { href: `${ledger}#${id}` }, row)),
      h("ul", { className: "legend" }, ...kinds.map(([other, sign, text]) =>
        h("li", { "data-kind": other, className: other === name ? "is-this" : "" }, `${sign} ${text}`))));
    return { body, kind: name, label: title };
  }

  function content(anchor) {
    if (anchor.matches(".check > button")) {
      const body = anchor.parentElement.querySelector(".check-body").cloneNode(true);
      body.hidden = false;
      return { body, kind: null, label: anchor.parentElement.classList.contains("check-false") ? "核对：不成立" : "核对：成立" };
    }
    const known = table();
    return known && Object.hasOwn(known.cards, anchor.dataset.id) ? filled(known, anchor.dataset.id) : null;
  }

  function build({ body, kind, label }) {
    const card = document.createElement("div");
    card.className = "card md-typeset";
    card.id = "course-card";
    card.tabIndex = -1;
    card.setAttribute("role", "dialog");
    card.setAttribute("aria-label", label);
    if (kind) card.dataset.kind = kind;
    const close = document.createElement("button");
    close.type = "button";
    close.className = "card-close";
    close.textContent = "×";
    close.setAttribute("aria-label", "关闭");
    card.append(close, body);
    return card;
  }

  /* Under the number where there is room, else above; never over it, never outside the window. */
  function place() {
    const { card, anchor } = shown;
    const spot = anchor.getClientRects()[0] || anchor.getBoundingClientRect();
    if (phone.matches) {
      const hidden = spot.bottom + 24 - (innerHeight - card.offsetHeight);
      if (hidden > 0) scrollBy(0, hidden);
      return;
    }
    const room = document.documentElement.clientWidth;
    const left = Math.max(12, Math.min(spot.left - 18, room - card.offsetWidth - 12));
    const below = innerHeight - spot.bottom;
    const above = below < card.offsetHeight + 20 && spot.top - 60 > below;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(above ? spot.top - card.offsetHeight - 8 : spot.bottom + 8) + scrollY}px`;
  }

  function open(anchor, from) {
    const filled = content(anchor);
    if (!filled) return false;
    const home = from || anchor;
    close(false);
    shown = { card: build(filled), anchor: home };
    document.body.append(shown.card);
    home.setAttribute("aria-expanded", "true");
    place();
    shown.card.focus({ preventScroll: true });
    return true;
  }

  function close(back) {
    if (!shown) return;
    const { card, anchor } = shown;
    shown = null;
    anchor.setAttribute("aria-expanded", "false");
    if (back) anchor.focus({ preventScroll: true });
    card.remove();
  }

  function onClick(event) {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !(event.target instanceof Element)) return;
    const anchor = event.target.closest(".num[data-id], .card a[data-id], .check > button");
    const inside = shown && shown.card.contains(event.target);
    if (event.target.closest(".card-close")) return close(true);
    if (!anchor) return void (inside || close(false));
    const again = shown && shown.anchor === anchor;
    if (again ? (close(true), true) : open(anchor, inside ? shown.anchor : null)) {
      event.preventDefault();
      event.stopPropagation(); // instant navigation listens on the body
    }
  }

  function onKey(event) {
    const { key, target } = event;
    if (key === " " && target instanceof Element && target.matches("a.num[data-id]")) {
      event.preventDefault();
      target.click();
    } else if (shown && key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close(true);
    } else if (shown && key === "Tab" && shown.card.contains(target)) {
      const stops = [...shown.card.querySelectorAll("a[href], button, summary, [tabindex='0']")];
      const leaving = event.shiftKey ? [shown.card, stops[0]] : [stops[stops.length - 1]];
      if (!leaving.includes(target)) return;
      if (event.shiftKey) event.preventDefault();
      close(true); // Tab goes on from the number, as if the card stood in the text
    }
  }

  document.addEventListener("click", onClick, true);
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("focusin", ({ target }) => {
    if (shown && !shown.card.contains(target) && target !== shown.anchor) close(false);
  });

  course.register("cards", {
    mount(root, why) {
      if (why === "resize" && shown) place();
      if (why !== "load") return;
      for (const number of root.querySelectorAll(".num[data-id]:not([aria-haspopup])")) {
        number.setAttribute("aria-haspopup", "dialog");
        number.setAttribute("aria-expanded", "false");
      }
    },
    unmount: () => close(false),
  });
})();
