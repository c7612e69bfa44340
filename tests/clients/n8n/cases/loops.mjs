// Loops: SplitInBatches ("Loop Over Items"), and edges that lead back.

import { add, code, noOp, node, show, start, when, workflow } from './build.mjs';

const numbers = (count) => Array.from({ length: count }, (_, index) => ({ n: index + 1 }));
const loop = (batchSize, options = {}, version = 3, name = 'Loop') =>
  node(name, 'splitInBatches', version, { ...(batchSize !== undefined && { batchSize }), options });

/** A loop of version 3: output 0 is done, and 1 is the loop. */
const looped = (loopNode, body, ...more) =>
  workflow([start(), loopNode, body, noOp('Done'), ...more], [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, body.name], [body.name, 'Loop']]);

const version3 = [
  {
    name: 'loop: one item at a time, the done output has what came back',
    workflow: looped(loop(), add('Body', { 'run:number': '={{ $runIndex }}' })),
    input: numbers(3),
  },
  {
    name: 'loop: batches of two',
    workflow: looped(loop(2), show('Body', '{ n: $json.n, run: $runIndex, count: $input.all().length, index: $itemIndex }')),
    input: numbers(5),
  },
  {
    name: 'loop: a batch larger than the items',
    workflow: looped(loop(10), add('Body', { seen: 'yes' })),
    input: numbers(3),
  },
  {
    name: 'loop: the batch size is an expression',
    workflow: looped(loop('={{ $json.n + 1 }}'), noOp('Body')),
    input: numbers(4),
  },
  {
    name: 'loop: the one empty item of a trigger is a batch',
    workflow: looped(loop(), add('Body', { seen: 'yes' })),
  },
  {
    name: 'loop: without items, neither the body nor what follows runs',
    workflow: workflow([start(), code('None', 'return []'), loop(), noOp('Body'), noOp('Done')],
      [['Start', 'None'], ['None', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body'], ['Body', 'Loop']]),
  },
  {
    name: 'loop: the body gives more items than it gets',
    workflow: looped(loop(), code('Body', 'const { n } = $input.first().json; return Array.from({ length: n }, (_, i) => ({ json: { n, i } }))')),
    input: numbers(3),
  },
  {
    name: 'loop: a body that gives no items ends the loop, and nothing is done',
    workflow: looped(loop(), code('Body', 'return $input.all().filter((item) => item.json.n !== 2)')),
    input: numbers(3),
  },
  {
    name: 'loop: alwaysOutputData keeps a loop alive',
    workflow: looped(loop(), { ...code('Body', 'return $input.all().filter((item) => item.json.n !== 2)'), alwaysOutputData: true }),
    input: numbers(3),
  },
  {
    name: 'loop: a condition in the body, both ways lead back',
    workflow: workflow([start(), loop(), when('If', [['={{ $json.n }}', 'number', 'gt', 1]]), add('Big', { kind: 'big' }), add('Small', { kind: 'small' }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'If'], ['If', 0, 'Big'], ['If', 1, 'Small'], ['Big', 'Loop'], ['Small', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: a condition in the body, one way leads back directly',
    workflow: workflow([start(), loop(), when('If', [['={{ $json.n }}', 'number', 'equals', 2]]), add('Two', { kind: 'two' }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'If'], ['If', 0, 'Two'], ['Two', 'Loop'], ['If', 1, 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: a batch of two of which each item takes another way comes back in two parts',
    workflow: workflow([start(), loop(2), when('If', [['={{ $json.n % 2 }}', 'number', 'equals', 1]]), add('Odd', { kind: 'odd' }), add('Even', { kind: 'even' }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'If'], ['If', 0, 'Odd'], ['If', 1, 'Even'], ['Odd', 'Loop'], ['Even', 'Loop']]),
    input: numbers(4),
  },
  {
    name: 'loop: several nodes in the body',
    workflow: workflow([start(), loop(), add('One', { 'a:number': '={{ $json.n * 10 }}' }), show('Two', '{ sum: $json.a + $("Loop").item.json.n, first: $("One").first().json.a }'), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'One'], ['One', 'Two'], ['Two', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: a second branch in the body that ends there',
    workflow: workflow([start(), loop(), noOp('Body'), add('Aside', { aside: 'yes' }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body'], ['Loop', 1, 'Aside'], ['Body', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: the body leads back from its first node, a later node ends aside',
    workflow: workflow([start(), loop(), add('Body', { seen: 'yes' }), noOp('Aside'), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body'], ['Body', 'Loop'], ['Body', 'Aside']]),
    input: numbers(2),
  },
  {
    name: 'loop: the done output is not connected',
    workflow: workflow([start(), loop(), add('Body', { seen: 'yes' })], [['Start', 'Loop'], ['Loop', 1, 'Body'], ['Body', 'Loop']]),
    input: numbers(2),
  },
  {
    name: 'loop: the body does not lead back, so only the first batch runs',
    workflow: workflow([start(), loop(), noOp('Body'), noOp('Done')], [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body']]),
    input: numbers(3),
  },
  {
    name: 'loop: several nodes after done',
    workflow: workflow([start(), loop(), add('Body', { 'run:number': '={{ $runIndex }}' }), show('After', '{ n: $json.n, run: $json.run, count: $input.all().length, body: $("Body").all().length, last: $("Body").last().json.n, start: $("Start").all().length }'), noOp('End')],
      [['Start', 'Loop'], ['Loop', 0, 'After'], ['Loop', 1, 'Body'], ['Body', 'Loop'], ['After', 'End']]),
    input: numbers(3),
  },
  {
    name: 'loop: items after done know the item of the trigger',
    workflow: workflow([start(), loop(2), add('Body', { seen: 'yes' }), show('After', '{ n: $json.n, start: $("Start").item.json.n }')],
      [['Start', 'Loop'], ['Loop', 0, 'After'], ['Loop', 1, 'Body'], ['Body', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: the body knows the item of the trigger',
    workflow: looped(loop(), show('Body', '{ n: $json.n, start: $("Start").item.json.n, first: $("Start").first().json.n, loop: $("Loop").item.json.n, all: $("Loop").all().length }')),
    input: numbers(3),
  },
  {
    name: 'loop: the body reads the items of a run of its own nodes by the number of the run',
    workflow: looped(loop(), show('Body', '{ n: $json.n, before: $runIndex === 0 ? null : $("Body").first(0, $runIndex - 1).json.n }')),
    input: numbers(3),
  },
  {
    name: 'loop: the context of the loop',
    workflow: looped(loop(), show('Body', '{ left: $("Loop").context.noItemsLeft, run: $("Loop").context.currentRunIndex, max: $("Loop").context.maxRunIndex ?? null, old: $node["Loop"].context["noItemsLeft"] }')),
    input: numbers(3),
  },
  {
    name: 'loop: $runIndex of the nodes of the body and after it',
    workflow: workflow([start(), loop(), show('Body', '{ run: $runIndex }'), show('After', '{ run: $runIndex, was: $json.run }')],
      [['Start', 'Loop'], ['Loop', 0, 'After'], ['Loop', 1, 'Body'], ['Body', 'Loop']]),
    input: numbers(2),
  },
  {
    name: 'loop: the done items are collected by a code node',
    workflow: workflow([start(), loop(2), add('Body', { 'double:number': '={{ $json.n * 2 }}' }), code('Sum', 'return [{ json: { sum: $input.all().reduce((sum, item) => sum + item.json.double, 0) } }]')],
      [['Start', 'Loop'], ['Loop', 0, 'Sum'], ['Loop', 1, 'Body'], ['Body', 'Loop']]),
    input: numbers(5),
  },
  {
    name: 'loop: an error in the body ends the run',
    workflow: looped(loop(), code('Body', 'if ($input.first().json.n === 2) throw new Error("two"); return $input.all();')),
    input: numbers(3),
  },
  {
    name: 'loop: an error that continues in the body',
    workflow: looped(loop(), code('Body', 'if ($input.first().json.n === 2) throw new Error("two"); return $input.all();', { onError: 'continueRegularOutput' })),
    input: numbers(3),
  },
  {
    name: 'loop: an error output in the body leads back',
    workflow: workflow([start(), loop(), code('Body', 'if ($input.first().json.n === 2) throw new Error("two"); return $input.all();', { onError: 'continueErrorOutput' }), add('Failed', { failed: 'yes' }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body'], ['Body', 0, 'Loop'], ['Body', 1, 'Failed'], ['Failed', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: reset starts again with the items that come back',
    workflow: workflow([start(), loop(1, { reset: '={{ $prevNode.name === "Again" }}' }), noOp('Body'), when('Enough', [['={{ $runIndex }}', 'number', 'lt', 2]]),
      code('Again', 'return [{ json: { n: 100 } }, { json: { n: 200 } }]'), noOp('Done')],
    [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body'], ['Body', 'Enough'], ['Enough', 1, 'Loop'], ['Enough', 0, 'Again'], ['Again', 'Loop']]),
    input: numbers(2),
  },
  {
    name: 'loop: an executeOnce node in the body',
    workflow: looped(loop(2), add('Body', { 'run:number': '={{ $runIndex }}' }, { executeOnce: true })),
    input: numbers(4),
  },
  {
    name: 'loop: a Merge node in the body waits for both ways of each round',
    workflow: workflow([start(), loop(), add('A', { by: 'A' }), add('B', { by: 'B' }), node('Merge', 'merge', 3.1, {}), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'A'], ['Loop', 1, 'B'], ['A', 'Merge'], ['B', 0, 'Merge', 1], ['Merge', 'Loop']]),
    input: numbers(2),
  },
  {
    name: 'loop: two loops, one after the other',
    workflow: workflow([start(), loop(), add('Body', { one: 'yes' }), loop(2, {}, 3, 'Loop 2'), add('Body 2', { two: 'yes' }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 0, 'Loop 2'], ['Loop', 1, 'Body'], ['Body', 'Loop'], ['Loop 2', 0, 'Done'], ['Loop 2', 1, 'Body 2'], ['Body 2', 'Loop 2']]),
    input: numbers(3),
  },
  {
    name: 'loop: a loop in a loop keeps the items of its first round unless it is reset',
    workflow: workflow([start(), loop(), code('Letters', 'const { n } = $input.first().json; return ["a", "b"].map((letter) => ({ json: { n, letter } }))'),
      loop(1, {}, 3, 'Inner'), add('Body', { 'run:number': '={{ $runIndex }}' }), noOp('Done')],
    [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Letters'], ['Letters', 'Inner'], ['Inner', 0, 'Loop'], ['Inner', 1, 'Body'], ['Body', 'Inner']]),
    input: numbers(2),
  },
  {
    name: 'loop: a loop in a loop that is reset when its items come from outside',
    workflow: workflow([start(), loop(), code('Letters', 'const { n } = $input.first().json; return ["a", "b"].map((letter) => ({ json: { n, letter } }))'),
      loop(1, { reset: '={{ $prevNode.name === "Letters" }}' }, 3, 'Inner'), add('Body', { 'run:number': '={{ $runIndex }}' }), noOp('Done')],
    [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Letters'], ['Letters', 'Inner'], ['Inner', 0, 'Loop'], ['Inner', 1, 'Body'], ['Body', 'Inner']]),
    input: numbers(2),
  },
  {
    name: 'loop: an HTTP call for each item',
    workflow: looped(loop(), node('HTTP', 'httpRequest', 4.2, { url: '=https://api.example/items/{{ $json.n }}', options: {} })),
    input: numbers(2),
    http: [{ url: '/items/1', body: { id: 1 } }, { url: '/items/2', body: [{ id: 2 }, { id: 3 }] }],
  },
  {
    name: 'loop: in the old order',
    workflow: { ...looped(loop(2), add('Body', { seen: 'yes' })), settings: {} },
    input: numbers(3),
  },
];

/** Versions 1 and 2. In version 1 there is one output, and when nothing is left the node gives nothing. */
const olderVersions = [
  {
    name: 'loop: version 1 ends when nothing is left',
    workflow: workflow([start(), loop(1, {}, 1), add('Body', { seen: 'yes' })], [['Start', 'Loop'], ['Loop', 'Body'], ['Body', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: version 1 with a condition on noItemsLeft',
    workflow: workflow([start(), loop(2, {}, 1), add('Body', { seen: 'yes' }), node('If', 'if', 1, { conditions: { boolean: [{ value1: '={{ $node["Loop"].context["noItemsLeft"] }}', value2: true }] } }), noOp('Done')],
      [['Start', 'Loop'], ['Loop', 'Body'], ['Body', 'If'], ['If', 0, 'Done'], ['If', 1, 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: version 1 without a batch size takes ten',
    workflow: workflow([start(), loop(undefined, {}, 1), noOp('Body')], [['Start', 'Loop'], ['Loop', 'Body'], ['Body', 'Loop']]),
    input: numbers(12),
  },
  {
    name: 'loop: version 2 has the loop as its first output, and done as its second',
    workflow: workflow([start(), loop(2, {}, 2), add('Body', { seen: 'yes' }), noOp('Done')], [['Start', 'Loop'], ['Loop', 0, 'Body'], ['Loop', 1, 'Done'], ['Body', 'Loop']]),
    input: numbers(3),
  },
  {
    name: 'loop: version 2 without a batch size takes ten',
    workflow: workflow([start(), loop(undefined, {}, 2), noOp('Body'), noOp('Done')], [['Start', 'Loop'], ['Loop', 0, 'Body'], ['Loop', 1, 'Done'], ['Body', 'Loop']]),
    input: numbers(12),
  },
];

/** Edges that lead back without a loop node. */
const cycles = [
  {
    name: 'cycle: an If node leads back until it holds',
    workflow: workflow([start(), show('Count', '{ n: $json.n + 1 }'), when('If', [['={{ $json.n }}', 'number', 'gte', 3]]), noOp('Done')],
      [['Start', 'Count'], ['Count', 'If'], ['If', 0, 'Done'], ['If', 1, 'Count']]),
    input: [{ n: 0 }],
  },
  {
    name: 'cycle: several items leave it at different rounds',
    workflow: workflow([start(), show('Count', '{ n: $json.n + 1, run: $runIndex }'), when('If', [['={{ $json.n }}', 'number', 'gte', 3]]), noOp('Done')],
      [['Start', 'Count'], ['Count', 'If'], ['If', 0, 'Done'], ['If', 1, 'Count']]),
    input: [{ n: 0 }, { n: 1 }, { n: 2 }],
  },
  {
    name: 'cycle: a page after the other, with an HTTP node',
    workflow: workflow([start(), node('HTTP', 'httpRequest', 4.2, { url: '=https://api.example/page?p={{ $json.next }}', options: {} }), when('More', [['={{ $json.next }}', 'number', 'exists']]), noOp('Done')],
      [['Start', 'HTTP'], ['HTTP', 'More'], ['More', 0, 'HTTP'], ['More', 1, 'Done']]),
    input: [{ next: 1 }],
    http: [{ url: 'p=1', body: { next: 2, rows: ['a'] } }, { url: 'p=2', body: { rows: ['b'] } }],
  },
];

export const cases = [...version3, ...olderVersions, ...cycles];
