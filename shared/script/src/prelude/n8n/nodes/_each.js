// What the nodes that work on one item at a time have in common.
(function (n8n) {
  'use strict';

  const readParameter = (parameters, name, index, fallback) => {
    if (!Object.hasOwn(parameters, name)) return fallback;
    const value = parameters[name];
    // n8n keeps a null or undefined result of an expression: it does not become the default.
    return typeof value === 'function' ? n8n.withItem(index, value) : n8n.read(value, index);
  };

  // What becomes of an item whose work fails, and the items that have failed.
  let onError = 'fail';
  let failed = [];

  /**
   * The items that `work(read, item, index)` returns for each item of the input. `read(name, fallback)` is the value of a
   * parameter for this item: n8n leaves out the parameters that have their default.
   */
  n8n.eachItem = (parameters, work) =>
    n8n.received().flatMap((item, index) => {
      const pairedItem = { item: index };
      try {
        const results = work((name, fallback) => readParameter(parameters, name, index, fallback), item, index);
        return [results].flat().map((result) => ({ ...result, pairedItem }));
      } catch (error) {
        if (onError === 'fail') throw error;
        const json = { error: error instanceof Error ? error.message : String(error) };
        if (onError === 'item') return [{ json, pairedItem }];
        failed.push({ json: { ...item.json, ...json }, pairedItem });
        return [];
      }
    });

  /**
   * What a node gives if an item that fails does not end it, as in `n8n.tolerate(() => n8n.xml({…}, 1), 'item')`: with `item` the item
   * goes on with the message, and with `branch` it goes to the port `error`. Then the result is a map of ports.
   */
  n8n.tolerate = (run, mode = 'fail', port = 'out') => {
    const outer = [onError, failed];
    [onError, failed] = [mode, []];
    try {
      const items = run();
      return mode === 'branch' ? { [port]: items, error: failed } : items;
    } finally {
      [onError, failed] = outer;
    }
  };

  /** A file of an item, with n8n's messages if there is none. */
  n8n.findFile = (item, name, index) => {
    if (item.binary === undefined || item.binary === null) {
      throw new Error(
        `This operation expects the node's input data to contain a binary file '${name}', but none was found [item ${index}]`);
    }
    const file = Object.hasOwn(item.binary, name) ? item.binary[name] : undefined;
    if (!file) throw new Error(`The item has no binary field '${name}' [item ${index}]`);
    return file;
  };

  /** How Node names a value of the wrong type. */
  n8n.describeType = (value) => {
    if (value === null || value === undefined) return String(value);
    if (typeof value === 'object') return `an instance of ${value.constructor?.name ?? 'Object'}`;
    return `type ${typeof value} (${String(value)})`;
  };
})
