// Computes the data nodes of the recorded workflows (`tests/clients/n8n`) again, each with the items that it received in n8n, and compares
// its items, with what they come from. The test of the platform imports and runs the same workflows as a whole.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { mock } from 'node:test';
import { n8n, showItems } from './load.mjs';
import { evaluate, withFunctions } from './parameters.mjs';

const NOW = Date.parse('2026-03-14T15:09:26.535Z');
const ZONE = 'America/New_York';
const file = new URL('../../../../tests/clients/n8n/recorded.json', import.meta.url);

const DATA = new Set(['set', 'if', 'filter', 'switch', 'merge', 'aggregate', 'splitOut', 'itemLists', 'limit', 'sort', 'removeDuplicates',
  'summarize', 'renameKeys', 'compareDatasets', 'noOp']);
const CODE = new Set(['code', 'function', 'functionItem']);
/** What this test does not show to a node: other nodes, and settings of the engine. */
const OTHER_VARIABLES = 'prevNode|workflow|execution|getWorkflowStaticData|runIndex|parameter|vars|env|nodeVersion';
const ELSEWHERE = new RegExp(`\\$(?:\\(|node\\b|items?\\(|${OTHER_VARIABLES})|helpers|require`);

/** Cases about what this test does not have: the zone of the workflow, other nodes, and expressions that the importer rewrites. */
const OTHERS = /^(?:clock|reference(?!: code)|expression|trigger: pinned)\b/;

/** Nodes that give something else than n8n, with the reason. */
const DIFFERENCES = new Map([
  ['compareDatasets 2.3: a mix of what differs', 'n8n changes the items of the node before'],
  ['merge: SQL', 'queries over items are not supported'],
  ['merge without a second branch: SQL', 'queries over items are not supported'],
]);

const typeOf = (node) => node.type.replace('n8n-nodes-base.', '');

/** The items of each input of a node, or undefined if a node before it ran several times or did not run. */
function inputsOf(name, { workflow, nodes }) {
  const inputs = [];
  for (const [from, { main }] of Object.entries(workflow.connections)) {
    for (const [output, edges] of main.entries()) {
      for (const { node, index } of (edges ?? []).filter((edge) => edge.node === name)) {
        if (nodes[from] !== undefined && nodes[from].length !== 1) return undefined;
        while (inputs.length <= index) inputs.push([]);
        inputs[index].push(...(nodes[from]?.[0]?.[output] ?? []));
      }
    }
  }
  return inputs.some((items) => items.length > 0) ? inputs : undefined;
}

const toFile = ({ data, mimeType, fileName }) =>
  ({ base64: data, contentType: mimeType, ...(fileName !== undefined && { name: fileName }) });
/** An item as the engine gives it to a node: it comes from itself. */
const received = ({ json, binary }, item, input) => ({
  json,
  ...(binary && { binary: Object.fromEntries(Object.entries(binary).map(([name, each]) => [name, toFile(each)])) }),
  pairedItem: input > 0 ? { item, input } : { item },
});

const POLICIES = { continueRegularOutput: 'item', continueErrorOutput: 'branch' };

async function run(node) {
  const type = typeOf(node);
  const { mode, jsCode, functionCode } = node.parameters;
  const policy = POLICIES[node.onError] ?? (node.continueOnFail ? 'item' : 'fail');
  if (type === 'functionItem') return n8n.functionItem(evaluate(`(async (item) => {${functionCode}\n})`), policy);
  if (type === 'function') return n8n.function(evaluate(`(async (items) => {${functionCode}\n})`), policy);
  if (type === 'code') {
    const code = evaluate(`(async () => {\n${jsCode}\n})`);
    return mode === 'runOnceForEachItem' ? n8n.each(code, policy) : n8n.all(code, policy);
  }
  const parameters = withFunctions(node.parameters);
  if (type === 'sort' && parameters.type === 'code') parameters.code = evaluate(`((a, b) => {${parameters.code}\n})`);
  return n8n.tolerate(() => n8n[type](parameters, node.typeVersion), policy);
}

/** The outputs of a node as a list, as n8n has them. */
function outputsOf(result, node) {
  if (Array.isArray(result)) return [result];
  if (typeOf(node) === 'if') return [result.true, result.false];
  const { out, error, fallback, ...ports } = result;
  if (typeOf(node) === 'filter') return [out];
  const outputs = Object.entries(ports).reduce((list, [port, items]) => Object.assign(list, { [port]: items }), []);
  if (fallback) outputs[node.parameters.rules.values.length] = fallback;
  return [...(out ? [out] : []), ...outputs, ...(error ? [error] : [])];
}

const origin = (pairedItem) => {
  if (Array.isArray(pairedItem)) return pairedItem.map(origin);
  if (typeof pairedItem === 'number') return { item: pairedItem };
  return pairedItem && { item: pairedItem.item, ...(pairedItem.input > 0 && { input: pairedItem.input }) };
};
/** n8n adds to a message where the code failed, and how to write dates. */
const plain = (message) =>
  message.replace(/ \[line \d+(?:, for item \d+)?\]$/i, '').replace(/ <br\/>.*formats\./, '').replace(/\.? *$/, '');
const compared = (outputs) =>
  JSON.parse(JSON.stringify(outputs.map((items = []) => items.map(({ json, binary, pairedItem }) => ({
    json: typeof json.error === 'string' ? { ...json, error: plain(json.error) } : json,
    files: Object.keys(binary ?? {}),
    from: origin(pairedItem),
  })))));
/** Outputs without items at the end say nothing. */
const trimmed = (outputs) => {
  while (outputs.length > 0 && outputs.at(-1).length === 0) outputs.pop();
  return outputs;
};

async function compute(node, inputs) {
  const items = inputs.map((list, input) => list.map((item, index) => received(structuredClone(item), index, input)));
  showItems(items[0], { inputs: items, zone: ZONE });
  try {
    return { outputs: trimmed(compared(outputsOf(await run(node), node))) };
  } catch (error) {
    return { error: error.message };
  }
}

mock.timers.enable({ apis: ['Date'], now: NOW });
const cases = JSON.parse(readFileSync(file, 'utf8'));
let count = 0;
for (const each of cases.filter(({ name, workflow }) => !OTHERS.test(name) && workflow.settings?.timezone === undefined)) {
  for (const node of each.workflow.nodes) {
    const type = typeOf(node);
    const runs = each.nodes[node.name];
    if (!(DATA.has(type) || CODE.has(type)) || runs?.length !== 1 || node.disabled || node.executeOnce || node.alwaysOutputData) continue;
    const inputs = inputsOf(node.name, each);
    if (inputs === undefined || ELSEWHERE.test(JSON.stringify(node.parameters)) || node.parameters.language === 'pythonNative') continue;
    const reason = DIFFERENCES.get(each.name);
    count++;
    test(`${each.name}: ${node.name}`, { todo: reason }, async () => {
      const result = await compute(node, inputs);
      if (each.error?.node === node.name) assert.equal(plain(result.error ?? 'no error'), plain(each.error.message));
      // The items that a Filter rejects are an output of n8n that leads nowhere.
      else assert.deepEqual(result, { outputs: trimmed(compared(type === 'filter' && !node.onError ? runs[0].slice(0, 1) : runs[0])) });
    });
  }
}
test('the recorded workflows have data nodes', () => assert(count > 500, `${count}`));
