// n8n's node "Compare Datasets". Its ports are "0" only in A, "1" the same, "2" different, "3" only in B.
(function (n8n) {
  'use strict';

  const without = (json, names, dots) => {
    const result = n8n.copy(json);
    for (const name of names) n8n.deletePath(result, name, dots);
    return result;
  };

  const isSame = (a, b, { skipped, dots, fuzzy, equals }) => {
    const [left, right] = [without(a, skipped, dots), without(b, skipped, dots)];
    // A fuzzy comparison ignores the fields that only B has.
    return fuzzy ? Object.keys(left).every((key) => equals(left[key], right[key])) : n8n.isEqual(left, right);
  };

  /** What is the same in two items, and what differs. */
  const report = (itemA, itemB, { skipped, dots, fields, equals, version }) => {
    const json = { keys: {}, same: {}, different: {} };
    for (const { field1 } of fields) json.keys[field1] = itemA.json[field1];
    const both = version === 1
      ? (a, b) => ({ input1: a || null, input2: b || null })
      : (a, b) => ({ inputA: a ?? null, inputB: b ?? null });
    const [a, b] = [itemA.json, itemB.json];
    const [left, right] = version <= 2 ? [a, b] : [without(a, skipped, dots), without(b, skipped, dots)];

    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const missing = a[key] === undefined || b[key] === undefined;
      if (!(missing && version <= 2) && equals(a[key], b[key])) {
        json.same[key] = a[key];
      } else if (skipped.includes(key)) {
        (json.skipped ??= {})[key] = both(a[key], b[key]);
      } else {
        const inside = version <= 2 ? [] : skipped.filter((name) => name.startsWith(`${key}.`));
        const pick = (object) => {
          const part = {};
          for (const name of inside) {
            const value = n8n.getPath(object, name);
            if (value !== undefined) n8n.setPath(part, name, value);
          }
          return part[key] ?? {};
        };
        if (inside.length > 0) (json.skipped ??= {})[key] = both(pick(a), pick(b));
        if (inside.length === 0 || !equals(left[key], right[key])) json.different[key] = both(left[key], right[key]);
      }
    }
    return { json, pairedItem: [itemA.pairedItem, itemB.pairedItem] };
  };

  /** Gives an item some fields of another. With several partners, n8n changes the same object each time. */
  const mixInto = (item, other, except, dots) => {
    for (const name of except) {
      const value = n8n.getPath(other.json, name, dots);
      item.json[name] = dots ? value ?? null : value;
    }
    return item;
  };

  n8n.compareDatasets = (parameters, version) => {
    const read = n8n.read(parameters, 0);
    const { options = {}, preferWhenMix = 'input1', exceptWhenMix = '' } = read;
    const fields = read.mergeByFields?.values ?? [];
    const resolve = read.resolve ?? (version <= 2 ? 'preferInput2' : 'includeBoth');
    const fuzzy = version === 1 ? options.fuzzyCompare : read.fuzzyCompare;
    const dots = !options.disableDotNotation;
    const skipped = n8n.names(options.skipFields);
    // Items without any field are left out.
    const [first, second] = [0, 1].map((input) => n8n.received(input).filter(({ json }) => Object.keys(json).length > 0));
    if (version < 2.2) {
      if (first.length > 0) n8n.checkFields(first, fields, 'field1', dots, 'Input A');
      if (second.length > 0) n8n.checkFields(second, fields, 'field2', dots, 'Input B');
    }
    const dotted = dots ? undefined : skipped.find((name) => name.includes('.'));
    if (dotted) throw new Error(`Dot notation is disabled, but field to skip comparing '${dotted}' contains dot`);
    const zeros = version >= 2;
    const equals = fuzzy ? (a, b) => n8n.isAlike(a, b, zeros) : n8n.isEqual;
    const settings = { skipped, dots, fields, fuzzy, equals, version };

    const find = n8n.matcher(second, fields, { dots, fuzzy, zeros });
    const ports = { 0: [], 1: [], 2: [], 3: [] };
    const found = new Set();
    const mixed = new Map();
    for (const itemA of first) {
      let positions = find(itemA);
      if (options.multipleMatches !== 'all') positions = positions.slice(0, 1);
      if (positions.length === 0) ports[0].push(itemA);
      let hasSame = false;
      for (const position of positions) {
        found.add(position);
        const itemB = second[position];
        if (isSame(itemA.json, itemB.json, settings)) {
          // An item of A is the same only once.
          if (!hasSame) ports[1].push(fuzzy && resolve === 'preferInput2' ? itemB : itemA);
          hasSame = true;
        } else if (resolve === 'includeBoth') ports[2].push(report(itemA, itemB, settings));
        else if (resolve === 'mix') {
          const [preferred, other] = preferWhenMix === 'input1' ? [itemA, itemB] : [itemB, itemA];
          if (!mixed.has(preferred)) mixed.set(preferred, { ...preferred, json: n8n.copy(preferred.json) });
          ports[2].push(mixInto(mixed.get(preferred), other, n8n.names(exceptWhenMix), dots));
        } else ports[2].push(resolve === 'preferInput1' ? itemA : itemB);
      }
    }
    ports[3] = second.filter((_, position) => !found.has(position));
    return ports;
  };
})
