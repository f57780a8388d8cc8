// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// Tables that sort and filter. Without this script they are plain tables, and nothing else changes.
"use strict";
(() => {
  const PAGE = 200; // rows of a long table that are shown at first
  const order = new Intl.Collator("en", { numeric: true });

  function element(name, attributes, text) {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function enhance(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    let rows = [...body.rows].map((tr) => ({
      tr,
      texts: [...tr.cells].map((c) => c.textContent),
      values: [...tr.cells].map((c) => (c.hasAttribute("data-v") ? Number(c.dataset.v) : NaN)),
    }));
    for (const row of rows) row.search = row.texts.join("\n").toLowerCase();
    let shown = PAGE;
    let words = [];
    const chosen = new Map(); // column -> text

    const count = element("output", { "aria-live": "polite" });
    const more = element("button", { type: "button" }, "Show all");

    function show() {
      let matching = 0;
      let visible = 0;
      for (const row of rows) {
        let fits = words.every((w) => row.search.includes(w));
        for (const [column, text] of chosen) fits = fits && row.texts[column] === text;
        if (fits) matching += 1;
        row.tr.hidden = !fits || visible >= shown;
        if (!row.tr.hidden) visible += 1;
      }
      count.textContent =
        visible < matching ? `${visible} of ${matching} rows` : `${matching} ${matching === 1 ? "row" : "rows"}`;
      more.hidden = visible >= matching;
    }

    function sort(column, button) {
      const head = heads[column];
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      rows.sort((a, b) => {
        const x = a.values[column];
        const y = b.values[column];
        if (!Number.isNaN(x) && !Number.isNaN(y)) return sign * (x - y);
        if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1; // what has no number comes last
        return sign * order.compare(a.texts[column], b.texts[column]);
      });
      const all = document.createDocumentFragment();
      for (const row of rows) all.append(row.tr);
      body.append(all);
      show();
      button.focus();
    }

    heads.forEach((head, column) => {
      const button = element("button", { type: "button" }, head.textContent);
      button.addEventListener("click", () => sort(column, button));
      head.replaceChildren(button);
    });

    if (rows.length < 6) return;
    const tools = element("div", { class: "tools" });
    const caption = table.caption ? table.caption.textContent : "table";
    const input = element("input", { type: "search", placeholder: "filter", "aria-label": `filter: ${caption}` });
    input.addEventListener("input", () => {
      words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      show();
    });
    tools.append(input);
    heads.forEach((head, column) => {
      if (!head.hasAttribute("data-choose")) return;
      const texts = [...new Set(rows.map((r) => r.texts[column]))].sort(order.compare);
      if (texts.length < 2 || texts.length > 60) return;
      const name = head.textContent.trim();
      const select = element("select", { "aria-label": name });
      select.append(element("option", { value: "" }, `${name}: all`));
      texts.forEach((text, k) => select.append(element("option", { value: String(k + 1) }, text || "(none)")));
      select.addEventListener("change", () => {
        if (select.value === "") chosen.delete(column);
        else chosen.set(column, texts[Number(select.value) - 1]);
        show();
      });
      tools.append(select);
    });
    more.addEventListener("click", () => {
      shown = Infinity;
      show();
    });
    tools.append(count, more);
    table.parentElement.before(tools);
    show();
  }

  document.querySelectorAll("table.data").forEach(enhance);
  // A link to a folded section unfolds it.
  const unfold = () => {
    const head = document.getElementById(location.hash.slice(1))?.querySelector(":scope > details > summary > h2");
    if (head) head.closest("details").open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  // On paper everything is unfolded, and folded again afterwards.
  let folds = [];
  addEventListener("beforeprint", () => {
    folds = [...document.querySelectorAll("details:not([open])")];
    folds.forEach((d) => (d.open = true));
  });
  addEventListener("afterprint", () => folds.forEach((d) => (d.open = false)));
})();
