// n8n's nodes "Code", "Function", "Function Item" and "Loop Over Items", around the code of users.
(function (n8n) {
  'use strict';

  const { isArray } = Array;
  const isJson = (value) => n8n.isObject(value) && !isArray(value) && !(value instanceof Date);

  const checkItem = (item, index) => {
    for (const key of ['json', 'binary']) {
      if (item[key] !== undefined && !isJson(item[key])) throw new Error(`A '${key}' property isn't an object [item ${index}]`);
    }
  };

  // --- Once for each item ---

  const resultFor = (value, index) => {
    if (!isJson(value) && typeof value !== 'function') throw new Error(`A 'json' property isn't an object [item ${index}]`);
    // Without `json` and `binary`, the object is the data.
    const { json, binary } = 'json' in value || 'binary' in value ? value : { json: value };
    if (json === null) throw new Error(`A 'json' property isn't an object [item ${index}]`);
    checkItem({ json, binary }, index);
    return { json: json ?? {}, ...(binary !== undefined && { binary }) };
  };

  /** Runs the code of a user for each item. A result of null drops the item. */
  n8n.each = (run, onError) =>
    n8n.forEachItem(onError, async (item, index) => {
      const value = await n8n.withItem(index, () => run(n8n.items()[index], index));
      return value === null || value === undefined ? [] : [{ ...resultFor(value, index), pairedItem: { item: index } }];
    });

  /** The old node: its code gets the data of the item, and always returns data. */
  n8n.functionItem = (run, onError) =>
    n8n.forEachItem(onError, async (item, index) => {
      const json = await n8n.withItem(index, () => run(n8n.copy(item.json), index));
      if (json === undefined) throw new Error('No data got returned. Always an object has to be returned!');
      if (json === null) throw new TypeError('Cannot convert undefined or null to object');
      if (typeof json !== 'object') throw new Error('The data that the code returns must be an object.');
      return [{ ...item, json }];
    });

  // --- Once for all items ---

  const KEYS = new Set(['json', 'binary', 'pairedItem', 'error', 'index']);
  const MARKS = ['json', 'binary', 'pairedItem'];
  const isItem = (value) => MARKS.some((key) => key in value);
  const WRONG = "Code doesn't return items properly";

  /** The items of what the code of a user returned. */
  n8n.itemsOfCode = (value) => {
    if (value === null) return [];
    if (!n8n.isObject(value)) throw new Error(WRONG);
    const list = isArray(value) ? value : [value];
    for (const element of list) if (!isJson(element)) throw new Error(WRONG);
    if (!list.some(isItem)) return n8n.completeOrigins([list.map((json) => ({ json }))])[0];

    const items = list.map((element, index) => {
      const unknown = Object.keys(element).find((key) => !KEYS.has(key));
      if (unknown !== undefined && isArray(value)) {
        const message = isItem(element) ? 'Invalid output format' : `Unknown top-level item key: ${unknown}`;
        throw new Error(`${message} [item ${index}]`);
      }
      if (element.json === null) throw new Error(`A 'json' property isn't an object [item ${index}]`);
      checkItem(element, index);
      return { ...element, json: element.json ?? {} };
    });
    return n8n.completeOrigins([items])[0];
  };

  /** Runs the code of a user once. */
  n8n.all = (run, onError) => n8n.forAllItems(onError, async () => n8n.itemsOfCode(await run(n8n.items())));

  /** The old node: its code gets all items, and may also return plain objects. */
  n8n.function = (run, onError) =>
    n8n.forAllItems(onError, async () => {
      const value = await run(n8n.received().map((item) => ({ ...item, json: n8n.copy(item.json) })));
      if (!n8n.isObject(value)) throw new Error(WRONG);
      const list = isArray(value) ? value : [value];
      const items = list.every((element) => isJson(element) && 'json' in element) ? list : list.map((json) => ({ json }));
      for (const { json } of items) if (!n8n.isObject(json)) throw new Error('The json-property has to be an object!');
      return n8n.completeOrigins([items.map(({ json, binary, pairedItem }) => ({ json, binary, pairedItem }))])[0];
    });

  // --- Loops ---

  /** The items in lists of at most `size`. */
  n8n.batches = (size) => {
    const items = n8n.received();
    const length = Math.max(1, Math.floor(Number(size)) || 1);
    const batches = [];
    for (let i = 0; i < items.length; i += length) batches.push(items.slice(i, i + length));
    return batches;
  };
})
