// All screens: accessibility, the width of phones, light and dark, both languages, and the number of requests.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { check, fill, loaded, open, picture } from "./harness.mjs";

let SCREENS;
before(async () => { SCREENS = await fill(); });

// Colors do not depend on the language, and widths do not depend on the colors.
for (const [width, colorScheme, language] of [[1440, "light", "en"], [1440, "dark", "es"], [390, "light", "es"], [390, "dark", "en"]]) {
  test(`no fault of accessibility at ${width} px, ${colorScheme}, ${language}, and at most four requests a screen`, async () => {
    for (const [name, place] of Object.entries(SCREENS)) {
      const page = await open(place, { width, colorScheme, language });
      await loaded(page);
      assert.equal(await page.getAttribute("html", "lang"), language);
      await picture(page, `${name}-${width}-${colorScheme}`);
      await check(page, name);
      // The person is read once for all screens.
      const calls = page.calls.filter((path) => path !== "/gateway/v1/me");
      assert.ok(calls.length <= 4, `${name}: ${calls}`);
      await page.context().close();
    }
  });
}

/** The texts of a screen that the platform and the console have written, without values, names and numbers. */
function texts(page) {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (!parentElement.closest("[translate=no], .react-flow__node, code, pre, script, noscript, time")) found.add(textContent.trim());
    }
    return [...found].filter((text) => /[A-Za-z]{4}/.test(text));
  });
}

test("no text is left untranslated when the language changes", async () => {
  // Names of people, what they have written, and words that are the same in both languages.
  const same = /^(ada|acme|Atelier|Scout|Expense approval|Approves small claims.*|New workflow|Two people|Review|Greeting!?|Goodbye|dev-chat|Development chat|Total|Error|Manual|Webhooks?|Tokens|Claude Code|Codex|VS Code|English|Español)$/i;
  for (const [name, place] of Object.entries(SCREENS)) {
    const [english, spanish] = await Promise.all(["en", "es"].map(async (language) => {
      const page = await open(place, { language });
      await loaded(page);
      const found = await texts(page);
      await page.context().close();
      return found;
    }));
    assert.ok(english.length > 5, `${name}: ${english}`);
    assert.deepEqual(spanish.filter((text) => english.includes(text) && !same.test(text)), [], name);
  }
});
