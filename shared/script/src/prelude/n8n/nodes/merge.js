// n8n's node "Merge".
(function (n8n) {
  'use strict';

  const { isArray } = Array;
  const isEmpty = (value) => value === undefined || value === null || value === '';
  const origins = (items) => items.map((item) => item.pairedItem);

  // --- Merging objects ---

  /** Puts the fields of `source` into `target`, as lodash does: lists are merged by position. */
  const putDeeply = (target, source, keepsFull) => {
    for (const key of Object.keys(source)) {
      const value = source[key];
      const old = target[key];
      if (key === '__proto__' || (keepsFull && isEmpty(value) && old !== undefined)) continue;
      if (isArray(value)) target[key] = putDeeply(isArray(old) ? old : [], value, keepsFull);
      else if (n8n.isPlain(value)) target[key] = putDeeply(n8n.isObject(old) ? old : {}, value, keepsFull);
      else if (value !== undefined || !(key in target)) target[key] = value;
    }
    return target;
  };
  const putFlat = (target, source, keepsFull) => {
    for (const key of Object.keys(source)) {
      if (!(keepsFull && isEmpty(source[key]) && target[key] !== undefined)) target[key] = source[key];
    }
    return target;
  };
  /** Merges objects. The last one wins. */
  const mergeObjects = (objects, { mergeMode = 'deepMerge', overrideEmpty = false, copies = false }) => {
    const put = mergeMode === 'deepMerge' ? putDeeply : putFlat;
    // Here n8n changes the input, so that the next merge of the same item starts with what was merged before.
    let result = overrideEmpty && !copies ? { ...objects[0] } : n8n.copy(objects[0]);
    for (const object of objects.slice(1)) result = put(result, n8n.copy(object), overrideEmpty);
    return result;
  };

  const withSuffix = (item, suffix) => ({
    ...item,
    json: Object.fromEntries(Object.entries(item.json).map(([key, value]) => [`${key}_${suffix}`, value])),
  });

  const mergeItems = (items, clash) => {
    const result = { json: mergeObjects(items.map((item) => item.json), clash), pairedItem: origins(items) };
    const files = items.filter((item) => item.binary).map((item) => item.binary);
    if (files.length > 0) result.binary = Object.assign({}, ...files);
    return result;
  };

  const preferredIndex = ({ resolveClash }, count) => {
    const match = /^preferInput(\d+)$/.exec(resolveClash);
    return match ? Number(match[1]) - 1 : count - 1;
  };

  /** One item from an item of each input. The preferred one comes last. */
  const combine = (items, clash) => {
    if (clash.resolveClash === 'addSuffix') return mergeItems(items.map((item, i) => withSuffix(item, i + 1)), clash);
    const index = preferredIndex(clash, items.length);
    return mergeItems([...items.filter((_, i) => i !== index), items[index]], clash);
  };

  // --- Combining ---

  /** The pairs of items with equal fields, and the items of both inputs that have no partner. */
  const match = (inputs, fields, { disableDotNotation, fuzzyCompare }, onlyFirst, version) => {
    const dots = !disableDotNotation;
    if (version < 2.1) {
      n8n.checkFields(inputs[0], fields, 'field1', dots, 'Input 1');
      n8n.checkFields(inputs[1], fields, 'field2', dots, 'Input 2');
    }
    const find = n8n.matcher(inputs[1], fields, { dots, fuzzy: fuzzyCompare });
    const found = new Set();
    const result = { matched: [], rest: [[], []], partners: [] };
    for (const item of inputs[0]) {
      let positions = find(item);
      if (onlyFirst) positions = positions.slice(0, 1);
      for (const position of positions) found.add(position);
      if (positions.length > 0) result.matched.push([item, positions.map((position) => inputs[1][position])]);
      else result.rest[0].push(item);
    }
    inputs[1].forEach((item, position) => (found.has(position) ? result.partners : result.rest[1]).push(item));
    return result;
  };

  const byFields = (fields, { joinMode = 'keepMatches', outputDataFrom = 'both', options = {} }, version) => {
    const clash = { resolveClash: joinMode === 'enrichInput2' ? 'preferInput1' : 'preferLast', ...options.clashHandling?.values };
    const hasPairs = joinMode === 'keepMatches' ? outputDataFrom === 'both' : joinMode !== 'keepNonMatches';
    const onlyFirst = hasPairs && options.multipleMatches === 'first';
    const inputs = [n8n.received(0), n8n.received(1)];
    const { matched, partners, rest } = match(inputs, fields, options, onlyFirst, version);
    // The items of one input alone stay as they are.
    const alone = inputs.some((items) => items.length === 0);
    const combined = () => matched.flatMap(([item, others]) => others.map((other) => combine([item, other], clash)));
    const unmatched = (input) =>
      clash.resolveClash === 'addSuffix' && !alone ? rest[input].map((item) => withSuffix(item, input + 1)) : rest[input];
    const marked = (input) =>
      alone ? rest[input] : rest[input].map((item) => ({ ...item, json: { ...item.json, _source: `input${input + 1}` } }));

    if (joinMode === 'keepMatches') {
      if (outputDataFrom === 'input1') return matched.map(([item]) => item);
      return outputDataFrom === 'input2' ? partners : combined();
    }
    if (joinMode === 'keepNonMatches') {
      if (outputDataFrom === 'both') return [...marked(0), ...marked(1)];
      return rest[outputDataFrom === 'input1' ? 0 : 1];
    }
    const kept = { keepEverything: [0, 1], enrichInput1: [0], enrichInput2: [1] }[joinMode];
    return [...combined(), ...kept.flatMap(unmatched)];
  };

  const byPosition = (version, includeUnpaired, clash) => {
    const inputs = n8n.inputs().map((_, input) => n8n.received(input));
    const lengths = inputs.map((items) => items.length);
    if (version < 3 && lengths.includes(0)) return inputs.flat();
    const length = includeUnpaired ? Math.max(...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, i) => {
      const items = inputs.map((input) => input[i]);
      const present = items.filter((item) => item);
      if (version < 3 && present.length === items.length) return combine(items, clash);
      const suffixed = clash.resolveClash === 'addSuffix';
      const parts = items.map((item, k) => item && (suffixed ? withSuffix(item, k + 1) : item)).filter((item) => item);
      if (version < 3) return parts[0];
      // Version 3 adds the preferred item again, without suffixes.
      const preferred = items[preferredIndex(clash, items.length)];
      return mergeItems(preferred ? [...parts, preferred] : parts, { ...clash, copies: true });
    });
  };

  const allPairs = (clash) => {
    const [first, second] = [n8n.received(0), n8n.received(1)];
    // The order of the pairs depends on which input is preferred.
    if (clash.resolveClash === 'preferInput1') return second.flatMap((other) => first.map((item) => combine([item, other], clash)));
    return first.flatMap((item) => second.map((other) => combine([item, other], clash)));
  };

  const emptyResult = (items) => [{ json: {}, pairedItem: origins(items) }];
  const everything = () => n8n.inputs().flatMap((_, input) => n8n.received(input));

  const mergeFromVersion2 = (parameters, version) => {
    const read = n8n.read(parameters, 0);
    const { mode = 'append', options = {} } = read;
    if (mode === 'append') return everything();
    if (mode === 'combineBySql') throw new Error('The mode "SQL Query" of Merge is not supported. Write the query as a code node.');
    if (mode === 'chooseBranch') {
      const { output = version < 3 ? 'input1' : 'specifiedInput', useDataOfInput = 1 } = read;
      if (output === 'empty') return emptyResult([...n8n.received(0), ...n8n.received(1)]);
      return n8n.received(Number(version < 3 ? output.slice(-1) : useDataOfInput) - 1);
    }

    const combineBy = version < 3 ? read.combinationMode ?? 'mergeByFields' : read.combineBy ?? 'combineByFields';
    const clash = { resolveClash: 'preferLast', ...options.clashHandling?.values };
    if (/ByPosition$/.test(combineBy)) return byPosition(version, options.includeUnpaired, clash);
    if (combineBy === 'multiplex' || combineBy === 'combineAll') return allPairs(clash);
    const simple = version >= 3 && !read.advanced;
    const fields = simple
      ? n8n.names(read.fieldsToMatchString).map((field) => ({ field1: field, field2: field }))
      : read.mergeByFields?.values ?? [];
    return byFields(fields, read, version);
  };

  // --- Version 1 ---

  const mergeByIndex = (join) => {
    const [first, second] = [n8n.received(0), n8n.received(1)];
    const lengths = [first.length, second.length];
    const length = { inner: Math.min(...lengths), left: lengths[0], outer: Math.max(...lengths) }[join];
    return Array.from({ length }, (_, i) => {
      if (!second[i]) return first[i];
      return first[i] ? mergeItems([first[i], second[i]], { mergeMode: 'shallowMerge' }) : second[i];
    });
  };

  const byKey = ({ mode, propertyName1, propertyName2, overwrite = 'always' }) => {
    // Values are compared as texts. Those of other types match nothing.
    const keyOf = (item, path) => {
      const value = n8n.getPath(item.json, path);
      return value === null || typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    };
    const others = new Map();
    for (const item of n8n.received(1)) {
      if (!isEmpty(n8n.getPath(item.json, propertyName2))) others.set(keyOf(item, propertyName2), item);
    }
    others.delete(undefined);
    const result = [];
    for (const item of n8n.received(0)) {
      const value = keyOf(item, propertyName1);
      const other = others.get(value);
      if (mode === 'keepKeyMatches' ? other : mode === 'removeKeyMatches' && !other) result.push(item);
      if (mode !== 'mergeByKey' || value === undefined) continue;
      const json = { ...item.json };
      for (const key of Object.keys(other?.json ?? {})) {
        const free = overwrite === 'blank' ? isEmpty(json[key]) : json[key] === undefined;
        if (key !== propertyName2 && (overwrite === 'always' || free)) json[key] = other.json[key];
      }
      result.push({ ...item, json });
    }
    return result;
  };

  const mergeVersion1 = (parameters) => {
    const { mode = 'append', join = 'left', output = 'input1', ...rest } = n8n.read(parameters, 0);
    if (mode === 'append') return everything();
    if (mode === 'mergeByIndex') return mergeByIndex(join);
    if (mode === 'multiplex') return allPairs({ mergeMode: 'shallowMerge' }).map(({ json, pairedItem }) => ({ json, pairedItem }));
    if (mode === 'passThrough') return n8n.received(output === 'input1' ? 0 : 1);
    if (mode === 'wait') return emptyResult(n8n.received(0));
    return byKey({ mode, ...rest });
  };

  n8n.merge = (parameters, version) => (version < 2 ? mergeVersion1(parameters) : mergeFromVersion2(parameters, version));
})
