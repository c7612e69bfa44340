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
  const report = (itemA, itemB, { skipped, fields, equals, version }) => {
    const json = { keys: {}, same: {}, different: {} };
    for (const { field1 } of fields) json.keys[field1] = itemA.json[field1];
    const [a, b] = [itemA.json, itemB.json];
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (equals(a[key], b[key])) {
        json.same[key] = a[key];
        continue;
      }
      const part = skipped.includes(key) ? (json.skipped ??= {}) : json.different;
      part[key] = version === 1
        ? { input1: a[key] || null, input2: b[key] || null }
        : { inputA: a[key] ?? null, inputB: b[key] ?? null };
    }
    return { json, pairedItem: [itemA.pairedItem, itemB.pairedItem] };
  };

  /** The fields of one item, except some that come from the other. */
  const mix = (preferred, other, except, { dots, fuzzy }) => {
    const json = n8n.copy(preferred.json);
    for (const name of except) {
      const value = n8n.getPath(other.json, name, dots);
      if (value !== undefined || fuzzy) n8n.setPath(json, name, value ?? null, dots);
    }
    return { ...preferred, json };
  };

  n8n.compareDatasets = (parameters, version) => {
    const read = n8n.read(parameters, 0);
    const { options = {}, preferWhenMix = 'input1', exceptWhenMix = '' } = read;
    const fields = read.mergeByFields?.values ?? [];
    const resolve = read.resolve ?? (version <= 2 ? 'preferInput2' : 'includeBoth');
    const fuzzy = version === 1 ? options.fuzzyCompare : read.fuzzyCompare;
    const dots = !options.disableDotNotation;
    const skipped = n8n.names(options.skipFields);
    const [first, second] = [n8n.received(0), n8n.received(1)];
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
    for (const itemA of first) {
      let positions = find(itemA);
      if (options.multipleMatches !== 'all') positions = positions.slice(0, 1);
      if (positions.length === 0) ports[0].push(itemA);
      for (const position of positions) {
        found.add(position);
        const itemB = second[position];
        if (isSame(itemA.json, itemB.json, settings)) ports[1].push(resolve === 'preferInput2' ? itemB : itemA);
        else if (resolve === 'includeBoth') ports[2].push(report(itemA, itemB, settings));
        else if (resolve === 'mix') {
          const [preferred, other] = preferWhenMix === 'input1' ? [itemA, itemB] : [itemB, itemA];
          ports[2].push(mix(preferred, other, n8n.names(exceptWhenMix), settings));
        } else ports[2].push(resolve === 'preferInput1' ? itemA : itemB);
      }
    }
    ports[3] = second.filter((_, position) => !found.has(position));
    // Items without any field are left out.
    for (const port of [0, 3]) ports[port] = ports[port].filter(({ json }) => Object.keys(json).length > 0);
    return ports;
  };
})
