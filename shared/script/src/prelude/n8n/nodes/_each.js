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
   * The items that `work(item, index)` returns for each item of the input. If the node goes on after an error,
   * `recover(item, error, fail)` says what the item becomes, because n8n's nodes differ in that. `fail` sends an item to the port
   * `error`, if there is one.
   */
  n8n.attemptEach = (work, recover) =>
    n8n.received().flatMap((item, index) => {
      try {
        return work(item, index);
      } catch (error) {
        if (onError === 'fail') throw error;
        if (recover) return recover(item, error, onError === 'branch' ? (each) => failed.push(each) : undefined);
        const json = { error: n8n.describeError(error) };
        if (onError === 'item') return [{ json, pairedItem: { item: index } }];
        failed.push({ json: { ...item.json, ...json }, pairedItem: { item: index } });
        return [];
      }
    });

  /**
   * The items that `work(read, item, index)` returns for each item of the input. `read(name, fallback)` is the value of a
   * parameter for this item: n8n leaves out the parameters that have their default.
   */
  n8n.eachItem = (parameters, work) =>
    n8n.attemptEach((item, index) => {
      const results = work((name, fallback) => readParameter(parameters, name, index, fallback), item, index);
      return [results].flat().map((result) => ({ ...result, pairedItem: { item: index } }));
    });

  /**
   * What a node gives if an item that fails does not end it, as in `n8n.tolerate(() => n8n.xml({…}, 1), 'item')`: with `item` the item
   * goes on with the message, and with `branch` it goes to the port `error`. Then the result is a map of ports. If the node fails as a
   * whole, it passes its input on, as in n8n.
   */
  n8n.tolerate = (run, mode = 'fail', port = 'out') => {
    const outer = [onError, failed];
    [onError, failed] = [mode, []];
    try {
      let result;
      try {
        result = run();
      } catch (error) {
        if (mode === 'fail') throw error;
        result = port === 'out' ? n8n.received() : { [port]: n8n.received() };
      }
      if (mode !== 'branch') return result;
      return { ...(Array.isArray(result) ? { [port]: result } : result), error: failed };
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
