// The code of users: n8n's node "Code", and its old nodes "Function" and "Function Item".
(function (n8n) {
  'use strict';

  const { isArray } = Array;
  const isJson = (value) => n8n.isObject(value) && !isArray(value) && !(value instanceof Date);
  const MARKS = ['json', 'binary', 'pairedItem'];
  const KEYS = new Set([...MARKS, 'error', 'index']);
  /** An object with only an origin is data. */
  const isItem = (value) => MARKS.some((key) => key in value && (key !== 'pairedItem' || Object.keys(value).length > 1));
  const WRONG = "Code doesn't return items properly";

  const toItem = (element, index, isOfList) => {
    const unknown = Object.keys(element).find((key) => !KEYS.has(key));
    if (unknown !== undefined && isOfList) {
      throw new Error(`${isItem(element) ? 'Invalid output format' : `Unknown top-level item key: ${unknown}`} [item ${index}]`);
    }
    for (const key of ['json', 'binary']) {
      const isThere = key === 'json' ? key in element : element[key] !== undefined;
      if (isThere && !isJson(element[key])) throw new Error(`A '${key}' property isn't an object [item ${index}]`);
    }
    return { ...element, json: element.json ?? {} };
  };

  /** The items of what code returned that runs once: objects of data, or items, but not both. */
  n8n.itemsOfCode = (value) => {
    if (value === null) return [];
    if (!n8n.isObject(value)) throw new Error(WRONG);
    const list = isArray(value) ? value : [value];
    for (const element of list) if (!isJson(element)) throw new Error(WRONG);
    const items = list.some(isItem)
      ? list.map((element, index) => toItem(element, index, isArray(value)))
      : list.map((json) => ({ json }));
    return n8n.completeOrigins([items])[0];
  };

  // The sandbox puts a line before the script, and the code begins in the second line of the script.
  const LINES_BEFORE = 2;
  /** The message of an error, with the line of the code, as n8n writes it. */
  const describe = (error) => {
    const message = n8n.describeError(error);
    const line = Number(/\bscript:(\d+)/.exec(error?.stack)?.[1]) - LINES_BEFORE;
    return line > 0 && error instanceof Error ? `${message} [line ${line}]` : message;
  };

  const isFailure = ({ json }) => isJson(json) && Object.keys(json).length === 1 && 'error' in json;
  const divide = (items, port) => ({
    [port]: items.filter((item) => !isFailure(item)),
    error: items.filter(isFailure),
  });

  /** Runs code once. If the node goes on after an error of the code, there is an item with the message. */
  const runOnce = async (run, toItems, onError, port) => {
    let items;
    try {
      const value = await run();
      try {
        items = toItems(value);
      } catch (error) {
        // A result that is wrong makes n8n pass the input on.
        if (onError === 'fail') throw error;
        items = n8n.received();
      }
    } catch (error) {
      if (onError === 'fail') throw error;
      const json = { error: describe(error) };
      const isKnown = onError === 'item' || n8n.received().length === 1;
      items = [{ json, ...(isKnown && { pairedItem: { item: 0 } }) }];
    }
    return onError === 'branch' ? divide(items, port) : items;
  };

  /** Runs code once. `onError` is as in `n8n.each`. */
  n8n.all = (run, onError = 'fail', port = 'out') => runOnce(run, n8n.itemsOfCode, onError, port);

  /**
   * Runs code for each item, one after the other. `onError` says what happens to an item whose code throws. With `item`, it becomes an
   * item with the message. With `branch`, it goes to the port `error` as `toFailed` makes it, and the result is a map of ports.
   */
  const runEach = async (run, toItem, toFailed, onError, port) => {
    const done = [];
    const failed = [];
    for (const [index, item] of n8n.received().entries()) {
      const origin = { pairedItem: { item: index } };
      try {
        const result = await n8n.withItem(index, async () => run(item));
        const made = toItem(result, item, index);
        if (made) done.push({ ...made, ...origin });
      } catch (error) {
        if (onError === 'fail') throw error;
        const json = { error: describe(error) };
        if (onError === 'item') done.push({ json, ...origin });
        else failed.push(toFailed(json, item, origin));
      }
    }
    return onError === 'branch' ? { [port]: done, error: failed } : done;
  };

  const itemOfResult = (result, _, index) => {
    if (!result) return undefined;
    const isItem = n8n.isObject(result) && ('json' in result || 'binary' in result);
    const json = isItem && !('json' in result) ? {} : isItem ? result.json : result;
    if (!isJson(json)) throw new Error(`A 'json' property isn't an object [item ${index}]`);
    return { json, ...(isItem && result.binary ? { binary: result.binary } : {}) };
  };

  // Code for each item that reads them all, outside of comments, is refused, as in n8n.
  const OF_ALL = /^(?!\s*(?:\/\/|\/?\*)).*\$input\.(all|first|last|itemMatching)/m;
  n8n.each = (run, onError = 'fail', port = 'out') => {
    const refused = OF_ALL.exec(String(run))?.[1];
    const runOf = () => {
      if (refused) throw new Error(`Can't use .${refused}() here`);
      return run();
    };
    const toFailed = (json, item, origin) => ({ json: { ...item.json, ...json }, ...origin });
    return runEach(runOf, itemOfResult, toFailed, onError, port);
  };

  const copied = (item) => ({ ...item, json: n8n.copy(item.json) });

  const itemsOfFunction = (value) => {
    if (!n8n.isObject(value)) throw new Error(WRONG);
    const list = isArray(value) ? value : [value];
    const items = list.every((element) => isJson(element) && 'json' in element) ? list : list.map((json) => ({ json }));
    for (const { json } of items) if (!n8n.isObject(json)) throw new Error('The json-property has to be an object!');
    return n8n.completeOrigins([items.map(({ json, binary, pairedItem }) => ({ json, binary, pairedItem }))])[0];
  };

  /** The node "Function": its code gets all items. */
  n8n.function = (run, onError = 'fail', port = 'out') =>
    runOnce(() => run(n8n.received().map(copied)), itemsOfFunction, onError, port);

  /** The node "Function Item": its code gets the data of one item, and returns data. The files stay. */
  n8n.functionItem = (run, onError = 'fail', port = 'out') => {
    const toItem = (json, item) => {
      if (json === undefined) throw new Error('No data got returned. Always an object has to be returned!');
      if (json === null) throw new TypeError('Cannot convert undefined or null to object');
      if (typeof json !== 'object') throw new Error('The data that the code returns must be an object.');
      return { ...item, json };
    };
    return runEach((item) => run(n8n.copy(item.json)), toItem, (json) => ({ json }), onError, port);
  };
})
