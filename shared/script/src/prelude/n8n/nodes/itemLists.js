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
      options: { ...options, continueIfFieldNotFound: version >= 2 },
    }, 1);
  };

  n8n.itemLists = (parameters, version) => {
    const { operation = 'splitOutItems' } = parameters;
    const changed = { ...parameters };
    for (const key of NAMES) if (typeof changed[key] !== 'function') changed[key] = toNames(changed[key]);
    switch (operation) {
      case 'splitOutItems': return n8n.splitOut(changed, 1);
      case 'aggregateItems':
      case 'concatenateItems': return n8n.aggregate(changed, 1);
      case 'removeDuplicates': return n8n.removeDuplicates(changed, version < 3 ? 1 : 1.1);
      case 'sort': return n8n.sort(changed, 1);
      case 'limit': return n8n.limit(changed, 1);
      case 'summarize': return summarize(changed, version);
      default: throw new Error(`The operation "${operation}" is not known.`);
    }
  };
})
