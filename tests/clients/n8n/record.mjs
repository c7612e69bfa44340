// Records what n8n does with the workflows of `cases/`.
//
//   node record.mjs                 writes recorded.json
//   node record.mjs --check         fails if recorded.json is out of date
//   node record.mjs --show <text>   prints the cases whose name contains the text

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './oracle.mjs';

const file = fileURLToPath(new URL('recorded.json', import.meta.url));
const folder = new URL('cases/', import.meta.url);

async function everyCase() {
  const cases = [];
  const names = new Map();
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.mjs') || name === 'build.mjs') continue;
    for (const each of (await import(new URL(name, folder))).cases) {
      if (names.has(each.name)) throw new Error(`two cases are called «${each.name}»: in ${names.get(each.name)} and in ${name}`);
      names.set(each.name, name);
      cases.push(each);
    }
  }
  return cases.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The fields of a case are those of the file, then what n8n gave. */
async function recorded({ name, workflow, ...options }) {
  const { nodes, requests, responses, error, waiting } = await run(workflow, options);
  return {
    name,
    workflow,
    ...options,
    nodes,
    ...(requests.length > 0 && { requests }),
    ...(responses.length > 0 && { responses }),
    ...(error && { error }),
    ...(waiting && { waiting }),
  };
}

async function record() {
  const lines = [];
  for (const each of await everyCase()) {
    const line = JSON.stringify(await recorded(each));
    if (line !== JSON.stringify(await recorded(each))) throw new Error(`«${each.name}» gives something else each time`);
    lines.push(line);
  }
  return `[\n${lines.join(',\n')}\n]\n`;
}

async function show(text) {
  for (const each of await everyCase()) {
    if (!each.name.includes(text)) continue;
    const { workflow, nodes, requests, responses, error, waiting } = await recorded(each);
    console.log(`\n# ${each.name}`);
    for (const [name, runs] of Object.entries(nodes)) {
      // The position in the input is printed only where it is not the position in the output.
      const json = ({ json, binary, pairedItem }, index) => {
        const usual = JSON.stringify({ item: index });
        const from = JSON.stringify(pairedItem) ?? 'unknown';
        return JSON.stringify(json) + (binary ? ` ${JSON.stringify(binary)}` : '') + (from === usual ? '' : ` from ${from}`);
      };
      runs.forEach((outputs, index) => outputs.forEach((items, output) => {
        console.log(`${name}${runs.length > 1 ? ` run ${index}` : ''}${outputs.length > 1 ? ` output ${output}` : ''}: ${items.map(json).join(' ')}`);
      }));
    }
    for (const request of requests ?? []) console.log('>', JSON.stringify(request));
    for (const response of responses ?? []) console.log('<', JSON.stringify(response));
    if (error) console.log('!', JSON.stringify(error));
    if (waiting) console.log('waiting until', waiting);
  }
}

const [option, text = ''] = process.argv.slice(2);
if (option === '--show') {
  await show(text);
} else if (option === '--check') {
  const before = readFileSync(file, 'utf8').split('\n');
  const after = (await record()).split('\n');
  const changed = after.filter((line) => !before.includes(line)).length + before.filter((line) => !after.includes(line)).length;
  if (changed > 0) {
    console.error(`recorded.json is out of date: ${changed} lines differ. Run: node record.mjs`);
    process.exitCode = 1;
  }
} else {
  const text = await record();
  writeFileSync(file, text);
  console.log(`${text.split('\n').length - 3} cases`);
}
