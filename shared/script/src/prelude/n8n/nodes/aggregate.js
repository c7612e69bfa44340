// n8n's node "Aggregate": one item from all items.
(function (n8n) {
  'use strict';

  const isMissing = (value) => value === null || value === undefined;

  const aggregateFields = (items, fields, { disableDotNotation, mergeLists, keepMissing }) => {
    const dots = !disableDotNotation;
    const json = {};
    const used = new Set();
    for (const { fieldToAggregate: field, renameField, outputFieldName } of fields) {
      if (!field) throw new Error('Field to aggregate is blank');
      let name = renameField ? outputFieldName : field;
      if (used.has(name)) throw new Error(`The '${name}' output field is used more than once`);
      used.add(name);
      if (!renameField && dots) name = field.split('.').pop();

      const values = [];
      for (const item of items) {
        let value = n8n.getPath(item.json, field, dots);
        if (!keepMissing) {
          if (Array.isArray(value)) value = value.filter((element) => element !== null);
          else if (isMissing(value)) continue;
        }
        if (mergeLists && Array.isArray(value)) for (const element of value) values.push(element);
        else values.push(value ?? null);
      }
      n8n.setPath(json, name, values, dots);
    }
    return json;
  };

  /** The items with the chosen fields. An item that has none of them is left out. */
  const choose = (items, { include = 'allFields', fieldsToInclude, fieldsToExclude }) => {
    const names = n8n.names(include === 'specifiedFields' ? fieldsToInclude : fieldsToExclude);
    if (include === 'allFields' || names.length === 0) return items;
    const keeps = include === 'specifiedFields' ? (key) => names.includes(key) : (key) => !names.includes(key);
    return items
      .map((item) => ({ ...item, json: Object.fromEntries(Object.entries(item.json).filter(([key]) => keeps(key))) }))
      .filter(({ json }) => Object.keys(json).length > 0);
  };

  /** n8n treats two files as the same if these properties are equal. */
  const kindOf = ({ contentType, base64 = '', name = '' }) =>
    n8n.identify([contentType, base64.length, name.slice(name.lastIndexOf('.') + 1)]);

  /** The files of all items, which get new names if they clash. */
  const collectFiles = (items, unique) => {
    const files = {};
    const seen = new Set();
    for (const item of items) {
      for (const [name, file] of Object.entries(item.binary ?? {})) {
        const kind = kindOf(file);
        if (unique && seen.has(kind)) continue;
        seen.add(kind);
        let free = name;
        for (let i = 1; Object.hasOwn(files, free); i++) free = `${name}_${i}`;
        files[free] = file;
      }
    }
    return files;
  };

  n8n.aggregate = (parameters) => {
    let items = n8n.received();
    const read = n8n.read(parameters, 0);
    const { aggregate = 'aggregateIndividualFields', destinationFieldName = 'data', options = {} } = read;
    let json;
    if (aggregate === 'aggregateIndividualFields') {
      const fields = read.fieldsToAggregate?.fieldToAggregate ?? [];
      if (fields.length === 0) throw new Error('No fields specified');
      json = aggregateFields(items, fields, options);
    } else {
      items = choose(items, read);
      json = { [destinationFieldName]: items.map((item) => item.json) };
    }
    const result = { json, pairedItem: items.map((item) => item.pairedItem) };
    if (options.includeBinaries) {
      const binary = collectFiles(items, options.keepOnlyUnique);
      if (Object.keys(binary).length > 0) result.binary = binary;
    }
    return [result];
  };
})
