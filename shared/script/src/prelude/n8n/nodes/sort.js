// n8n's node "Sort".
(function (n8n) {
  'use strict';

  /** Where the next item belongs among the first `end` sorted ones. */
  const findPlace = (items, end, item, compare) => {
    let left = 0;
    let right = end;
    while (left < right) {
      const middle = (left + right) >> 1;
      if (compare(item, items[middle]) < 0) right = middle;
      else left = middle + 1;
    }
    return left;
  };

  /** The length of the sorted run at the start. A descending run is reversed. */
  const sortRun = (items, compare) => {
    if (items.length < 2) return items.length;
    const isDescending = compare(items[1], items[0]) < 0;
    let end = 2;
    while (end < items.length && compare(items[end], items[end - 1]) < 0 === isDescending) end++;
    if (isDescending) items.splice(0, end, ...items.slice(0, end).reverse());
    return end;
  };

  const merge = (left, right, compare) => {
    const result = [];
    let i = 0;
    let j = 0;
    while (i < left.length && j < right.length) result.push(compare(right[j], left[i]) < 0 ? right[j++] : left[i++]);
    while (i < left.length) result.push(left[i++]);
    while (j < right.length) result.push(right[j++]);
    return result;
  };

  /**
   * A stable sort. Values of different types have no order, so the result depends on which pairs are compared: these are
   * the pairs that the engine of n8n compares in lists of up to 63 items.
   */
  n8n.sorted = (items, compare) => {
    if (items.length < 64) {
      const sorted = [...items];
      for (let end = sortRun(sorted, compare); end < sorted.length; end++) {
        const place = findPlace(sorted, end, sorted[end], compare);
        sorted.splice(place, 0, ...sorted.splice(end, 1));
      }
      return sorted;
    }
    const middle = items.length >> 1;
    return merge(n8n.sorted(items.slice(0, middle), compare), n8n.sorted(items.slice(middle), compare), compare);
  };

  const sortByFields = (items, fields, dots) => {
    if (fields.length === 0) throw new Error('No sorting specified. Please add a field to sort by');
    for (const { fieldName } of fields) {
      if (items.every((item) => n8n.getPath(item.json, fieldName, dots) === undefined)) {
        throw new Error(`Couldn't find the field '${fieldName}' in the input data`);
      }
    }
    // The values of each item are read once.
    const rows = items.map((item) => ({
      item,
      values: fields.map(({ fieldName }) => {
        const value = n8n.getPath(item.json, fieldName, dots);
        return typeof value === 'string' ? value.toLowerCase() : value;
      }),
    }));
    const signs = fields.map(({ order }) => (order === 'descending' ? -1 : 1));
    const compare = (a, b) => {
      for (let i = 0; i < signs.length; i++) {
        if (!n8n.isEqual(a.values[i], b.values[i])) return n8n.isLess(a.values[i], b.values[i]) ? -signs[i] : signs[i];
      }
      return 0;
    };
    return n8n.sorted(rows, compare).map(({ item }) => item);
  };

  const shuffle = (items) => {
    for (let i = items.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  };

  /** `code` is a function of two items: the code of the user. */
  n8n.sort = ({ code, ...parameters }) => {
    const items = n8n.received();
    const { type = 'simple', sortFieldsUi, options = {} } = n8n.read(parameters, 0);
    if (type === 'random') return shuffle(items);
    if (type === 'code') {
      if (!/\breturn\b/.test(String(code))) {
        throw new Error("Sort code doesn't return. Please add a 'return' statement to your code");
      }
      return n8n.sorted(items, code);
    }
    return sortByFields(items, sortFieldsUi?.sortField ?? [], !options.disableDotNotation);
  };
})
