// All screens: accessibility, the width of phones, light and dark, both languages, and the number of requests.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

let workflow, run, agent, invocation;

before(async () => {
  const page = await signIn();
  const made = async (path, body = {}) => {
    const { status, body: { data } } = await call(page, "POST", path, body);
    assert.ok(status < 300, `${path}: ${status}`);
    return data;
  };
  const template = "/builder/v1/workflows/templates/expense-approval";
  const { exampleInput: input } = (await call(page, "GET", template)).body.data;
  ({ id: workflow } = await made(`${template}/instantiate`));
  await made(`/builder/v1/workflows/${workflow}/publish`);
  ({ id: run } = await made(`/builder/v1/workflows/${workflow}/runs`, { input }));
  await until(page, `/builder/v1/workflows/${workflow}/runs/${run}`, ({ state }) => state === "paused");
  ({ id: agent } = await made("/builder/v1/agents", { name: "Scout", config: { model: "dev-chat" } }));
  ({ id: invocation } = await made(`/builder/v1/agents/${agent}/invoke`, { input: "Where is my order?" }));
  await page.context().close();
});

/** The places of all screens, filled with the data of `before`. */
const SCREENS = { home: () => "/", workflows: () => "/workflows", workflow: () => `/workflows/${workflow}`,
  "workflow-runs": () => `/workflows/${workflow}/runs`, releases: () => `/workflows/${workflow}/releases`,
  members: () => `/workflows/${workflow}/members`, webhooks: () => `/workflows/${workflow}/webhooks`, editor: () => `/workflows/${workflow}/edit`, agents: () => "/agents", agent: () => `/agents/${agent}`,
  call: () => `/agents/${agent}?call=${invocation}`, runs: () => "/runs", run: () => `/workflows/${workflow}/runs/${run}` };

for (const width of [1440, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`no fault of accessibility at ${width} px, ${colorScheme}, and at most four requests a screen`, async () => {
      for (const [name, place] of Object.entries(SCREENS)) {
        for (const language of ["en", "es"]) {
          const page = await open(place(), { width, colorScheme, language });
          await loaded(page);
          assert.equal(await page.getAttribute("html", "lang"), language);
          await picture(page, `${name}-${width}-${colorScheme}-${language}`);
          await check(page, `${name} ${language}`);
          // The person is read once for all screens.
          const calls = page.calls.filter((path) => path !== "/gateway/v1/me");
          assert.ok(calls.length <= 4, `${name}: ${calls}`);
          await page.context().close();
        }
      }
    });
  }
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
  const same = /^(ada|acme|Atelier|Scout|Expense approval|Approves small claims.*|New workflow|Two people|Review|Greeting!?|Goodbye|dev-chat|Total|Error|Webhooks?|Tokens|English|Español)$/i;
  for (const [name, place] of Object.entries(SCREENS)) {
    const [english, spanish] = await Promise.all(["en", "es"].map(async (language) => {
      const page = await open(place(), { language });
      await loaded(page);
      const found = await texts(page);
      await page.context().close();
      return found;
    }));
    assert.ok(english.length > 5, `${name}: ${english}`);
    assert.deepEqual(spanish.filter((text) => english.includes(text) && !same.test(text)), [], name);
  }
});
