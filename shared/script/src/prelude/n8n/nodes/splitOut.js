// n8n's node "Split Out": an item for each element of a list.
(function (n8n) {
  'use strict';

  /** The names of fields as users write them, also by dragging: `$json.a`. */
  const fieldNames = (text) => String(text ?? '').split(',').map((name) => name.trim().replace(/^\$json\./, ''));

  const elementsOf = (value) => {
    if (value === undefined) return [];
    return n8n.isObject(value) ? Object.values(value) : [value];
  };

  /** The parts of an item: each has one element of every list at `fields`. `names` are the new names of the fields. */
  const split = (item, fields, names, dots, spread) => {
    const parts = [];
    fields.forEach((field, k) => {
      const files = field === '$binary';
      const elements = files
        ? Object.entries(item.binary ?? {})
        : elementsOf(n8n.getPath(item.json, field, dots));
      elements.forEach((element, i) => {
        const part = (parts[i] ??= { json: {} });
        if (files) part.binary = { [element[0]]: element[1] };
        else if (spread && n8n.isObject(element)) Object.assign(part.json, element);
        else part.json[names[k] || field] = element;
      });
    });
    return parts;
  };

  /** `special` is how "Item Lists" differs: it knows one field only, or checks the values. */
  n8n.splitOut = (parameters, version, { single = false, check } = {}) => {
    const read = n8n.reader(parameters);
    const result = [];
    n8n.received().forEach((item, index) => {
      const { fieldToSplitOut, include = 'noOtherFields', fieldsToInclude = '', options = {} } = read(index);
      const fields = single ? [fieldToSplitOut] : fieldNames(fieldToSplitOut);
      const names = single ? [options.destinationFieldName].filter((name) => name) : n8n.names(options.destinationFieldName);
      if (names.length > 0 && names.length !== fields.length) {
        throw new Error('If multiple fields to split out are given, the same number of destination fields must be given');
      }
      const dots = !options.disableDotNotation;
      const spread = include === 'noOtherFields' && fields.length === 1 && names.length === 0;
      const wanted = include === 'selectedOtherFields' ? n8n.names(fieldsToInclude) : [];
      if (check) for (const field of fields) check(field, n8n.getPath(item.json, field, dots));
      let rest = {};
      if (include === 'allOtherFields') {
        rest = n8n.copy(item.json);
        for (const field of fields) n8n.deletePath(rest, field, dots);
      }
      for (const part of split(item, fields, names, dots, spread)) {
        if (include === 'allOtherFields') part.json = { ...rest, ...part.json };
        if (include === 'selectedOtherFields' && wanted.length === 0) throw new Error('No fields specified');
        for (const name of wanted) part.json[name] = n8n.getPath(item.json, name, dots);
        if (options.includeBinary && item.binary && !part.binary) part.binary = item.binary;
        part.pairedItem = item.pairedItem;
        result.push(part);
      }
    });
    return result;
  };
})
