// n8n's node "Summarize": a pivot table.
(function (n8n) {
  'use strict';

  const isEmpty = (value) => value === undefined || value === null || value === '';
  const toText = (value) => n8n.convert('string', value);
  const present = (values, { includeEmpty }) => (includeEmpty ? values : values.filter((value) => !isEmpty(value)));
  const numbers = (values) => values.filter((value) => typeof value === 'number');
  const total = (values) => numbers(values).reduce((sum, value) => sum + value, 0);
  const extreme = (values, isBetter) => {
    let best;
    for (const value of values) if (!isEmpty(value) && (best === undefined || isBetter(value, best))) best = value;
    return best ?? null;
  };

  const separatorOf = ({ separateBy = ',', customSeparator = '' }) => (separateBy === 'other' ? customSeparator : separateBy);
  const AGGREGATIONS = {
    append: { prefix: 'appended_', compute: present },
    average: { prefix: 'average_', compute: (values) => total(values) / numbers(values).length },
    concatenate: {
      prefix: 'concatenated_',
      compute: (values, entry) => present(values, entry).map(toText).join(separatorOf(entry)),
    },
    count: { prefix: 'count_', compute: (values, entry) => present(values, entry).length },
    countUnique: { prefix: 'unique_count_', compute: (values, entry) => new Set(present(values, entry)).size },
    max: { prefix: 'max_', compute: (values) => extreme(values, (value, best) => value > best) },
    min: { prefix: 'min_', compute: (values) => extreme(values, (value, best) => value < best) },
    sum: { prefix: 'sum_', compute: total },
  };

  /** A name of a column: a path without dots, brackets and spaces. */
  const columnOf = (path) => path.replace(/[\]["]/g, '').replace(/[ .]/g, '_');

  const summarize = (items, entries, { dots, columnOf, onlyNumbers }) => {
    const row = {};
    for (const entry of entries) {
      const { prefix, compute } = AGGREGATIONS[entry.aggregation ?? 'count'];
      const values = items.map((item) => n8n.getPath(item.json, entry.field, dots));
      const ofNumbers = onlyNumbers && (entry.aggregation === 'min' || entry.aggregation === 'max');
      row[prefix + columnOf(entry.field)] = compute(ofNumbers ? numbers(values) : values, entry);
    }
    return row;
  };

  /** The groups of items with the same value of a field, in the order of their first items. */
  const groupBy = (items, field, { dots, skipEmpty, skipMissing, inKeyOrder, version }) => {
    const groups = new Map();
    for (const item of items) {
      const value = n8n.getPath(item.json, field, dots);
      // Version 1 makes texts of all values, so "null" is not empty.
      const key = n8n.isObject(value) || version < 1.1 ? toText(value) : value;
      if (skipEmpty && ((typeof key !== 'number' && !key) || (skipMissing && value === undefined))) continue;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(item);
    }
    return inKeyOrder ? Object.entries(Object.fromEntries(groups)) : groups;
  };

  const toRows = (items, fields, entries, settings) => {
    if (fields.length === 0) {
      return [{ json: summarize(items, entries, settings), pairedItem: items.map((item) => item.pairedItem) }];
    }
    const rows = [];
    for (const [key, group] of groupBy(items, fields[0], settings)) {
      for (const row of toRows(group, fields.slice(1), entries, settings)) {
        row.json[settings.columnOf(fields[0])] = key;
        rows.push(row);
      }
    }
    return rows;
  };

  const toTree = (items, fields, entries, settings) => {
    if (fields.length === 0) return summarize(items, entries, settings);
    const tree = {};
    for (const [key, group] of groupBy(items, fields[0], settings)) {
      tree[key] = toTree(group, fields.slice(1), entries, settings);
    }
    return tree;
  };

  /** `special` is how "Item Lists" differs: names of columns, extremes of numbers only, which values are empty, and the order. */
  n8n.summarize = (parameters, version, special = {}) => {
    const items = n8n.received();
    const { fieldsToSummarize, fieldsToSplitBy = '', options = {} } = n8n.read(parameters, 0);
    const entries = (fieldsToSummarize?.values ?? []).filter(({ field }) => field);
    if (entries.length === 0) {
      throw new Error("You need to add at least one aggregation to 'Fields to Summarize' with non empty 'Field'");
    }
    const dots = !options.disableDotNotation;
    if (version < 1.1 && !options.continueIfFieldNotFound) {
      for (const { field } of entries) {
        if (items.some((item) => n8n.getPath(item.json, field, dots) !== undefined)) continue;
        throw new Error(`The field '${field}' does not exist in any items`);
      }
    }

    const fields = n8n.names(fieldsToSplitBy);
    const settings = { dots, skipEmpty: options.skipEmptySplitFields === true, version, columnOf, ...special };
    if (options.outputFormat !== 'singleItem') return toRows(items, fields, entries, settings);
    return [{ json: toTree(items, fields, entries, settings), pairedItem: items.map((item) => item.pairedItem) }];
  };
})
