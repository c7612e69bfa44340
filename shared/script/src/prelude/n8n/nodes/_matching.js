// Finding the items of two lists that agree in some fields. Merge and Compare Datasets use it.
(function (n8n) {
  'use strict';

  const { isArray } = Array;
  const isBlank = (value) => value === null || value === '' || (isArray(value) && value.length === 0);
  const parsed = (text) => {
    if (!/^\s*[[{]/.test(text)) return undefined;
    const value = n8n.parseJson(text);
    return n8n.isObject(value) ? value : undefined;
  };

  /** Equality that ignores types: 1 equals "1" and true, and all empty values are equal. With `zeros`, null equals 0. */
  const isAlike = (a, b, zeros) => {
    if (a === undefined || b === undefined) return a === b || isBlank(a === undefined ? b : a);
    if (a !== null && b !== null && typeof a === typeof b) return n8n.isEqual(a, b) || (isBlank(a) && isBlank(b));
    if (isBlank(a) && isBlank(b)) return true;
    const [x, y] = typeof a > typeof b ? [b, a] : [a, b]; // boolean, number, object, string
    if (x === null || y === null) return zeros && [a, b].some((value) => value === 0 || value === '0');
    if (typeof x === 'number' && typeof y === 'string') return String(x) === y;
    if (typeof x === 'boolean' && typeof y === 'number') return y === (x ? 1 : 0);
    if (typeof x === 'boolean' && typeof y === 'string') return y === (x ? '1' : '0') || y.toLowerCase() === String(x);
    return typeof x === 'object' && typeof y === 'string' && n8n.isEqual(x, parsed(y));
  };

  /** Values that are alike have the same key. The reverse does not hold, so `isAlike` decides between them. */
  const ZERO = /^(?:|0|false|null|undefined|\[\s*\])$/i;
  const ONE = /^(?:1|true)$/i;
  const roughKey = (value) => {
    if (n8n.isObject(value)) return isBlank(value) ? 'zero' : n8n.identify(value);
    const text = String(value);
    if (ZERO.test(text.trim())) return 'zero';
    if (ONE.test(text.trim())) return 'one';
    const object = typeof value === 'string' ? parsed(value) : undefined;
    return object ? n8n.identify(object) : JSON.stringify(text);
  };

  /**
   * Matches items by pairs of fields. The result gives, for an item of the first list, the positions of its partners in `items`.
   * An item without one of the fields has no partner. In a fuzzy comparison, an empty value is the partner of such an item in `items`.
   */
  n8n.matcher = (items, pairs, { dots, fuzzy, zeros }) => {
    // Of two pairs with the same second field, n8n uses the last.
    const fields = [...new Map(pairs.map(({ field1, field2 }) => [field2, field1]))];
    const keyOf = (values) => values.map(fuzzy ? roughKey : n8n.identify).join(' ');
    const rows = items.map((item) => fields.map(([field2]) => n8n.getPath(item.json, field2, dots)));
    const index = new Map();
    rows.forEach((values, position) => {
      if (!fuzzy && values.includes(undefined)) return;
      const key = keyOf(values);
      if (!index.has(key)) index.set(key, []);
      index.get(key).push(position);
    });
    return (item) => {
      const values = fields.map(([, field1]) => n8n.getPath(item.json, field1, dots));
      if (values.includes(undefined)) return [];
      const candidates = index.get(keyOf(values)) ?? [];
      if (!fuzzy) return candidates;
      return candidates.filter((position) => values.every((value, i) => isAlike(value, rows[position][i], zeros)));
    };
  };

  /** Older versions refuse fields that no item of an input has. */
  n8n.checkFields = (items, pairs, key, dots, input) => {
    for (const { [key]: field } of pairs) {
      if (items.some((item) => n8n.getPath(item.json, field, dots) !== undefined)) continue;
      throw new Error(`Field '${field}' is not present in any of items in '${input}'`);
    }
  };

  n8n.isAlike = isAlike;
})
