// The node of n8n before its operations became nodes of their own, with the same parameters.
(function (n8n) {
  'use strict';

  const OPERATIONS = {
    splitOutItems: 'splitOut',
    aggregateItems: 'aggregate',
    concatenateItems: 'aggregate',
    limit: 'limit',
    removeDuplicates: 'removeDuplicates',
    sort: 'sort',
    summarize: 'summarize',
  };
  // Old versions have a list of the names of fields.
  const toNames = (value) => (Array.isArray(value?.fields) ? value.fields.map(({ fieldName }) => fieldName).join(',') : value);

  n8n.itemLists = (parameters) => {
    const { operation = 'splitOutItems' } = parameters;
    if (!Object.hasOwn(OPERATIONS, operation)) throw new Error(`The operation "${operation}" is not supported`);
    const changed = { ...parameters };
    for (const name of ['fieldsToInclude', 'fieldsToExclude', 'fieldsToCompare']) {
      if (Object.hasOwn(changed, name)) changed[name] = toNames(changed[name]);
    }
    return n8n[OPERATIONS[operation]](changed, 1);
  };
})
