// Records what n8n does with the single nodes of shared/script/tests/n8n/nodes/: each line is a node and the items of its input.
//
//   node record-nodes.mjs            rewrites what n8n gives, in every line
//   node record-nodes.mjs --check    fails if a line is out of date

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { run } from './oracle.mjs';
import { node, start, workflow } from './cases/build.mjs';

const folder = new URL('../../../shared/script/tests/n8n/nodes/', import.meta.url);

// Files have other names in n8n.
const toFile = ({ base64, contentType, name }) => ({
  data: base64, mimeType: contentType, ...(name !== undefined && { fileName: name, fileExtension: name.split('.').pop() }),
});
const fromFile = ({ data, mimeType, fileName }) => ({
  base64: data, contentType: mimeType, ...(fileName !== undefined && { name: fileName }),
});
const mapFiles = (item, change) => {
  const { json, binary } = item;
  const files = Object.entries(binary ?? {}).map(([name, file]) => [name, change(file)]);
  return files.length === 0 ? { json } : { json, binary: Object.fromEntries(files) };
};

async function recorded(line) {
  const { items: _, error: __, type, version, parameters, input = [{ json: {} }], zone, ...rest } = line;
  const settings = zone && { settings: { executionOrder: 'v1', timezone: zone } };
  const flow = workflow([start(), node('Node', type, version, parameters)], [['Start', 'Node']], settings);
  const { nodes, error } = await run(flow, { input: input.map((item) => mapFiles(item, toFile)) });
  const gave = error ? { error: error.message } : { items: (nodes.Node?.[0]?.[0] ?? []).map((item) => mapFiles(item, fromFile)) };
  return { type, version, parameters, ...(line.input && { input }), ...(zone && { zone }), ...gave, ...rest };
}

let changed = 0;
for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl')).sort()) {
  const file = new URL(name, folder);
  const before = readFileSync(file, 'utf8').trimEnd().split('\n');
  const after = [];
  for (const line of before) after.push(JSON.stringify(await recorded(JSON.parse(line))));
  changed += after.filter((line, i) => line !== before[i]).length;
  if (!process.argv.includes('--check')) writeFileSync(file, after.join('\n') + '\n');
}
console.log(`${changed} lines differ`);
if (process.argv.includes('--check') && changed > 0) process.exitCode = 1;
// The oracle keeps the process alive.
process.exit();
