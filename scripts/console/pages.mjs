// Opens all pages of the sandbox in all views.
//
// Usage: node pages.mjs SITE

import { checkRoutes, findPages, open } from "./addresses.mjs";
import { check, consoleOrigin, forEach, launch, watch } from "./browser.mjs";
import { expectNoViolations } from "./views.mjs";

const PAGES_AT_ONCE = 2;

const browser = await launch();
const { contexts, pages } = await findPages(browser);
await check("each route of the console has a page in the list", () => checkRoutes(pages));
await forEach(pages, PAGES_AT_ONCE, (one) =>
  check(`${one.name}: five views`, async () => {
    const page = await contexts[one.person].newPage();
    const complaints = watch(page, consoleOrigin);
    await open(page, one);
    await expectNoViolations(page, complaints);
    await page.close();
  }),
);
await browser.close();
