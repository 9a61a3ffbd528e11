// Goes through a page with the tab key.

import { expect } from "./browser.mjs";

const CONTROLS = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex="0"]';
// A field for a date takes the key four times.
const PRESSES_OF_A_CONTROL_MAX = 5;

// Each control gets the focus, and shows it where people can see it. Returns the number of controls.
export async function walkByKeyboard(page) {
  // Otherwise pages would still scroll when the control is looked at.
  await page.emulateMedia({ reducedMotion: "reduce" });
  const count = await page.evaluate((selector) => {
    // The tab key reaches the chosen one of radio buttons, and the arrows reach the others.
    const isLater = (one) => one.type === "radio" && !one.checked;
    const isShown = (one) => !one.disabled && !isLater(one) && one.checkVisibility() && one.getClientRects().length > 0;
    globalThis.waiting = new Set([...document.querySelectorAll(selector)].filter(isShown));
    return globalThis.waiting.size;
  }, CONTROLS);
  for (let presses = count * PRESSES_OF_A_CONTROL_MAX; presses > 0; presses -= 1) {
    await page.keyboard.press("Tab");
    const { left, complaint } = await page.evaluate(look);
    expect(!complaint, complaint);
    if (left === 0) return count;
  }
  const missed = await page.evaluate(() => [...globalThis.waiting].map((one) => one.outerHTML.slice(0, 120)));
  throw new Error(`the tab key does not reach ${missed.join(" and ")}`);
}

// Runs in the page: looks at the control that has the focus now.
function look() {
  const { activeElement: control, documentElement: root } = document;
  const isNew = globalThis.waiting.delete(control);
  const left = globalThis.waiting.size;
  if (!isNew) return { left };
  const words = control.outerHTML.slice(0, 120);
  const { outlineStyle, outlineWidth } = getComputedStyle(control);
  if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) return { left, complaint: `no outline shows the focus of ${words}` };
  const [box] = control.getClientRects();
  const middle = (from, to, most) => (Math.max(from, 0) + Math.min(to, most)) / 2;
  const x = middle(box.left, box.right, root.clientWidth);
  const y = middle(box.top, box.bottom, root.clientHeight);
  const there = document.elementFromPoint(x, y);
  const isSeen = there && (control.contains(there) || there.contains(control));
  return { left, complaint: isSeen ? "" : `${words} has the focus, but nobody sees it` };
}
