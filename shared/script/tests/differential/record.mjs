// Records what Node gives for the snippets.
//
//   node record.mjs           writes expected.json
//   node record.mjs --check   fails if expected.json differs from what this Node gives
//
// The current folder must have luxon: npm install luxon@3.7.2
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

process.env.TZ = 'UTC';
const { DateTime, Duration, Interval } = createRequire(process.cwd() + '/')('luxon');
Object.assign(globalThis, { DateTime, Duration, Interval });
const folder = new URL('.', import.meta.url);
const AsyncFunction = (async () => {}).constructor;
const snippets = readFileSync(new URL('snippets.js', folder), 'utf8')
  .split(/^\/\/# /m)
  .slice(1)
  .map((part) => ({ name: part.slice(0, part.indexOf('\n')), source: part.slice(part.indexOf('\n') + 1) }));

const log = console.log;
console.log = () => {};
const expected = {};
for (const { name, source } of snippets) {
  try {
    const value = await new AsyncFunction(source)();
    expected[name] = { value: JSON.parse(JSON.stringify(value) ?? 'null') };
  } catch (error) {
    expected[name] = { throws: error?.name ?? String(error) };
  }
}
console.log = log;

const text = JSON.stringify(expected, null, 1) + '\n';
const file = new URL('expected.json', folder);
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('expected.json differs from what this Node gives; run record.mjs without --check and inspect the changes');
  process.exit(1);
}
