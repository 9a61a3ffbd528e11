// Takes the pictures of the documentation.
//
// Usage: node pictures.mjs SITE

import { statSync } from "node:fs";

import { findPages, open } from "./addresses.mjs";
import { check, expect, launch, newContext, site } from "./browser.mjs";

const BYTES_MAX = 200_000;
const PICTURES = [
  { file: "chain.png", page: "chain under way", size: { width: 1100, height: 720 } },
  { file: "chase.png", page: "chase", size: { width: 1100, height: 720 } },
  { file: "phone.png", page: "chain under way", size: { width: 360, height: 720 }, scale: 1.5 },
];

const browser = await launch();
const { contexts, pages, underWay } = await findPages(browser);
pages.push({ name: "chain under way", person: "Kim", path: underWay });
for (const { file, page: name, size, scale: deviceScaleFactor = 1 } of PICTURES) {
  const one = pages.find((page) => page.name === name);
  if (!one) {
    console.log(`left out: ${file}, because the program does not serve the page “${name}” yet`);
    continue;
  }
  await check(`the picture ${file}`, async () => {
    const storageState = await contexts[one.person].storageState();
    const context = await newContext(browser, { storageState, viewport: size, deviceScaleFactor });
    const page = await context.newPage();
    await open(page, one);
    const path = `${site.pictures}/${file}`;
    await page.screenshot({ path });
    await context.close();
    const bytes = statSync(path).size;
    expect(bytes <= BYTES_MAX, `it has ${bytes} bytes, and may have ${BYTES_MAX}`);
    return `${bytes} bytes`;
  });
}
await browser.close();
