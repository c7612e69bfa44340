// What the nodes that work on one item at a time have in common.
(function (n8n) {
  'use strict';

  /**
   * The items that `work(read, item, index)` returns for each item of the input. `read(name, fallback)` is the value of a
   * parameter for this item: n8n leaves out the parameters that have their default.
   */
  n8n.eachItem = (parameters, work) => {
    const results = [];
    $input.all().forEach((item, index) => {
      const read = (name, fallback) => (name in parameters ? n8n.read(parameters[name], index) : fallback);
      for (const result of [work(read, item, index)].flat()) results.push({ ...result, pairedItem: index });
    });
    return results;
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
