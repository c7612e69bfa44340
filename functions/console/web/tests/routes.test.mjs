import assert from "node:assert/strict";
import { test } from "node:test";
import { hrefOf, readPlace, routes } from "../src/router/routes";

test("each address leads back to its screen and its parameters", () => {
  for (const to of Object.keys(routes)) {
    const names = [...routes[to].matchAll(/:(\w+)/g)].map(([, name]) => name);
    const params = Object.fromEntries(names.map((name) => [name, `a/b ?#ü%${name}`]));
    const place = readPlace(hrefOf({ to, params, query: { search: "a&b=c d", none: "", missing: undefined } }));
    assert.equal(place?.name, to);
    assert.deepEqual(place.params, params);
    assert.deepEqual([...place.query], [["search", "a&b=c d"]]);
  }
});

test("an empty address is the first screen, and an unknown one is none", () => {
  for (const hash of ["", "#", "#/", "#/?x=1"]) assert.equal(readPlace(hash)?.name, "home", hash);
  for (const hash of ["#/none", "#/workflows/", "#/workflows/1/none", "#/workflows/1/runs/2/3", "#workflows"]) assert.equal(readPlace(hash), null, hash);
});

test("a wrong encoding stays as it is, and a query may have a question mark", () => {
  assert.deepEqual(readPlace("#/agents/100%")?.params, { agentId: "100%" });
  assert.equal(readPlace("#/runs?search=a?b")?.query.get("search"), "a?b");
});
