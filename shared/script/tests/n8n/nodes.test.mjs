// Compares the nodes that compute with what n8n gave for the same parameters and items. Each line of `nodes/*.jsonl` is one node.
// `tests/clients/n8n/record-nodes.mjs` records what n8n gives. A known difference has what the library gives, and the reason.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test, { mock } from 'node:test';
import { n8n, showItems } from './load.mjs';
import { withFunctions } from './parameters.mjs';

// The clock of the recorded runs.
const NOW = Date.parse('2026-03-14T15:09:26.535Z');
const folder = new URL('nodes/', import.meta.url);

const readParameters = ({ type, parameters }) => {
  const { html, ...rest } = parameters;
  const isTemplate = type === 'html' && typeof html === 'string' && !html.startsWith('=');
  return withFunctions(isTemplate ? { ...rest, template: `=${html}` } : parameters);
};

const compute = (line) => {
  const { type, version, input = [{ json: {} }], zone = 'America/New_York' } = line;
  showItems(structuredClone(input), { zone });
  try {
    const items = JSON.parse(JSON.stringify(n8n[type](readParameters(line), version)));
    return { items: items.map(({ pairedItem: _, ...item }) => item) };
  } catch (error) {
    return { error: error.message };
  }
};

mock.timers.enable({ apis: ['Date'], now: NOW });
for (const name of readdirSync(folder)) {
  const lines = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
  test(`${name}: ${lines.length} nodes`, () => {
    for (const text of lines) {
      const line = JSON.parse(text);
      const { items, error, ours, why } = line;
      const theirs = error === undefined ? { items } : { error };
      const result = compute(line);
      if (why === undefined) assert.deepEqual(result, theirs, text.slice(0, 500));
      else assert.deepEqual(result, ours, text.slice(0, 500));
    }
  });
}
