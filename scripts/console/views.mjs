// Opens each page in five views: no violation of WCAG 2.2 AA, no sideways scrolling, no error. No column of
// text is too narrow for its words, also at the widths between.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { expect } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ALL_RULES = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  // Off by default, and part of WCAG 2.2 AA.
  rules: { "target-size": { enabled: true } },
  resultTypes: ["violations"],
};
// The other rules are about the document and its layout, which colours do not change.
const COLOUR_RULES = {
  runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
  resultTypes: ["violations"],
};
const DESKTOP = { width: 1280, height: 800 };
const LIGHT = { colorScheme: "light", forcedColors: "none" };
const VIEWS = [
  ["light", DESKTOP, LIGHT, ALL_RULES],
  ["dark", DESKTOP, { colorScheme: "dark", forcedColors: "none" }, COLOUR_RULES],
  ["forced colours", DESKTOP, { colorScheme: "light", forcedColors: "active" }, COLOUR_RULES],
  ["320 px", { width: 320, height: 640 }, LIGHT, ALL_RULES],
  ["640 × 400", { width: 640, height: 400 }, LIGHT, ALL_RULES],
];

// Where two columns begin, and 1280 px at 200 %.
const WIDTHS = [640, 700, 1024, 1060, 1100];
// Texts that may wrap, and their smallest width in their own letters.
const TEXTS = ".state, .lines li, .facts dd, .what, .ring, .error, p";
const WIDTH_MIN_EM = 6;

// Returns a complaint for each text whose box is too narrow for it.
async function findNarrowTexts(page) {
  const complaints = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const narrow = await page.evaluate(
      ([texts, least]) => {
        const isNarrow = (one) => {
          const { fontSize, lineHeight } = getComputedStyle(one);
          const isWrapped = one.getBoundingClientRect().height > 2 * parseFloat(lineHeight || fontSize);
          return one.checkVisibility() && isWrapped && one.getBoundingClientRect().width < least * parseFloat(fontSize);
        };
        const found = [...document.querySelectorAll(texts)].filter((one) => !one.closest(".unseen") && isNarrow(one));
        return found.map((one) => one.outerHTML.slice(0, 120));
      },
      [TEXTS, WIDTH_MIN_EM],
    );
    if (narrow.length > 0) complaints.push(`${width} px: ${narrow.length} texts are too narrow, the first is ${narrow[0]}`);
  }
  return complaints;
}

// Returns a complaint for each violation.
export async function findViolations(page) {
  const complaints = [];
  await page.evaluate(AXE);
  for (const [view, size, media, rules] of VIEWS) {
    await page.setViewportSize(size);
    await page.emulateMedia(media);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) complaints.push(`${view}: it scrolls sideways by ${wide} px`);
    const violations = await page.evaluate(async (chosen) => {
      const { violations } = await globalThis.axe.run(document, chosen);
      return violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html.slice(0, 120)).join(" and ")}`);
    }, rules);
    complaints.push(...violations.map((violation) => `${view}: ${violation}`));
  }
  complaints.push(...(await findNarrowTexts(page)));
  return complaints;
}

export async function expectNoViolations(page, complaints) {
  const found = [...(await findViolations(page)), ...complaints];
  expect(found.length === 0, `expected no violation and no error, but:\n  ${found.join("\n  ")}`);
}
