// Loads the library of n8n's scripts into Node, as the sandbox does it: `node --test` in this folder runs the tests.

import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8');
const evaluate = (source) => (0, eval)(source);

/** How often luxon was loaded. */
export let loads = 0;

export const n8n = {
  reword: (message) => message,
  loadLuxon() {
    loads++;
    return evaluate(`(function () { ${read('prelude/luxon/luxon.min.js')}\nreturn luxon; })()`);
  },
};
const [, list] = /parts!\[([^]*?)\]/.exec(read('items.rs'));
for (const [, name] of list.matchAll(/"([^"]+)"/g)) evaluate(read(`prelude/n8n/${name}.js`))(n8n);

/** Shows items to the code of a test. */
export const showItems = (items, more = {}) =>
  n8n.install({
    items,
    index: 0,
    node: { id: 'show', name: 'Show' },
    nodes: {},
    previous: { name: 'Start', port: 0 },
    workflow: { id: 'w', name: 'W', active: true },
    execution: { id: 'e', mode: 'production' },
    zone: 'Europe/Madrid',
    ...more,
  });

/** Shows items without files. Each object of `json` is one item. */
export const show = (json = [{}], more = {}) => showItems(json.map((each) => ({ json: each })), more);
