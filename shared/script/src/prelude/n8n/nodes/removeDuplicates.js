// n8n's node "Remove Duplicates".
(function (n8n) {
  'use strict';

  /** The paths of all values inside an object. */
  const pathsOf = (value, path, paths) => {
    if (n8n.isObject(value) && !(value instanceof Date) && Object.keys(value).length > 0) {
      for (const key of Object.keys(value)) pathsOf(value[key], path === '' ? key : `${path}.${key}`, paths);
    } else if (path !== '') {
      paths.add(path);
    }
    return paths;
  };
  const keysOf = (items, dots) => {
    const keys = new Set();
    for (const { json } of items) {
      if (dots) pathsOf(json, '', keys);
      else for (const key of Object.keys(json)) keys.add(key);
    }
    return [...keys];
  };

  const fieldsToCompare = (items, { compare = 'allFields', fieldsToExclude, fieldsToCompare: chosen }, dots) => {
    if (compare === 'selectedFields') {
      const names = n8n.names(chosen);
      if (names.length === 0) throw new Error('No fields specified. Please add a field to compare on');
      return names;
    }
    if (compare === 'allFields') return keysOf(items, true);
    const excluded = n8n.names(fieldsToExclude);
    if (excluded.length === 0) throw new Error('No fields specified. Please add a field to exclude from comparison');
    // With paths, n8n knows only the fields of the first item here.
    return keysOf(dots ? items.slice(0, 1) : items, dots).filter((key) => !excluded.includes(key));
  };

  const compareRows = ({ values: a }, { values: b }) => {
    for (let i = 0; i < a.length; i++) if (!n8n.isEqual(a[i], b[i])) return n8n.isLess(a[i], b[i]) ? -1 : 1;
    return 0;
  };

  /** n8n refuses values of different types. */
  const checkTypes = (rows, keys, version) => {
    for (let k = 0; k < keys.length; k++) {
      let type;
      for (const { values } of rows) {
        const value = values[k];
        if (value === null && version > 1) continue;
        if (value === undefined) throw new Error(`'${keys[k]}' field is missing from some input items`);
        if (type !== undefined && type !== typeof value) throw new Error(`'${keys[k]}' isn't always the same type`);
        type = typeof value;
      }
    }
  };

  n8n.removeDuplicates = (parameters, version) => {
    const { operation = 'removeDuplicateInputItems', options = {}, ...rest } = n8n.read(parameters, 0);
    if (version >= 2 && operation !== 'removeDuplicateInputItems') {
      throw new Error('Duplicates of previous executions are not supported: there is no history of the items. Keep it in a table.');
    }
    const items = n8n.received();
    const all = (rest.compare ?? 'allFields') === 'allFields';
    const dots = all || !options.disableDotNotation;
    const keys = fieldsToCompare(items, rest, dots);
    const rows = items.map((item, index) => ({ index, values: keys.map((key) => n8n.getPath(item.json, key, dots)) }));
    const sorted = n8n.sorted(rows, compareRows);
    checkTypes(sorted, keys, version);

    // Equal items are neighbors now, and the first of them is the first in the input.
    const removed = new Set();
    let last = sorted[0];
    for (const row of sorted.slice(1)) {
      if (n8n.isEqual(row.values, last.values)) removed.add(row.index);
      else last = row;
    }
    const kept = items.filter((_, index) => !removed.has(index));
    if (all || !options.removeOtherFields) return kept;
    return kept.map((item, index) => {
      const json = {};
      for (const key of keys) {
        if (Object.hasOwn(item.json, key)) json[key] = item.json[key];
        else if (n8n.hasPath(item.json, key)) n8n.setPath(json, key, n8n.getPath(item.json, key));
      }
      return { json, pairedItem: { item: index } };
    });
  };
})
