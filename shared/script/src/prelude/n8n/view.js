// What a script sees of a workflow of n8n: its items, the outputs of other nodes, and n8n's variables such as `$json` and `$now`.
(function (n8n) {
  'use strict';

  const { Array, Error, Function, Math, Object, Proxy, RangeError, Reflect, TypeError, globalThis: root } = globalThis;
  const { isArray } = Array;
  const { apply, defineProperty, setPrototypeOf } = Reflect;
  const toSource = Function.prototype.toString;
  const { fail } = n8n;
  const hide = (name, value) => defineProperty(root, name, { value, writable: true, enumerable: false, configurable: true });
  // A variable that is computed when it is read, and that a script may replace.
  const expose = (name, get) =>
    defineProperty(root, name, { get, set: (value) => hide(name, value), enumerable: false, configurable: true });

  // --- Expressions ---

  // An expression that is only `isEmpty()` of a path. n8n evaluates it even if the path does not exist.
  const ONLY_EMPTY = /^\(\)\s*=>\s*(!*)(?:\$\((?:'[^']*'|"[^"]*")\))?[\w$.?[\]'"]+\.(isEmpty|isNotEmpty)\(\s*\)\s*$/;
  // The value of an expression. As in n8n, it is undefined if the expression throws. Errors that explain a mistake in the workflow
  // are thrown.
  const evaluate = (expression) => {
    try {
      return n8n.during(expression, expression);
    } catch (error) {
      if (n8n.isKept(error)) throw error;
      const call = error instanceof TypeError && n8n.findCall(error, expression);
      if (call) {
        const [value, name] = call;
        if (name !== 'isEmpty' && name !== 'isNotEmpty') fail(`${name} can't be used on ${value} value`);
        const only = ONLY_EMPTY.exec(apply(toSource, expression, []));
        if (only !== null) return (only[2] === 'isEmpty') === (only[1].length % 2 === 0);
      }
      // A locale or an option that n8n has, and this sandbox does not.
      if (error instanceof RangeError && / is not available/.test(error.message)) throw error;
      return undefined;
    }
  };
  n8n.value = (expression) => {
    const value = evaluate(expression);
    if (typeof value !== 'function') return value;
    if (n8n.isMethod(value)) return undefined;
    const isDateTime = typeof value.isDateTime === 'function';
    return fail(isDateTime ? 'this is a DateTime, please access its methods' : 'this is a function, please add ()');
  };
  n8n.text = (texts, ...expressions) => {
    const values = expressions.map((expression) => {
      const value = evaluate(expression);
      const isPrinted = value || value === 0 || value === false;
      return isPrinted && !n8n.isMethod(value) ? value : '';
    });
    try {
      // `join` prints null and undefined inside of lists as nothing.
      return texts.map((text, i) => text + (i < values.length ? [values[i]].join('') : '')).join('');
    } catch (error) {
      if (n8n.isKept(error)) throw error;
      return null;
    }
  };

  // --- Files: scripts of n8n use other names for their parts ---

  const alias = (name) => ({
    get() { return this[name]; },
    set(value) { this[name] = value; },
    configurable: true,
  });
  const showSize = (base64) => {
    const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
    const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), 3);
    return `${Number((bytes / 1000 ** power).toPrecision(3))} ${['B', 'kB', 'MB', 'GB'][power]}`;
  };
  const FILE = Object.create(Object.prototype, {
    data: alias('base64'),
    mimeType: alias('contentType'),
    fileName: alias('name'),
    fileExtension: { get() { return /\.([^./\\]+)$/.exec(this.name ?? '')?.[1]; }, configurable: true },
    fileType: { get() { return /^[^/]+/.exec(this.contentType ?? '')?.[0]; }, configurable: true },
    fileSize: { get() { return showSize(this.base64 ?? ''); }, configurable: true },
  });
  const nameFiles = (items) => {
    for (const item of items) {
      if (typeof item.binary !== 'object' || item.binary === null) continue;
      for (const name of Object.keys(item.binary)) setPrototypeOf(item.binary[name], FILE);
    }
    return items;
  };

  // --- Variables that need no items ---

  const ifElse = (...given) => {
    if (given.length < 2) fail('$if requires at least 2 parameters: test, value_if_true[, and value_if_false]');
    const [test, then, otherwise = false] = given;
    const chosen = test ? then : otherwise;
    // The values of n8n's `$if` are evaluated only if they are chosen. An import may write them as functions.
    return typeof chosen === 'function' ? chosen() : chosen;
  };
  const ifEmpty = (...given) => {
    if (given.length !== 2) fail('expected two arguments (value, defaultValue) for this function');
    const [value, otherwise] = given;
    const isObject = typeof value === 'object' && value !== null;
    return value === undefined || value === null || value === '' || (isObject && Object.keys(value).length === 0) ? otherwise : value;
  };
  const UNSAFE = /\\|\b(?:__proto__|prototype|constructor|getPrototypeOf|mainModule|binding|_load)\b/;
  const jmespath = (data, query) => {
    if (typeof data !== 'object' || typeof query !== 'string') fail('expected two arguments (Object, string) for this function');
    if (UNSAFE.test(query)) fail('Cannot access this property in a jmespath query due to security concerns');
    return n8n.jmespath(isArray(data) ? data : { ...data }, query);
  };
  const average = (...numbers) => n8n.extend(numbers, 'average');
  const numberList = (start, end) =>
    Array.from({ length: Math.abs(start - end) + 1 }, (_, i) => (start < end ? start + i : start - i));
  const zip = (names, values) => {
    if (!isArray(names) || !isArray(values)) fail('keys and values must be arrays');
    if (names.length !== values.length) fail('keys and values not of equal length');
    return Object.fromEntries(names.map((name, i) => [name, values[i]]));
  };
  const refuse = (message) => () => fail(message);
  const fromAI = refuse('$fromAI is for the tools of an AI agent. Write the value, or an expression.');
  const evaluateExpression = refuse('$evaluateExpression cannot run code from a text. Write the expression in the script.');

  // --- The view ---

  let current = 0;
  let inputs = [];
  // Calls a function for an item. If it is asynchronous, its item stays the current one until it ends.
  n8n.withItem = (index, run) => {
    const outer = current;
    const restore = () => {
      current = outer;
    };
    current = index;
    let result;
    try {
      result = run();
    } catch (error) {
      restore();
      throw error;
    }
    if (typeof result?.then === 'function') return result.finally(restore);
    restore();
    return result;
  };
  n8n.inputs = () => inputs;
  // What a node gives that receives only the first item of each input. Its expressions see all items.
  n8n.once = (run) => {
    const outer = inputs;
    inputs = outer.map((items) => items.slice(0, 1));
    try {
      return run();
    } finally {
      inputs = outer;
    }
  };
  n8n.batches = (size) => {
    const batches = [];
    for (let at = 0; at < inputs[0].length; at += size) batches.push(inputs[0].slice(at, at + size));
    return batches;
  };

  n8n.install = (view) => {
    const { node = {}, nodes = {}, previous, workflow = {}, execution = {} } = view;
    for (const name of Object.keys(nodes)) nodes[name].outputs = nodes[name].outputs.map((items) => nameFiles(items ?? []));
    current = view.index ?? 0;
    // A node with effects sees one item at a time, which has another position in the input.
    const offset = (view.itemIndex ?? current) - current;
    const receive = (item, index, input) => ({ ...item, pairedItem: { item: index + offset, ...(input > 0 && { input }) } });
    // Each item names its own place as its origin, so that code can pass it on.
    inputs = (view.inputs ?? [view.items]).map((list, input) => nameFiles(list).map((item, index) => receive(item, index, input)));
    const items = inputs[0] ?? [];
    n8n.zone = view.zone ?? 'America/New_York';

    // --- Other nodes ---

    const notExecuted = (name) => fail(`Node '${name}' hasn't been executed`);
    const isExecuted = (name) => Object.hasOwn(nodes, name);
    const findNode = (name) => (isExecuted(name) ? nodes[name] : notExecuted(name));
    const outputOf = (name, branch, run) => {
      const { outputs, port = 0 } = findNode(name);
      // Only the items of one run are known: those of this round of a loop, or else of the last one.
      if (![undefined, null, -1, 0, view.runIndex].includes(run)) fail(`Run ${run} of node "${name}" not found`);
      const index = branch ?? port;
      return outputs[index] ?? fail(`Node "${name}" has no branch with index ${index}.`);
    };
    const itemOf = (name, list, index) => {
      if (list.length === 0) notExecuted(name);
      return list[index] ?? fail(`"${name}" node has ${list.length} item(s) but you're trying to access item ${index}`);
    };
    const pairedItem = (name, index, method) => {
      const { outputs, port = 0, paired } = findNode(name);
      // No path leads from that node to this one.
      if (paired === undefined) fail('Invalid expression');
      if (items[index] === undefined) fail('Can’t get data for expression');
      // An index, a list of them, or the name of the node that did not say where its items come from.
      const origin = paired[index];
      if (isArray(origin) && origin.some((each) => each !== origin[0])) fail('Multiple matches found');
      const found = outputs[port]?.[isArray(origin) ? origin[0] : origin];
      if (found !== undefined && typeof origin !== 'string') return found;
      const cause = typeof origin === 'string' ? origin : previous?.name ?? name;
      return fail(`Paired item data for ${method} from node '${cause}' is unavailable. Ensure '${cause}' is providing the required output.`);
    };
    const parametersOf = (name) => (Object.hasOwn(nodes, name) ? nodes[name].parameters : undefined) ?? {};

    // The variables for the item whose index `at` returns.
    const variablesOf = (at) => {
      const own = () => itemOf(node.name, items, at());
      const select = (name = previous?.name) => ({
        get isExecuted() { return isExecuted(name); },
        get item() { return pairedItem(name, at(), 'item'); },
        pairedItem: (index = at()) => pairedItem(name, index, 'pairedItem'),
        itemMatching(index) {
          if (index === undefined) fail('Missing item index for .itemMatching()');
          return pairedItem(name, index, 'itemMatching');
        },
        first: (branch, run) => outputOf(name, branch, run)[0],
        last: (branch, run) => outputOf(name, branch, run).at(-1),
        all: (branch, run) => outputOf(name, branch, run),
        get params() { return parametersOf(name); },
        context: {},
      });
      const byName = (name) => ({
        get json() { return itemOf(name, outputOf(name), at() + offset).json; },
        get data() { return itemOf(name, outputOf(name), at() + offset).json; },
        get binary() { return itemOf(name, outputOf(name), at() + offset).binary ?? {}; },
        get runIndex() { return isExecuted(name) ? 0 : -1; },
        get parameter() { return parametersOf(name); },
        context: {},
      });
      const received = () => (items.length > 0 ? items : fail('No execution data available'));
      const withoutArguments = (method, given) => {
        if (given.length > 0) fail(`$input.${method}() should have no arguments`);
      };
      const input = {
        get item() { return received()[at()]; },
        all: () => received(),
        first(...given) {
          withoutArguments('first', given);
          return received()[0];
        },
        last(...given) {
          withoutArguments('last', given);
          return received().at(-1);
        },
        get params() { return parametersOf(previous?.name); },
        context: {},
      };
      return {
        $json: () => own().json,
        $data: () => own().json,
        $binary: () => own().binary ?? {},
        $input: () => input,
        $: () => select,
        $node: () => new Proxy({}, { get: (_, name) => byName(String(name)) }),
        $itemIndex: () => at() + offset,
        $position: () => at() + offset,
        $thisItemIndex: () => at() + offset,
        $thisItem: () => items[at()],
        item: () => items[at()],
      };
    };
    const variables = variablesOf(() => current);
    for (const name of Object.keys(variables)) expose(name, variables[name]);

    hide('$item', (index) => {
      const fixed = {};
      for (const [name, get] of Object.entries(variablesOf(() => index))) defineProperty(fixed, name, { get, enumerable: true });
      return fixed;
    });
    hide('$items', (name, branch = 0, run = undefined) => (name === undefined ? items : outputOf(name, branch, run)));
    hide('items', items);
    hide('$inputs', inputs);

    // --- Dates: they load luxon when a script reads them ---

    for (const name of ['DateTime', 'Duration', 'Interval']) expose(name, () => n8n.luxon()[name]);
    let now;
    const readNow = () => (now ??= n8n.luxon().DateTime.now());
    expose('$now', readNow);
    expose('$today', () => readNow().startOf('day'));

    // --- The workflow, and n8n's functions ---

    const isPrevious = previous !== undefined && previous !== null;
    const customData = {};
    const staticData = {};
    const getStaticData = (type) => (staticData[type] ??= {});
    const constants = {
      n8n,
      $value: n8n.value,
      $text: n8n.text,
      $if: ifElse,
      $ifEmpty: ifEmpty,
      $max: Math.max,
      $min: Math.min,
      $average: average,
      $not: (value) => !value,
      min: Math.min,
      max: Math.max,
      average,
      not: (value) => !value,
      numberList,
      zip,
      $jmespath: jmespath,
      $jmesPath: jmespath,
      $fromAI: fromAI,
      $fromAi: fromAI,
      $fromai: fromAI,
      $evaluateExpression: evaluateExpression,
      // It is not kept after the run.
      $getWorkflowStaticData: getStaticData,
      // The name in the old nodes "Function" and "Function Item".
      getWorkflowStaticData: getStaticData,
      $workflow: { id: workflow.id, name: workflow.name, active: workflow.active ?? false },
      $execution: {
        ...execution,
        mode: execution.mode === 'manual' ? 'test' : 'production',
        customData: {
          set: (key, value) => { customData[key] = value; },
          setAll: (values) => { Object.assign(customData, values); },
          get: (key) => customData[key],
          getAll: () => ({ ...customData }),
        },
      },
      $prevNode: isPrevious ? { name: previous.name, outputIndex: previous.port ?? 0, runIndex: 0 } : {},
      $parameter: node.parameters ?? {},
      $rawParameter: node.parameters ?? {},
      $nodeVersion: node.version,
      $nodeId: node.id,
      $mode: execution.mode,
      $runIndex: view.runIndex ?? 0,
      $thisRunIndex: view.runIndex ?? 0,
      $vars: {},
      $env: {},
      $secrets: {},
    };
    for (const name of Object.keys(constants)) hide(name, constants[name]);
  };
})
