/* Search finds a number however it is typed: 660480 as 660,480, -1.069 with the minus sign of the text. The field shows what was
   typed; only what Material reads from it is rewritten. Years stay as they are. The index parts Chinese words with U+200B;
   the results show and copy without it. The header outlives every navigation, so this is done once. */
(function (course) {
  "use strict";
  const field = document.querySelector(".md-search__input");
  const results = document.querySelector(".md-search-result__list");
  if (!field || !results) return;

  const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const group = (digits) => (/^(19|20)\d\d$/.test(digits) ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ","));
  course.asSet = (typed) => typed
    .replace(/(^|\s)-(?=\d)/g, "$1\u2212")
    .replace(/(?<![\d.,])\d{4,}(?![\d,])/g, group);
  Object.defineProperty(field, "value", {
    get() { return course.asSet(get.call(this)); },
    set(text) { set.call(this, text); },
  });

  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const added of addedNodes) {
      const texts = document.createTreeWalker(added, NodeFilter.SHOW_TEXT);
      do {
        const node = texts.currentNode;
        if (node.nodeType === Node.TEXT_NODE && node.data.includes("\u200b")) node.data = node.data.replaceAll("\u200b", "");
      } while (texts.nextNode());
    }
  }).observe(results, { childList: true, subtree: true });
})((window.course = window.course || {}));
