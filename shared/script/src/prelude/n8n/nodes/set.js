// n8n's node "Edit Fields (Set)".
(function (n8n) {
  'use strict';

  const KINDS = ['boolean', 'number', 'string'];

  /** Versions 1 and 2: values by their type. */
  const setByKind = (parameters, version) => {
    const read = n8n.reader(parameters);
    return n8n.attemptEach((item, index) => {
      const { keepOnlySet = false, values = {}, options = {} } = read(index);
      const dots = options.dotNotation !== false;
      const result = { json: {}, pairedItem: item.pairedItem };
      if (keepOnlySet !== true) {
        result.json = n8n.copy(item.json);
        if (item.binary !== undefined) result.binary = { ...item.binary };
      }
      for (const kind of KINDS) {
        for (const field of values[kind] ?? []) {
          const value = 'value' in field ? field.value : DEFAULTS[kind];
          n8n.setPath(result.json, field.name ?? 'propertyName', readValue(kind, value, version), dots);
        }
      }
      return [result];
    });
  };
  const DEFAULTS = { boolean: false, number: 0, string: '' };
  const readValue = (kind, value, version) => {
    if (kind === 'boolean') return Boolean(value);
    if (kind !== 'number' || version === 1 || typeof value !== 'string') return value;
    const number = Number(value);
    return number === number ? number : value;
  };

  // --- Version 3 ---

  const brackets = /^\[(?:'.*'|".*")\]$/;
  /** Also without paths, n8n reads `["a"]` as the key `a`, except if there is a key with this very name. */
  const plainKey = (object, key, dots) =>
    !dots && brackets.test(key) && object[key] === undefined ? key.slice(2, -2) : key;

  const choose = (json, include, names, dots) => {
    if (include === 'none') return {};
    if (include === 'selected') {
      const result = {};
      for (const name of names) {
        const key = plainKey(json, name, dots);
        const value = n8n.getPath(json, key, dots);
        if (value === undefined) continue;
        n8n.setPath(result, dots ? name.split('.').pop() : key, n8n.copy(value), dots);
      }
      return result;
    }
    const result = n8n.copy(json);
    if (include === 'except') for (const name of names) n8n.deletePath(result, plainKey(json, name, dots), dots);
    return result;
  };

  const convert = (name, type, value, index, settings) => {
    if (value === undefined || value === null) {
      if (settings.version >= 3.2 || type !== 'string') return null;
      // The first versions made texts of these, or refused them.
      if (settings.version === 3) return String(value);
      if (settings.loose) return null;
    } else {
      const converted = n8n.convert(type, value);
      if (converted !== n8n.FAILED) return converted;
      if (settings.loose) return value;
    }
    throw new Error(`'${name}' expects a ${type} but we got ${n8n.describeValue(value)} [item ${index}]`);
  };

  const setFields = (fields, item, index, settings, result) => {
    // A name that occurs twice keeps its first place, and gets its last value.
    const values = new Map();
    for (const { name, type, value } of fields) {
      if (type !== 'binary') {
        values.set(name, convert(name, type, value, index, settings));
        continue;
      }
      const file = n8n.isObject(value) ? value : item.binary?.[value];
      if (file === undefined) throw new Error(`The item has no binary field '${value}' [item ${index}]`);
      result.binary = { ...result.binary, [name]: file };
    }
    return values;
  };

  /** An object that is written as JSON. `place` names the field in messages. */
  const parseObject = (value, place, index) => {
    let object = value;
    if (typeof value === 'string') {
      object = n8n.parseLoosely(value);
      if (object === n8n.FAILED) throw new Error(`${place} in item ${index} contains invalid JSON`);
    }
    if (object !== null && !n8n.isPlain(object)) throw new Error(`${place} in item ${index} does not contain a valid JSON object`);
    return object;
  };

  /** The fields of the versions 3.0 to 3.2 have their value in a key with the name of the type. */
  const oldFields = (fields, index) =>
    (fields?.values ?? []).map(({ name = '', type = 'stringValue', ...rest }) => {
      const value = type in rest ? rest[type] : { booleanValue: 'true', objectValue: '{}' }[type] ?? '';
      if (type !== 'objectValue') return { name, type: type.replace('Value', ''), value };
      return { name, type: 'object', value: parseObject(value, `The entry "${name}" inside 'Fields to Set'`, index) };
    });

  const EXAMPLE = '{ "my_field_1": "value", "my_field_2": 1 }';

  const setFromVersion3 = (parameters, version) => {
    const { mode = 'manual' } = parameters;
    const fields = version < 3.3 ? n8n.reader(parameters.fields) : n8n.reader(parameters.assignments);
    const rest = n8n.reader({ ...parameters, fields: undefined, assignments: undefined, jsonOutput: undefined });
    const output = n8n.reader(parameters.jsonOutput, EXAMPLE);

    return n8n.attemptEach((item, index) => {
      const { options = {}, includeOtherFields = false, include = 'all', includeFields = '', excludeFields = '' } = rest(index);
      const dots = options.dotNotation !== false;
      const chosen = version >= 3.3 && !includeOtherFields ? 'none' : include;
      const names = n8n.names(chosen === 'selected' ? includeFields : excludeFields);
      const result = { json: {}, pairedItem: item.pairedItem };

      const keepsFiles = version >= 3.4 ? chosen !== 'none' && !options.stripBinary : options.includeBinary === true;
      if (keepsFiles && item.binary !== undefined) result.binary = { ...item.binary };

      result.json = choose(item.json, chosen, names, dots);
      let values;
      if (mode === 'raw') {
        values = Object.entries(parseObject(output(index) ?? null, "The 'JSON Output'", index));
      } else {
        const list = version < 3.3 ? oldFields(fields(index), index) : fields(index)?.assignments ?? [];
        values = setFields(list, item, index, { version, loose: options.ignoreConversionErrors === true }, result);
      }
      for (const [key, value] of values) n8n.setPath(result.json, plainKey(result.json, key, dots), value, dots);
      return [result];
    });
  };

  n8n.set = (parameters, version) =>
    version < 3 ? setByKind(parameters, version) : setFromVersion3(parameters, version);
})
