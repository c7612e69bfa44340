// n8n's node "Rename Keys".
(function (n8n) {
  'use strict';

  /** Renames keys in place: a key with a new name moves to the end. */
  const renameByPattern = (value, pattern, replacement, depth) => {
    if (!n8n.isObject(value) || depth < 0) return;
    for (const key of Object.keys(value)) {
      const child = value[key];
      const name = Array.isArray(value) ? key : key.replace(pattern, replacement);
      if (name !== key) {
        delete value[key];
        value[name] = child;
      }
      renameByPattern(child, pattern, replacement, depth - 1);
    }
  };

  n8n.renameKeys = (parameters) => {
    const read = n8n.reader(parameters);
    return n8n.received().map((item, index) => {
      const { keys, additionalOptions = {} } = read(index);
      const json = n8n.copy(item.json);
      for (const { currentKey = '', newKey = '' } of keys?.key ?? []) {
        // The values are those of the input: earlier renames do not change them.
        const value = n8n.copy(n8n.getPath(item.json, currentKey));
        if (currentKey === '' || newKey === '' || currentKey === newKey || value === undefined) continue;
        n8n.setPath(json, newKey, value);
        n8n.deletePath(json, currentKey);
      }
      for (const { searchRegex = '', replaceRegex = '', options = {} } of additionalOptions.regexReplacement?.replacements ?? []) {
        const { caseInsensitive = false, depth = -1 } = options;
        const pattern = new RegExp(searchRegex, caseInsensitive ? 'i' : '');
        renameByPattern(json, pattern, replaceRegex, depth === -1 ? Infinity : depth);
      }
      return { ...item, json };
    });
  };
})
