// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A page as slides, where its address has ?slides. A lesson has five: the question, the kernel beside its twin, the prediction, a picture of
// the times, the key points. Any other page shows its sections, cut where the screen ends. Right and left turn them, Escape goes back to the
// page. Answers stay folded until they are clicked; on paper every slide is a page.
"use strict";
(() => {
  const article = document.querySelector("article");
  if (!article || !new URLSearchParams(location.search).has("slides")) return;

  const deck = document.createElement("main");
  deck.className = "deck md-typeset";
  const count = document.createElement("div");
  count.className = "deck-count";
  const all = sections_of(article);
  const sections = slides_of_lesson(all);
  const lesson = sections !== all;
  let slides = [];
  let shown = 0;

  /** The page as [{heading, blocks}]; a line that ends with a colon stays with what it announces, a kernel beside its twin. */
  function sections_of(article) {
    const found = [];
    let before = null;
    for (const block of [...article.children]) {
      if (block.matches("h1, h2")) found.push({ heading: block, blocks: [] });
      else if (found.length && !block.matches(".md-content__button, .md-source-file, link, script")) {
        const { blocks } = found.at(-1);
        if (before && before.matches("p") && before.textContent.trim().endsWith(":")) {
          blocks[blocks.length - 1] = together(before, block);
        } else blocks.push(block);
      }
      before = block;
    }
    for (const section of found) section.blocks = pairs(section.blocks);
    return found;
  }

  /** Of a lesson's sections the five that a teacher shows; of another page all. What was measured is a picture, and where. */
  function slides_of_lesson(sections) {
    const names = ["The idea", "The kernel", "Predict, then measure", "Measured", "Key points"];
    const five = names.map((name) => sections.find(({ heading }) => heading.textContent.startsWith(name)));
    const [idea, , , measured] = five;
    const pictured = (block) => block.querySelector("img") !== null;
    const picture = measured ? measured.blocks.findIndex(pictured) : -1;
    if (picture >= 0) measured.blocks = measured.blocks.slice(picture, picture + 2);
    if (five.includes(undefined)) return sections;
    const [{ heading, blocks }] = sections;
    for (const line of blocks.flatMap((block) => [...block.querySelectorAll("li")])) if (!line.textContent.startsWith("Questions:")) line.remove();
    idea.blocks = [...blocks, ...idea.blocks].sort((a, b) => pictured(a) - pictured(b));
    idea.heading = heading;
    return five;
  }

  function together(...blocks) {
    const box = document.createElement("div");
    box.append(...blocks);
    return box;
  }

  /** Code in two languages, one after the other, as two columns. */
  function pairs(blocks) {
    const language = (block) => {
      const codes = [block, ...block.querySelectorAll("*")].filter((code) => code.matches(".highlight"));
      return codes.map((code) => code.className.split(" ")[0]).join();
    };
    const found = [];
    for (const block of blocks) {
      const last = found.at(-1);
      if (last && language(block) === "language-cpp" && language(last).startsWith("language-python")) {
        const pair = last.matches(".pair") ? last : together(together(last), together());
        pair.className = "pair";
        pair.lastChild.append(block);
        pair.style.setProperty("--columns", [...pair.children].map((column) => `${longest_line(column)}fr`).join(" "));
        found[found.length - 1] = pair;
      } else found.push(block);
    }
    return found;
  }

  function longest_line(block) {
    const lines = [...block.querySelectorAll("pre")].flatMap((code) => code.textContent.split("\n"));
    return Math.max(...lines.map((line) => line.length));
  }

  function build() {
    slides = [];
    deck.replaceChildren(count);
    for (const { heading, blocks } of sections) {
      let slide = add_slide(heading);
      for (const block of blocks) {
        block.style.fontSize = "";
        slide.append(block);
        if (!lesson && slide.scrollHeight > slide.clientHeight && slide.children.length > 2) {
          slide = add_slide(heading.cloneNode(true));
          slide.append(block);
        }
        shrink(slide, block);
      }
      if (lesson) shrink_all(slide);
    }
    show(Math.min(shown, slides.length - 1));
  }

  function add_slide(heading) {
    const slide = document.createElement("section");
    slide.className = "slide";
    slide.append(heading);
    deck.append(slide);
    slides.push(slide);
    return slide;
  }

  /** Makes code and tables smaller, down to half, until lines and columns fit; what is too long even then is scrolled. */
  function shrink(slide, block) {
    const wide = () => [block, ...block.querySelectorAll("pre > code, .md-typeset__scrollwrap")].some((e) => e.scrollWidth > e.clientWidth + 1);
    const small = block.matches("p, ul, ol") ? 100 : 50;
    for (let size = 95; size >= small && (wide() || slide.scrollHeight > slide.clientHeight); size -= 5) block.style.fontSize = size + "%";
  }

  /** Makes all of a slide smaller, down to half, until it fits. */
  function shrink_all(slide) {
    for (let size = 95; size >= 50 && slide.scrollHeight > slide.clientHeight; size -= 5) {
      slide.style.fontSize = size + "%";
      slide.style.setProperty("--picture", size / 100); // of the slide, which a resized window makes anew
    }
  }

  function show(number) {
    shown = Math.max(0, Math.min(number, slides.length - 1));
    slides.forEach((slide, k) => slide.classList.toggle("shown", k === shown));
    count.textContent = `${shown + 1} / ${slides.length}`;
    location.replace("#" + (shown + 1));
  }

  function leave() {
    location.href = location.pathname;
  }

  const keys = {
    ArrowRight: () => show(shown + 1),
    PageDown: () => show(shown + 1),
    " ": () => show(shown + 1),
    ArrowLeft: () => show(shown - 1),
    PageUp: () => show(shown - 1),
    Home: () => show(0),
    End: () => show(slides.length - 1),
    Escape: leave,
  };

  addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || (event.key === " " && event.target.closest("summary, button, a"))) return;
      event.stopPropagation(); // the page has keys of its own
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    },
    true,
  );

  // A click at the edges, or a finger that moves sideways.
  let touched = null;
  addEventListener("touchstart", (event) => (touched = event.changedTouches[0]), { passive: true });
  addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - touched.clientX;
    if (Math.abs(moved) > 60 && Math.abs(event.changedTouches[0].clientY - touched.clientY) < 40) show(shown + (moved < 0 ? 1 : -1));
  });
  for (const [name, step] of [["back", -1], ["on", 1]]) {
    const edge = document.createElement("button");
    edge.className = "deck-edge deck-" + name;
    edge.setAttribute("aria-label", name);
    edge.addEventListener("click", () => show(shown + step));
    document.body.append(edge);
  }

  shown = Math.max(0, (parseInt(location.hash.slice(1), 10) || 1) - 1);
  document.body.classList.add("slides");
  document.body.append(deck);
  const paper = document.createElement("style");
  paper.textContent = "@page { size: 320mm 180mm; margin: 0; }";
  document.head.append(paper);
  build();
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(build, 200);
  });
})();
