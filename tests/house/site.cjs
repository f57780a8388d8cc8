// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// node site.cjs SITE [SCREENSHOTS]: opens a built site in headless Chromium, from its files and without a network, and uses it like a
// reader would. Prints one JSON object of what it saw; test_site_browser.py judges it.
"use strict";
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { createRequire } = require("module");

const modules = process.env.PARALLAX_NODE_MODULES || path.join(__dirname, "node_modules");
const { chromium } = createRequire(path.join(modules, "x.js"))("playwright-core");

const site = path.resolve(process.argv[2]);
const pictures = process.argv[3];
const url = (name) => pathToFileURL(path.join(site, ...name.split("/"))).href;
const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const seen = { complaints: [], requests: [], phone: {}, looks: {} };

async function open(browser, look) {
  const context = await browser.newContext({ ...look, offline: true });
  const page = await context.newPage();
  page.setDefaultTimeout(600000); // against hangs alone
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.complaints.push(message.text());
  });
  page.on("pageerror", (error) => seen.complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const why = request.failure().errorText; // ended, where the next page was opened before an icon was there
    if (why !== "net::ERR_ABORTED") seen.complaints.push(`${why}: ${request.url()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(pathToFileURL(site).href) && !/^(data|blob):/.test(request.url())) seen.requests.push(request.url());
  });
  return page;
}

const picture = async (page, name) => pictures && (await page.screenshot({ path: path.join(pictures, name + ".png") }));

/** Every page on a phone. */
async function all_pages(browser) {
  const page = await open(browser, phone);
  for (const name of fs.readdirSync(site, { recursive: true }).filter((name) => /^[^.]*\.html$/.test(name))) {
    await page.goto(url(name.split(path.sep).join("/")));
    seen.phone[name] = await page.evaluate(() => ({
      overflows: document.documentElement.scrollWidth > innerWidth + 1,
      pictures: [...document.querySelectorAll("article img")].map((img) => [img.src, img.naturalWidth > 0 && img.clientWidth > 100]),
    }));
  }
  await page.goto(url("apps/histogram/index.html"));
  await picture(page, "phone");
  await page.context().close();
}

async function looks(browser) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, { ...desktop, colorScheme });
    await page.goto(url("apps/histogram/index.html"));
    const colours = () => page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
    seen.looks[colorScheme] = { colours: await colours() };
    await picture(page, colorScheme);
    if (colorScheme === "dark") {
      // By the reader's wish it is light.
      await page.locator("label.md-header__button[for^=__palette]:visible").click();
      await page.waitForFunction((dark) => getComputedStyle(document.body).backgroundColor !== dark, seen.looks.dark.colours[0]);
      seen.looks.chosen = { colours: await colours() };
    } else {
      const details = page.locator("article details").first();
      seen.folded = [await details.locator("p").first().isVisible()];
      await details.locator("summary").click();
      seen.folded.push(await details.locator("p").first().isVisible());
    }
    await page.context().close();
  }
}

async function search(browser) {
  const page = await open(browser, desktop);
  await page.goto(url("index.html"));
  await page.keyboard.press("f");
  await page.keyboard.type("coalescing");
  await page.locator(".md-search-result__link").first().waitFor();
  seen.results = await page.locator(".md-search-result__link h1").allTextContents();
  await picture(page, "search");
  await page.locator(".md-search-result__link").first().click();
  await page.waitForURL(/coalescing/);
  seen.found = await page.locator("article h1").first().textContent();
  await page.goto(url("course/teachers.html"));
  seen.formulae = await page.locator(".katex .mord").count();
  await page.context().close();
}

/** The slides of a lesson: what they say, how they turn, whether all fits in the width. */
async function slides(browser, look) {
  const page = await open(browser, look);
  const name = "apps/histogram/index.html";
  await page.goto(url(name) + "?slides");
  const number = () => page.locator(".deck-count").textContent();
  const said = { numbers: [await number()], headings: [] };
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", " ", "End", "ArrowRight", "Home"]) {
    await page.keyboard.press(key);
    said.numbers.push(await number());
    said.headings.push(await page.locator(".slide.shown > :first-child").textContent());
  }
  said.slides = await page.evaluate(() =>
    [...document.querySelectorAll(".slide")].map((slide) => ({
      wide: slide.scrollWidth > slide.clientWidth + 1,
      pair: [...slide.querySelectorAll(".pair > *")].map((column) => Math.round(column.getBoundingClientRect().top)),
      folded: !slide.querySelector("details[open]"),
    })),
  );
  await picture(page, "slides-" + look.viewport.width);
  await page.keyboard.press("Escape");
  await page.locator("article h1").waitFor();
  said.left = page.url();
  seen[look.isMobile ? "slides_on_a_phone" : "slides"] = said;
  await page.context().close();
}

/** The deck of each exercise: its headings, the pictures and kernels that it shows, and the slides that must be scrolled. */
async function decks(browser) {
  const page = await open(browser, desktop);
  seen.decks = {};
  for (const name of fs.readdirSync(path.join(site, "apps"))) {
    if (!fs.existsSync(path.join(site, "apps", name, "index.html"))) continue;
    await page.goto(url(`apps/${name}/index.html`) + "?slides");
    seen.decks[name] = await page.evaluate(() =>
      [...document.querySelectorAll(".slide")].map((slide) => ({
        heading: slide.firstElementChild.firstChild.textContent,
        high: slide.scrollHeight > slide.clientHeight + 1,
        pictures: [...slide.querySelectorAll("img")].filter((img) => img.complete && img.naturalWidth > 0).length,
        kernels: slide.querySelectorAll("pre").length,
        folded: slide.querySelectorAll("details:not([open])").length,
      })),
    );
    await picture(page, "deck-" + name);
    for (const number of [2, 3, 4, 5]) {
      await page.keyboard.press("ArrowRight");
      await picture(page, `deck-${name}-${number}`);
    }
  }
  // A window that was small for a while shows the picture as large as before.
  await page.goto(url("apps/mandelbrot/index.html") + "?slides");
  const height = () => page.evaluate(() => Math.round(document.querySelector(".slide.shown img").getBoundingClientRect().height));
  const resized = async (viewport) => {
    await page.evaluate(() => document.querySelector(".slide.shown").setAttribute("data-old", ""));
    await page.setViewportSize(viewport);
    await page.waitForFunction(() => document.querySelector(".slide.shown:not([data-old])"));
    return height();
  };
  seen.resized = [await resized({ width: 1280, height: 790 }), await resized({ width: 1280, height: 300 }), await resized({ width: 1280, height: 790 })];
  await page.context().close();
}

/** How many sheets of A4 a handout takes. */
async function paper(browser) {
  const page = await open(browser, desktop);
  seen.sheets = {};
  for (const name of fs.readdirSync(path.join(site, "course", "handouts"))) {
    await page.goto(url("course/handouts/" + name));
    const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
    seen.sheets[name] = pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g).length;
  }
  await page.goto(url("apps/histogram/index.html") + "?slides");
  const count = await page.locator(".slide").count();
  const pdf = await page.pdf({ preferCSSPageSize: true });
  seen.paper = [count, pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g).length];
  await page.context().close();
}

async function main() {
  const browser = await chromium.launch({
    executablePath: process.env.PARALLAX_CHROMIUM || "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
    ],
  });
  try {
    await all_pages(browser);
    await looks(browser);
    await search(browser);
    await slides(browser, desktop);
    await slides(browser, phone);
    await decks(browser);
    await paper(browser);
  } finally {
    await browser.close();
  }
  process.stdout.write(JSON.stringify(seen));
}

main().catch((error) => {
  process.stderr.write(String(error.stack) + "\n");
  process.exitCode = 1;
});
