// n8n's node "Item Lists", which became a node for each of its operations.
(function (n8n) {
  'use strict';

  /** The first versions have lists of names where the new nodes have a text. */
  const toNames = (value) => (n8n.isPlain(value) ? (value.fields ?? []).map(({ fieldName }) => fieldName) : value);
  const NAMES = ['fieldsToInclude', 'fieldsToExclude', 'fieldsToCompare'];

  const summarize = (parameters, version) => {
    const { fieldsToSummarize, options } = parameters;
    const values = (fieldsToSummarize?.values ?? []).map(({ includeEmpty, ...entry }) =>
      entry.aggregation === 'append' || entry.aggregation === 'concatenate' ? { includeEmpty, ...entry } : entry);
    return n8n.summarize({
      ...parameters,
      fieldsToSummarize: { values },
      options: { ...options, continueIfFieldNotFound: version >= 2.1 },
    }, 1, { onlyNumbers: version < 3, skipMissing: true, inKeyOrder: true, ...(version === 1 && { columnOf: (path) => path }) });
  };

  /** The older versions refuse what they cannot split. */
  const checkList = (version) => (field, value) => {
    if (value === undefined && version < 2.1) throw new Error(`Couldn't find the field '${field}' in the input data`);
    const fits = value === undefined || (version === 1 ? Array.isArray(value) : n8n.isObject(value));
    if (!fits) throw new Error(`The provided field '${field}' is not an array${version === 1 ? '' : ' or object'}`);
  };
  const split = (parameters, version) =>
    n8n.splitOut(parameters, 1, version < 2.2 ? { single: version === 1, check: checkList(version) } : {});

  const aggregate = (parameters, version) => {
    if (version < 2.1 && parameters.aggregate !== 'aggregateAllItemData') {
      const { fieldsToAggregate, options } = n8n.read(parameters, 0);
      for (const { fieldToAggregate: field } of fieldsToAggregate?.fieldToAggregate ?? []) {
        const isThere = (item) => n8n.getPath(item.json, field, !options?.disableDotNotation) !== undefined;
        if (!field || options?.keepMissing || n8n.received().some(isThere)) continue;
        throw new Error(`Couldn't find the field '${field}' in the input data`);
      }
    }
    const result = n8n.aggregate(parameters, 1);
    // The first version names only the first item as the origin of all data.
    if (version === 1 && parameters.aggregate === 'aggregateAllItemData') result[0].pairedItem = { item: 0 };
    return result;
  };

  n8n.itemLists = (parameters, version) => {
    const { operation = 'splitOutItems' } = parameters;
    const changed = { ...parameters };
    for (const key of NAMES) if (typeof changed[key] !== 'function') changed[key] = toNames(changed[key]);
    switch (operation) {
      case 'splitOutItems': return split(changed, version);
      case 'aggregateItems':
      case 'concatenateItems': return aggregate(changed, version);
      case 'removeDuplicates': return n8n.removeDuplicates(changed, version < 3 ? 1 : 1.1);
      case 'sort': return n8n.sort(changed, 1);
      case 'limit': return n8n.limit(changed, 1);
      case 'summarize': return summarize(changed, version);
      default: throw new Error(`The operation "${operation}" is not known.`);
    }
  };
})
