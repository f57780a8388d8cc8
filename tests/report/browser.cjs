// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// node browser.cjs PAGE.html [SCREENSHOTS]: opens a report in headless Chromium and uses it like a reader would.
// Prints one JSON object of what it saw; test_browser.py judges it.
"use strict";
const path = require("path");
const { pathToFileURL } = require("url");
const { createRequire } = require("module");

const modules = process.env.PARALLAX_NODE_MODULES || path.join(__dirname, "node_modules");
const { chromium } = createRequire(path.join(modules, "x.js"))("playwright-core");

const page_url = pathToFileURL(path.resolve(process.argv[2])).href;
const pictures = process.argv[3];
const looks = [
  { name: "light", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "wide", viewport: { width: 1400, height: 900 }, colorScheme: "light" },
  { name: "dark", viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  { name: "narrow", viewport: { width: 500, height: 900 } },
  { name: "phone", viewport: { width: 390, height: 844 }, isMobile: true, deviceScaleFactor: 2 },
];

/** Everything that the page asks for, complains about or throws. */
function watch(page, seen) {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.complaints.push(message.text());
  });
  page.on("pageerror", (error) => seen.complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    seen.complaints.push("dialog: " + dialog.message());
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url !== page_url && !url.startsWith("data:")) seen.requests.push(url);
  });
}

/** Texts of a column of the table of all cases, as far as rows are shown. */
const column = (page, index) =>
  page.$$eval("#all tbody tr:not([hidden])", (rows, k) => rows.map((tr) => tr.cells[k].textContent), index);

async function use_table(page) {
  const heads = await page.$$eval("#all thead th", (all) => all.map((th) => th.textContent));
  const time = heads.indexOf("time");
  const values = () =>
    page.$$eval(
      "#all tbody tr:not([hidden])",
      (rows, k) => rows.map((tr) => tr.cells[k].dataset.v).filter(Boolean).map(Number),
      time,
    );
  const used = { heads, rows: (await column(page, 0)).length };
  const button = page.locator("#all thead th button").nth(time);
  const start = Date.now();
  await button.click();
  used.ascending = await values();
  used.sort_ms = Date.now() - start;
  used.sorted_as = await page.locator("#all thead th").nth(time).getAttribute("aria-sort");
  await button.press("Enter"); // by keyboard, the other way round
  used.descending = await values();
  const tools = page.locator("#all").locator("xpath=../preceding-sibling::div[1]");
  const words = process.env.FILTER || "range serial";
  const typed = Date.now();
  await tools.locator("input").fill(words);
  used.filtered = await column(page, 0);
  used.filter_ms = Date.now() - typed;
  used.count = await tools.locator("output").textContent();
  await tools.locator("input").fill("");
  const exercise = tools.getByLabel("exercise", { exact: true });
  await exercise.selectOption({ index: 1 });
  used.chosen = [...new Set(await column(page, heads.indexOf("exercise")))];
  await exercise.selectOption({ index: 0 });
  const more = tools.locator("button");
  if (await more.isVisible()) await more.click();
  used.all = (await column(page, 0)).length;
  return used;
}

async function main() {
  const browser = await chromium.launch({
    executablePath: process.env.PARALLAX_CHROMIUM || "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
    ],
  });
  const seen = { complaints: [], requests: [], looks: {} };
  try {
    for (const look of looks) {
      const context = await browser.newContext({ ...look, offline: true });
      const page = await context.newPage();
      page.setDefaultTimeout(0); // no limit: a machine may be slow
      watch(page, seen);
      const start = Date.now();
      await page.goto(page_url);
      if (pictures) await page.screenshot({ path: path.join(pictures, look.name + ".png"), fullPage: true });
      const folded_at = await page.evaluate(() => document.getElementById("details").getBoundingClientRect().top);
      const last_column_of_tiers = await page.evaluate(() => {
        const last = document.querySelector("#tiers thead tr")?.lastElementChild.getBoundingClientRect();
        return !!last && last.right <= document.querySelector("#tiers .scroll").getBoundingClientRect().right + 1;
      });
      if (look.name === "light") {
        await page.evaluate(() => (location.hash = "all-cases"));
        await page.waitForSelector("#all-cases > details[open]", { timeout: 60000 });
        seen.unfolded_by_link = await page.evaluate(() => document.querySelector(".part[open]").parentElement.id);
      }
      // Charts are judged unfolded.
      await page.evaluate(() => document.querySelectorAll(".part").forEach((d) => (d.open = true)));
      seen.looks[look.name] = await page.evaluate(() => ({
        background: getComputedStyle(document.body).backgroundColor,
        ink: getComputedStyle(document.querySelector(".plot text")).fill,
        overflows: document.documentElement.scrollWidth > innerWidth + 1,
        // a chart's words and marks, that they have a size, and that they lie within it
        alerts: [...document.querySelectorAll("[role=alert]")].map((box) => ({
          text: box.textContent,
          top: box.getBoundingClientRect().top + scrollY,
        })),
        charts: [...document.querySelectorAll("svg.plot")].map((svg) => {
          const frame = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll("text")];
          return {
            title: svg.querySelector("title").textContent,
            words: texts.map((t) => t.textContent),
            marks: svg.querySelectorAll(".mark title").length,
            seen: frame.width > 200 && frame.height > 30,
            whole: frame.left >= 0 && frame.right <= innerWidth,
            outside: texts
              .filter((t) => {
                const box = t.getBoundingClientRect();
                return box.width > 0 && (box.left < frame.left - 2 || box.right > frame.right + 2);
              })
              .map((t) => t.textContent),
          };
        }),
      }));
      Object.assign(seen.looks[look.name], { open_ms: Date.now() - start, folded_at, last_column_of_tiers });
      if (look.name === "light") {
        const folded = () => page.$$eval("details:not([open])", (all) => all.length);
        seen.folded = await folded();
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        seen.folded_on_paper = await folded();
        await page.evaluate(() => dispatchEvent(new Event("afterprint")));
        if (pictures) await page.pdf({ path: path.join(pictures, "print.pdf"), format: "A4" });
        seen.table = await use_table(page);
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
  process.stdout.write(JSON.stringify(seen));
}

main().catch((error) => {
  process.stderr.write(String(error) + "\n");
  process.exitCode = 1;
});
