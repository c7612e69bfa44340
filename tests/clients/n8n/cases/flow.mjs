// Which nodes run, with which items, and in which order.

import { add, code, codeEach, conditions, noOp, node, set, show, start, when, workflow } from './build.mjs';

const three = [{ n: 1 }, { n: 2 }, { n: 3 }];
const odd = [['={{ $json.n % 2 }}', 'number', 'equals', 1]];
const none = [['={{ $json.n }}', 'number', 'gt', 100]];
const all = [['={{ $json.n }}', 'number', 'gt', 0]];

/** A Switch node with an output for each value of `n`. */
const byNumber = (name, values, options = {}, more) =>
  node(name, 'switch', 3.2, {
    mode: 'rules',
    rules: {
      values: values.map((value) => ({
        conditions: conditions([['={{ $json.n }}', 'number', 'equals', value]]),
        renameOutput: true,
        outputKey: `is ${value}`,
      })),
    },
    options,
  }, more);

const triggers = [
  {
    name: 'trigger: without items, the workflow gets one empty item',
    workflow: workflow([start(), show('Show', '{ keys: Object.keys($json), items: $input.all().length }')], [['Start', 'Show']]),
  },
  {
    name: 'trigger: its items go to the next node',
    workflow: workflow([start(), noOp('Next')], [['Start', 'Next']]),
    input: three,
  },
  {
    name: 'trigger: pinned items replace what the trigger gives in a manual run',
    workflow: workflow([start(), noOp('Next')], [['Start', 'Next']], { pinData: { Start: [{ json: { pinned: true } }] } }),
    mode: 'manual',
  },
  {
    name: 'trigger: pinned items of a later node replace the run of that node',
    workflow: workflow([start(), code('Work', 'throw new Error("never runs")'), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']],
      { pinData: { Work: [{ json: { pinned: 1 } }, { json: { pinned: 2 } }] } }),
    mode: 'manual',
  },
  {
    name: 'trigger: pinned items count only in manual runs',
    workflow: workflow([start(), code('Work', 'return [{ json: { ran: true } }]')], [['Start', 'Work']],
      { pinData: { Work: [{ json: { pinned: 1 } }] } }),
    mode: 'trigger',
  },
  {
    name: 'trigger: of two triggers, only the nodes behind the one that fired run',
    workflow: workflow([start('A'), node('B', 'scheduleTrigger', 1.2, { rule: { interval: [{}] } }), noOp('Behind A'), noOp('Behind B'), noOp('Both')],
      [['A', 'Behind A'], ['B', 'Behind B'], ['Behind A', 'Both'], ['Behind B', 'Both']]),
    start: 'A',
    input: [{ from: 'A' }],
  },
  {
    name: 'trigger: a node that no edge reaches does not run',
    workflow: workflow([start(), noOp('Next'), noOp('Alone')], [['Start', 'Next']]),
    input: [{ a: 1 }],
  },
];

const conditionsOfItems = [
  {
    name: 'if: items go to the true and to the false output, each in its order',
    workflow: workflow([start(), when('If', odd), noOp('Odd'), noOp('Even')], [['Start', 'If'], ['If', 0, 'Odd'], ['If', 1, 'Even']]),
    input: three,
  },
  {
    name: 'if: an output without items starts nothing',
    workflow: workflow([start(), when('If', none), noOp('Big'), noOp('Small')], [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small']]),
    input: three,
  },
  {
    name: 'if: both outputs lead to one node, which runs once for each',
    workflow: workflow([start(), when('If', odd), show('Next', '{ n: $json.n, run: $runIndex, count: $input.all().length }')],
      [['Start', 'If'], ['If', 0, 'Next'], ['If', 1, 'Next']]),
    input: three,
  },
  {
    name: 'if: branches of different length meet in one node, which runs once for each',
    workflow: workflow([start(), when('If', odd), add('Odd', { kind: 'odd' }), show('Next', '{ n: $json.n, kind: $json.kind ?? null, run: $runIndex }'), noOp('After')],
      [['Start', 'If'], ['If', 0, 'Odd'], ['If', 1, 'Next'], ['Odd', 'Next'], ['Next', 'After']]),
    input: three,
  },
  {
    name: 'if: version 1 compares by type, and any condition may hold',
    workflow: workflow([start(), node('If', 'if', 1, {
      conditions: { number: [{ value1: '={{ $json.n }}', operation: 'larger', value2: 2 }], string: [{ value1: '={{ $json.s }}', operation: 'contains', value2: 'x' }] },
      combineOperation: 'any',
    }), noOp('Yes'), noOp('No')], [['Start', 'If'], ['If', 0, 'Yes'], ['If', 1, 'No']]),
    input: [{ n: 1, s: 'ax' }, { n: 2, s: 'b' }, { n: 3, s: 'c' }],
  },
  {
    name: 'if: only the false output is connected',
    workflow: workflow([start(), when('If', odd), noOp('Even')], [['Start', 'If'], ['If', 1, 'Even']]),
    input: three,
  },
  {
    name: 'switch: each item goes to the first rule that holds, others are dropped',
    workflow: workflow([start(), byNumber('Switch', [1, 2]), noOp('One'), noOp('Two')], [['Start', 'Switch'], ['Switch', 0, 'One'], ['Switch', 1, 'Two']]),
    input: [...three, { n: 1, again: true }],
  },
  {
    name: 'switch: the fallback output comes after the rules',
    workflow: workflow([start(), byNumber('Switch', [1], { fallbackOutput: 'extra' }), noOp('One'), noOp('Others')],
      [['Start', 'Switch'], ['Switch', 0, 'One'], ['Switch', 1, 'Others']]),
    input: three,
  },
  {
    name: 'switch: the fallback is one of the outputs',
    workflow: workflow([start(), byNumber('Switch', [1, 2], { fallbackOutput: 0 }), noOp('One'), noOp('Two')],
      [['Start', 'Switch'], ['Switch', 0, 'One'], ['Switch', 1, 'Two']]),
    input: three,
  },
  {
    name: 'switch: all matching outputs get the item',
    workflow: workflow([start(), node('Switch', 'switch', 3.2, {
      rules: { values: [{ conditions: conditions(all) }, { conditions: conditions(odd) }] },
      options: { allMatchingOutputs: true },
    }), noOp('All'), noOp('Odd')], [['Start', 'Switch'], ['Switch', 0, 'All'], ['Switch', 1, 'Odd']]),
    input: three,
  },
  {
    name: 'switch: an expression gives the number of the output',
    workflow: workflow([start(), node('Switch', 'switch', 3.2, { mode: 'expression', numberOutputs: 3, output: '={{ $json.n - 1 }}' }), noOp('Zero'), noOp('Two')],
      [['Start', 'Switch'], ['Switch', 0, 'Zero'], ['Switch', 2, 'Two']]),
    input: three,
  },
  {
    name: 'switch: an expression that names no output fails',
    workflow: workflow([start(), node('Switch', 'switch', 3.2, { mode: 'expression', numberOutputs: 2, output: '={{ $json.n }}' }), noOp('Zero')],
      [['Start', 'Switch'], ['Switch', 0, 'Zero']]),
    input: three,
  },
  {
    name: 'switch: version 1 has four outputs and compares one value',
    workflow: workflow([start(), node('Switch', 'switch', 1, {
      dataType: 'number', value1: '={{ $json.n }}',
      rules: { rules: [{ operation: 'equal', value2: 1, output: 0 }, { operation: 'larger', value2: 2, output: 2 }] },
      fallbackOutput: 3,
    }), noOp('One'), noOp('More'), noOp('Others')], [['Start', 'Switch'], ['Switch', 0, 'One'], ['Switch', 2, 'More'], ['Switch', 3, 'Others']]),
    input: three,
  },
  {
    name: 'filter: an empty result stops the branch',
    workflow: workflow([start(), node('Filter', 'filter', 2.2, { conditions: conditions(none), options: {} }), noOp('Next')], [['Start', 'Filter'], ['Filter', 'Next']]),
    input: three,
  },
  {
    name: 'filter: kept items know the item that they come from',
    workflow: workflow([start(), node('Filter', 'filter', 2.2, { conditions: conditions([['={{ $json.n }}', 'number', 'gt', 1]]), options: {} }),
      show('Next', '{ n: $("Start").item.json.n }')], [['Start', 'Filter'], ['Filter', 'Next']]),
    input: three,
  },
];

const branches = [
  {
    name: 'branches: two nodes behind one output get the same items',
    workflow: workflow([start(), add('A', { by: 'A' }), add('B', { by: 'B' })], [['Start', 'A'], ['Start', 'B']]),
    input: three,
  },
  {
    name: 'branches: the upper branch runs to its end before the lower one starts',
    workflow: workflow([start(),
      set('High', { at: 'high' }, { position: [200, 0] }), show('High 2', '{ low: $("Low").isExecuted }', { position: [400, 0] }),
      set('Low', { at: 'low' }, { position: [200, 300] }), show('Low 2', '{ high: $("High 2").isExecuted }', { position: [400, 300] })],
    [['Start', 'Low'], ['Start', 'High'], ['High', 'High 2'], ['Low', 'Low 2']]),
  },
  {
    name: 'branches: in the old order, nodes run level by level in the order of the edges',
    workflow: workflow([start(),
      set('Low', { at: 'low' }, { position: [200, 300] }), show('Low 2', '{ high: $("High").isExecuted, high2: $("High 2").isExecuted }', { position: [400, 300] }),
      set('High', { at: 'high' }, { position: [200, 0] }), show('High 2', '{ low: $("Low").isExecuted, low2: $("Low 2").isExecuted }', { position: [400, 0] })],
    [['Start', 'Low'], ['Start', 'High'], ['High', 'High 2'], ['Low', 'Low 2']], { settings: {} }),
  },
  {
    name: 'branches: two branches into one input run the node twice, it does not wait',
    workflow: workflow([start(), add('A', { by: 'A' }), add('B', { by: 'B' }), show('Next', '{ by: $json.by, run: $runIndex, count: $input.all().length }'), noOp('After')],
      [['Start', 'A'], ['Start', 'B'], ['A', 'Next'], ['B', 'Next'], ['Next', 'After']]),
    input: [{ n: 1 }, { n: 2 }],
  },
  {
    name: 'branches: a node behind two runs of a node sees the items of its own run',
    workflow: workflow([start(), add('A', { by: 'A' }), add('B', { by: 'B' }), noOp('Next'),
      show('After', '{ json: $json.by, node: $node["Next"].json.by, first: $("Next").first().json.by, item: $("Next").item.json.by, run: $runIndex }')],
    [['Start', 'A'], ['Start', 'B'], ['A', 'Next'], ['B', 'Next'], ['Next', 'After']]),
  },
  {
    name: 'branches: in the old order, both outputs of an If node lead to one node',
    workflow: workflow([start(), when('If', odd), show('Next', '{ n: $json.n, run: $runIndex, count: $input.all().length }')],
      [['Start', 'If'], ['If', 0, 'Next'], ['If', 1, 'Next']], { settings: {} }),
    input: three,
  },
  {
    name: 'branches: the position on the canvas decides, not the order of the edges',
    workflow: workflow([start(), add('Left', { by: 'left' }, { position: [200, 100] }), add('Right', { by: 'right' }, { position: [300, 100] }), add('Top', { by: 'top' }, { position: [400, 0] }),
      show('Next', '{ by: $json.by, run: $runIndex }', { position: [600, 0] })],
    [['Start', 'Right'], ['Start', 'Left'], ['Start', 'Top'], ['Right', 'Next'], ['Left', 'Next'], ['Top', 'Next']]),
  },
  {
    name: 'branches: a side branch above the way of a loop runs in each round, not at the end',
    workflow: workflow([start(), node('Loop', 'splitInBatches', 3, { options: {} }, { position: [200, 0] }), noOp('Body', { position: [400, 100] }), show('Aside', '{ n: $json.n, body: $("Body").isExecuted }', { position: [400, -100] }), noOp('Done', { position: [400, -300] })],
      [['Start', 'Loop'], ['Loop', 0, 'Done'], ['Loop', 1, 'Body'], ['Loop', 1, 'Aside'], ['Body', 'Loop']]),
    input: three,
  },
  {
    name: 'branches: $prevNode is the node of this run',
    workflow: workflow([start(), noOp('A'), noOp('B'), show('Next', '{ name: $prevNode.name, output: $prevNode.outputIndex, run: $prevNode.runIndex }')],
      [['Start', 'A'], ['Start', 'B'], ['A', 'Next'], ['B', 'Next']]),
  },
  {
    name: 'branches: changes that one branch makes to an item are not seen in the other',
    workflow: workflow([start(), code('A', 'for (const item of $input.all()) { item.json.deep.changed = true; item.json.by = "A"; } return $input.all();'), noOp('B')],
      [['Start', 'A'], ['Start', 'B']]),
    input: [{ deep: {} }],
  },
];

const settingsOfNodes = [
  {
    name: 'executeOnce: the node gets only the first item',
    workflow: workflow([start(), add('Once', { count: '={{ $input.all().length }}' }, { executeOnce: true }), noOp('Next')], [['Start', 'Once'], ['Once', 'Next']]),
    input: three,
  },
  {
    name: 'executeOnce: a code node sees one item in $input, and all in $("node")',
    workflow: workflow([start(), code('Once', 'return [{ json: { input: $input.all().length, start: $("Start").all().length, items: items.length } }]', { executeOnce: true })],
      [['Start', 'Once']]),
    input: three,
  },
  {
    name: 'executeOnce: each run of the node has its own first item',
    workflow: workflow([start(), when('If', odd), add('Once', { run: '={{ $runIndex }}' }, { executeOnce: true })],
      [['Start', 'If'], ['If', 0, 'Once'], ['If', 1, 'Once']]),
    input: three,
  },
  {
    name: 'executeOnce: a node that fails goes on with one item',
    workflow: workflow([start(), set('Set', { 'n:number': '={{ $json.n + "x" }}' }, { executeOnce: true, onError: 'continueRegularOutput' })], [['Start', 'Set']]),
    input: three,
  },
  {
    name: 'executeOnce: an If node decides on the first item only',
    workflow: workflow([start(), when('If', odd, { executeOnce: true }), noOp('Odd'), noOp('Even')], [['Start', 'If'], ['If', 0, 'Odd'], ['If', 1, 'Even']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: a filter without matches gives one empty item',
    workflow: workflow([start(), node('Filter', 'filter', 2.2, { conditions: conditions(none), options: {} }, { alwaysOutputData: true }),
      show('Next', '{ keys: Object.keys($json), count: $input.all().length }')], [['Start', 'Filter'], ['Filter', 'Next']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: a filter with matches is as without it',
    workflow: workflow([start(), node('Filter', 'filter', 2.2, { conditions: conditions(odd), options: {} }, { alwaysOutputData: true }), noOp('Next')],
      [['Start', 'Filter'], ['Filter', 'Next']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: of an If node without true items, the true output gets an empty item',
    workflow: workflow([start(), when('If', none, { alwaysOutputData: true }), noOp('Big'), noOp('Small')], [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: of an If node without false items, nothing is added',
    workflow: workflow([start(), when('If', all, { alwaysOutputData: true }), noOp('Big'), noOp('Small')], [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: all items of a Set node fail',
    workflow: workflow([start(), set('Set', { 'n:number': '={{ $json.n + "x" }}' }, { alwaysOutputData: true, onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Set'], ['Set', 0, 'Done'], ['Set', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: a code node that returns nothing gives one empty item',
    workflow: workflow([start(), code('None', 'return []', { alwaysOutputData: true }), noOp('Next')], [['Start', 'None'], ['None', 'Next']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: the empty item comes from all items of the input',
    workflow: workflow([start(), code('None', 'return []', { alwaysOutputData: true }), show('Next', '{ n: $("Start").item.json.n }')], [['Start', 'None'], ['None', 'Next']]),
    input: three,
  },
  {
    name: 'alwaysOutputData: with one item, the empty item comes from it',
    workflow: workflow([start(), code('None', 'return []', { alwaysOutputData: true }), show('Next', '{ n: $("Start").item.json.n }')], [['Start', 'None'], ['None', 'Next']]),
    input: [{ n: 7 }],
  },
  {
    name: 'empty: a code node that returns an empty list stops the branch',
    workflow: workflow([start(), code('None', 'return []'), noOp('Next')], [['Start', 'None'], ['None', 'Next']]),
    input: three,
  },
  {
    name: 'empty: one branch without items does not stop the other',
    workflow: workflow([start(), code('None', 'return []'), noOp('After none'), noOp('Some'), noOp('After some')],
      [['Start', 'None'], ['Start', 'Some'], ['None', 'After none'], ['Some', 'After some']]),
    input: three,
  },
  {
    name: 'disabled: a node that is disabled passes its items on',
    workflow: workflow([start(), add('Off', { changed: 'yes' }, { disabled: true }), noOp('Next')], [['Start', 'Off'], ['Off', 'Next']]),
    input: three,
  },
  {
    name: 'disabled: an If node passes all items to its first output',
    workflow: workflow([start(), when('If', none, { disabled: true }), noOp('Big'), noOp('Small')], [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small']]),
    input: three,
  },
  {
    name: 'disabled: a Merge node passes the items of its first input',
    workflow: workflow([start(), add('A', { by: 'A' }), add('B', { by: 'B' }), node('Merge', 'merge', 3.1, {}, { disabled: true }), noOp('Next')],
      [['Start', 'A'], ['Start', 'B'], ['A', 'Merge'], ['B', 0, 'Merge', 1], ['Merge', 'Next']]),
    input: three,
  },
  {
    name: 'disabled: references see through a disabled node',
    workflow: workflow([start(), noOp('Off', { disabled: true }), show('Next', '{ off: $("Off").item.json.n, start: $("Start").item.json.n }')],
      [['Start', 'Off'], ['Off', 'Next']]),
    input: three,
  },
  {
    name: 'disabled: an HTTP node sends nothing',
    workflow: workflow([start(), node('HTTP', 'httpRequest', 4.2, { url: 'https://api.example/', options: {} }, { disabled: true }), noOp('Next')],
      [['Start', 'HTTP'], ['HTTP', 'Next']]),
    input: three,
  },
];

const simpleNodes = [
  {
    name: 'noOp: items pass unchanged',
    workflow: workflow([start(), noOp('Next')], [['Start', 'Next']]),
    input: [{ a: { b: [1, null, 'x'] } }, {}],
  },
  {
    name: 'wait: after 0 seconds the items continue',
    workflow: workflow([start(), node('Wait', 'wait', 1.1, { amount: 0, unit: 'seconds' }), noOp('Next')], [['Start', 'Wait'], ['Wait', 'Next']]),
    input: three,
  },
  {
    name: 'wait: the items know where they come from',
    workflow: workflow([start(), node('Wait', 'wait', 1.1, { amount: 0 }), show('Next', '{ n: $("Start").item.json.n, w: $("Wait").item.json.n }')],
      [['Start', 'Wait'], ['Wait', 'Next']]),
    input: three,
  },
  {
    name: 'stopAndError: the run fails with the message',
    workflow: workflow([start(), node('Stop', 'stopAndError', 1, { errorMessage: '=No {{ $json.n }}' }), noOp('Next')], [['Start', 'Stop'], ['Stop', 'Next']]),
    input: three,
  },
  {
    name: 'stopAndError: an error object gives its message',
    workflow: workflow([start(), node('Stop', 'stopAndError', 1, { errorType: 'errorObject', errorObject: '{"message": "custom", "code": 7}' })], [['Start', 'Stop']]),
  },
  {
    name: 'stopAndError: in a branch without items, nothing stops',
    workflow: workflow([start(), when('If', none), node('Stop', 'stopAndError', 1, { errorMessage: 'never' }), noOp('Next')],
      [['Start', 'If'], ['If', 0, 'Stop'], ['If', 1, 'Next']]),
    input: three,
  },
  {
    name: 'stopAndError: what ran before keeps its items, the branch below does not start',
    workflow: workflow([start(), noOp('A', { position: [200, 0] }), node('Stop', 'stopAndError', 1, { errorMessage: 'stop' }, { position: [400, 0] }), noOp('B', { position: [200, 300] })],
      [['Start', 'A'], ['A', 'Stop'], ['Start', 'B']]),
    input: three,
  },
];

const child = (nodes, edges) => JSON.stringify(workflow([node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }), ...nodes], edges));
const subWorkflow = (name, more, nodes, edges) => ({
  name: `sub-workflow: ${name}`,
  workflow: workflow([start(), node('Call', 'executeWorkflow', 1.2, { source: 'parameter', workflowJson: child(nodes, edges), options: {}, ...more }), show('Next', '{ json: $json, n: $("Start").item.json.n }')],
    [['Start', 'Call'], ['Call', 'Next']]),
  input: three,
});

const subWorkflows = [
  subWorkflow('is called once with all items', {}, [add('Work', { 'count:number': '={{ $input.all().length }}' })], [['Called', 'Work']]),
  subWorkflow('is called for each item', { mode: 'each' }, [add('Work', { 'count:number': '={{ $input.all().length }}' })], [['Called', 'Work']]),
  subWorkflow('gives the items of the node that ran last', {}, [when('If', odd), noOp('Odd'), noOp('Even')], [['Called', 'If'], ['If', 0, 'Odd'], ['If', 1, 'Even']]),
  subWorkflow('gives one item for several', {}, [code('Work', 'return [{ json: { count: $input.all().length } }]')], [['Called', 'Work']]),
  subWorkflow('that fails, fails its caller', {}, [code('Work', 'throw new Error("inside")')], [['Called', 'Work']]),
];

const failsAtTwo = 'if ($json.n === 2) throw new Error("two is bad"); return { json: { ok: $json.n } };';

const failures = [
  {
    name: 'error: a node that fails ends the run, its message is the error of the run',
    workflow: workflow([start(), code('Work', 'throw new Error("broken")'), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']]),
    input: three,
  },
  {
    name: 'error: code for each item fails at the second one',
    workflow: workflow([start(), codeEach('Work', failsAtTwo), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']]),
    input: three,
  },
  {
    name: 'continueRegularOutput: code for each item gives an item with the error',
    workflow: workflow([start(), codeEach('Work', failsAtTwo, { onError: 'continueRegularOutput' }), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']]),
    input: three,
  },
  {
    name: 'continueRegularOutput: code for all items gives one item with the error',
    workflow: workflow([start(), code('Work', 'throw new Error("broken")', { onError: 'continueRegularOutput' }), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: code for each item splits into done and failed',
    workflow: workflow([start(), codeEach('Work', failsAtTwo, { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Work'], ['Work', 0, 'Done'], ['Work', 1, 'Failed']]),
    input: [{ n: 1, x: 'a' }, { n: 2, x: 'b' }, { n: 3, x: 'c' }],
  },
  {
    name: 'continueErrorOutput: code for all items gives one item to the error output',
    workflow: workflow([start(), code('Work', 'throw new Error("broken")', { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Work'], ['Work', 0, 'Done'], ['Work', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: an item that the node itself made with only an error goes to the error output',
    workflow: workflow([start(), code('Work', 'return [{ json: { error: "mine" } }, { json: { error: "mine", n: 2 } }, { json: { n: 3 } }]', { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Work'], ['Work', 0, 'Done'], ['Work', 1, 'Failed']]),
    input: [{ from: 'start' }],
  },
  {
    name: 'continueErrorOutput: without failures the error output starts nothing',
    workflow: workflow([start(), codeEach('Work', 'return { json: { ok: $json.n } }', { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Work'], ['Work', 0, 'Done'], ['Work', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: with only the error output connected, the items end at the node',
    workflow: workflow([start(), codeEach('Work', failsAtTwo, { onError: 'continueErrorOutput' }), noOp('Failed')], [['Start', 'Work'], ['Work', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: failed items know the item that they come from',
    workflow: workflow([start(), codeEach('Work', failsAtTwo, { onError: 'continueErrorOutput' }), show('Failed', '{ n: $("Start").item.json.n, error: $json.error }')],
      [['Start', 'Work'], ['Work', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'continueOnFail: the old flag is continueRegularOutput',
    workflow: workflow([start(), codeEach('Work', failsAtTwo, { continueOnFail: true }), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']]),
    input: three,
  },
  {
    name: 'continueRegularOutput: a Set node that fails gives an item with the error',
    workflow: workflow([start(), set('Set', { 'n:number': '={{ $json.n === 2 ? "x" : $json.n }}' }, { onError: 'continueRegularOutput' }), noOp('Next')], [['Start', 'Set'], ['Set', 'Next']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: a Set node that fails',
    workflow: workflow([start(), set('Set', { 'n:number': '={{ $json.n === 2 ? "x" : $json.n }}' }, { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Set'], ['Set', 0, 'Done'], ['Set', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'error: a Set node whose value has the wrong type fails',
    workflow: workflow([start(), set('Set', { 'n:number': '={{ "x" }}' })], [['Start', 'Set']]),
  },
  {
    name: 'continueErrorOutput: an If node that fails',
    workflow: workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 1]], { onError: 'continueErrorOutput' }), noOp('Big'), noOp('Small'), noOp('Failed')],
      [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small'], ['If', 2, 'Failed']]),
    input: [{ n: 1 }, { n: 'text' }, { n: 3 }],
  },
  {
    name: 'error: an If node that compares values of other types strictly fails',
    workflow: workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 1]]), noOp('Big'), noOp('Small')], [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small']]),
    input: [{ n: 1 }, { n: 'text' }],
  },
  {
    name: 'continueRegularOutput: an If node that fails on an item',
    workflow: workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 1]], { onError: 'continueRegularOutput' }), noOp('Big'), noOp('Small')],
      [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small']]),
    input: [{ n: 1 }, { n: 'text' }, { n: 3 }],
  },
  {
    name: 'continueRegularOutput: a Switch node that fails on an item',
    workflow: workflow([start(), byNumber('Switch', [1, 3], {}, { onError: 'continueRegularOutput' }), noOp('One'), noOp('Three')],
      [['Start', 'Switch'], ['Switch', 0, 'One'], ['Switch', 1, 'Three']]),
    input: [{ n: 1 }, { n: 'text' }, { n: 3 }],
  },
  {
    name: 'continueErrorOutput: a Switch node that fails on an item',
    workflow: workflow([start(), byNumber('Switch', [1, 3], {}, { onError: 'continueErrorOutput' }), noOp('One'), noOp('Three'), noOp('Failed')],
      [['Start', 'Switch'], ['Switch', 0, 'One'], ['Switch', 1, 'Three'], ['Switch', 2, 'Failed']]),
    input: [{ n: 1 }, { n: 'text' }, { n: 3 }],
  },
  {
    name: 'continueRegularOutput: stopAndError gives its input',
    workflow: workflow([start(), node('Stop', 'stopAndError', 1, { errorMessage: 'stop' }, { onError: 'continueRegularOutput' }), noOp('Next')], [['Start', 'Stop'], ['Stop', 'Next']]),
    input: three,
  },
  {
    name: 'error: an expression that throws in a parameter fails the node',
    workflow: workflow([start(), set('Set', { a: '={{ $("Nowhere").item.json.a }}' }), noOp('Next')], [['Start', 'Set'], ['Set', 'Next']]),
  },
  {
    name: 'error: an expression that names a node that did not run fails',
    workflow: workflow([start(), set('Set', { a: '={{ $("Later").first().json.a }}' }), noOp('Later')], [['Start', 'Set'], ['Set', 'Later']]),
  },
  {
    name: 'retryOnFail: code that works runs once',
    workflow: workflow([start(), code('Work', 'const data = $getWorkflowStaticData("global"); data.tries = (data.tries ?? 0) + 1; return [{ json: { tries: data.tries } }]', { retryOnFail: true, waitBetweenTries: 1 })],
      [['Start', 'Work']]),
  },
  {
    name: 'retryOnFail: a first item with a field «error» counts as a failure',
    workflow: workflow([start(), code('Work', 'const data = $getWorkflowStaticData("global"); data.tries = (data.tries ?? 0) + 1; return [{ json: { error: "a value", tries: data.tries } }]',
      { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 })], [['Start', 'Work']]),
  },
  {
    name: 'continueRegularOutput: code that returns no items passes its input on',
    workflow: workflow([start(), code('Work', 'return "text"', { onError: 'continueRegularOutput' }), noOp('Next')], [['Start', 'Work'], ['Work', 'Next']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: a node that stops as a whole passes its input to the first output',
    workflow: workflow([start(), node('Stop', 'stopAndError', 1, { errorMessage: 'stop' }, { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Stop'], ['Stop', 0, 'Done'], ['Stop', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'continueErrorOutput: code that returns no items passes its input to the first output',
    workflow: workflow([start(), code('Work', 'return "text"', { onError: 'continueErrorOutput' }), noOp('Done'), noOp('Failed')],
      [['Start', 'Work'], ['Work', 0, 'Done'], ['Work', 1, 'Failed']]),
    input: three,
  },
  {
    name: 'retryOnFail: after the last try the run fails',
    workflow: workflow([start(), code('Work', 'throw new Error("always")', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 })], [['Start', 'Work']]),
  },
  {
    name: 'retryOnFail: after the last try the item continues with the error',
    workflow: workflow([start(), code('Work', 'throw new Error("always")', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1, onError: 'continueRegularOutput' }), noOp('Next')],
      [['Start', 'Work'], ['Work', 'Next']]),
  },
];

export const cases = [...triggers, ...conditionsOfItems, ...branches, ...settingsOfNodes, ...simpleNodes, ...subWorkflows, ...failures];
