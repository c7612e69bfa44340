// JMESPath, the query language for JSON of n8n's `$jmespath`. A query is parsed by operator precedence into functions.
(function (n8n) {
  'use strict';

  const { Array, Error, JSON, Math, Number, Object, String } = globalThis;
  const { isArray } = Array;
  const { hasOwn } = Object;
  const isMap = (value) => typeof value === 'object' && value !== null && !isArray(value);
  const refuse = (message) => {
    throw new Error(message);
  };

  // --- Tokens: [kind, value, place] ---

  const TOKEN = /\s*(?:([A-Za-z_]\w*)|(-?\d+)|("(?:[^"\\]|\\.)*")|('(?:[^'\\]|\\.)*')|(`(?:[^`\\]|\\.)*`)|(\[\?|\[\]|\|\||&&|[=!<>]=|[.*,:{}[\]()|&!<>@])|$)/sy;

  const readLiteral = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      // A word without quotes is a text.
      return JSON.parse('"' + text.trim() + '"');
    }
  };
  const readTokens = (query) => {
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < query.length) {
      const at = TOKEN.lastIndex;
      const match = TOKEN.exec(query);
      if (match === null) refuse('Unknown character: ' + query.slice(at).trimStart()[0]);
      const [, name, number, quoted, raw, literal, sign] = match;
      if (name !== undefined) tokens.push(['name', name, at]);
      else if (number !== undefined) tokens.push(['number', Number(number), at]);
      else if (quoted !== undefined) tokens.push(['quoted', JSON.parse(quoted), at]);
      else if (raw !== undefined) tokens.push(['literal', raw.slice(1, -1).replaceAll("\\'", "'"), at]);
      else if (literal !== undefined) tokens.push(['literal', readLiteral(literal.slice(1, -1).replaceAll('\\`', '`')), at]);
      else if (sign !== undefined) tokens.push([sign, sign, at]);
    }
    tokens.push(['end', '', query.length]);
    return tokens;
  };

  // --- Values ---

  const isFalse = (value) =>
    value === '' || value === false || value === null || value === undefined ||
    (typeof value === 'object' && (isArray(value) ? value.length === 0 : Object.keys(value).length === 0));
  const isEqual = (a, b) => {
    if (a === b) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || isArray(a) !== isArray(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    for (const name of names) if (!hasOwn(b, name) || !isEqual(a[name], b[name])) return false;
    return true;
  };
  const field = (value, name) => (isMap(value) && value[name] !== undefined ? value[name] : null);
  const project = (list, right) => {
    if (!isArray(list)) return null;
    const found = [];
    for (const value of list) {
      const result = right(value);
      if (result !== null) found.push(result);
    }
    return found;
  };
  const flatten = (list) => {
    if (!isArray(list)) return null;
    const flat = [];
    for (const value of list) {
      if (isArray(value)) for (const inner of value) flat.push(inner);
      else flat.push(value);
    }
    return flat;
  };
  const slice = (list, [start, stop, step = 1]) => {
    if (!isArray(list)) return null;
    if (step === 0) refuse('Invalid slice, step cannot be 0');
    const size = list.length;
    const clamp = (at) => (at < 0 ? Math.max(at + size, step < 0 ? -1 : 0) : Math.min(at, step < 0 ? size - 1 : size));
    const from = start === undefined ? (step < 0 ? size - 1 : 0) : clamp(start);
    const to = stop === undefined ? (step < 0 ? -1 : size) : clamp(stop);
    const part = [];
    for (let i = from; step > 0 ? i < to : i > to; i += step) part.push(list[i]);
    return part;
  };

  // --- Functions ---

  const typeOf = (value) => {
    if (value === null || value === undefined) return 'null';
    return isArray(value) ? 'array' : typeof value === 'function' ? 'expref' : typeof value;
  };
  const isListOf = (value, type) => isArray(value) && value.every((each) => typeOf(each) === type);
  // Whether a value has a type of a signature, such as `number[]`.
  const isOfType = (value, type) =>
    type === 'any' || (type.endsWith('[]') ? isListOf(value, type.slice(0, -2)) : typeOf(value) === type);
  const compare = (a, b) => (a > b ? 1 : a < b ? -1 : 0);
  const sum = (list) => list.reduce((total, each) => total + each, 0);
  // The largest element, or the smallest one if the sign is negative.
  const extreme = (list, sign) => {
    if (list.length === 0) return null;
    return list.reduce((best, each) => (sign * compare(each, best) > 0 ? each : best));
  };
  const readKeys = (list, key, name) => {
    const keys = list.map(key);
    const type = keys.length > 0 ? typeOf(keys[0]) : 'number';
    if (type !== 'number' && type !== 'string') refuse('TypeError: expected number or string, received ' + type);
    for (const each of keys) if (typeOf(each) !== type) refuse(`TypeError: ${name} expected ${type}, received ${typeOf(each)}`);
    return keys;
  };
  const extremeBy = (list, key, sign, name) => {
    const keys = readKeys(list, key, name);
    let best = 0;
    for (let i = 1; i < keys.length; i++) if (sign * compare(keys[i], keys[best]) > 0) best = i;
    return list[best];
  };

  // Name: [function, types of the arguments]. With `...`, more arguments of any type may follow.
  const FUNCTIONS = {
    __proto__: null,
    abs: [Math.abs, 'number'],
    avg: [(list) => sum(list) / list.length, 'number[]'],
    ceil: [Math.ceil, 'number'],
    contains: [(whole, part) => whole.includes(part), 'string|array', 'any'],
    ends_with: [(text, end) => text.endsWith(end), 'string', 'string'],
    floor: [Math.floor, 'number'],
    join: [(glue, list) => list.join(glue), 'string', 'string[]'],
    keys: [Object.keys, 'object'],
    length: [(value) => (isMap(value) ? Object.keys(value).length : value.length), 'string|array|object'],
    map: [(right, list) => list.map(right), 'expref', 'array'],
    max: [(list) => extreme(list, 1), 'number[]|string[]'],
    max_by: [(list, key) => extremeBy(list, key, 1, 'max_by'), 'array', 'expref'],
    merge: [(...maps) => Object.assign({}, ...maps), '...object'],
    min: [(list) => extreme(list, -1), 'number[]|string[]'],
    min_by: [(list, key) => extremeBy(list, key, -1, 'min_by'), 'array', 'expref'],
    not_null: [(...values) => values.find((value) => value !== null) ?? null, '...any'],
    reverse: [(value) => (isArray(value) ? [...value].reverse() : value.split('').reverse().join('')), 'string|array'],
    sort: [(list) => [...list].sort(compare), 'string[]|number[]'],
    sort_by: [(list, key) => {
      const keys = readKeys(list, key, 'sort_by');
      return list.map((_, i) => i).sort((a, b) => compare(keys[a], keys[b]) || a - b).map((i) => list[i]);
    }, 'array', 'expref'],
    starts_with: [(text, start) => text.startsWith(start), 'string', 'string'],
    sum: [sum, 'number[]'],
    to_array: [(value) => (isArray(value) ? value : [value]), 'any'],
    to_number: [(value) => {
      const number = typeof value === 'string' ? +value : value;
      return typeof number === 'number' && number === number ? number : null;
    }, 'any'],
    to_string: [(value) => (typeof value === 'string' ? value : JSON.stringify(value)), 'any'],
    type: [typeOf, 'any'],
    values: [Object.values, 'object'],
  };
  const call = (name, values) => {
    if (FUNCTIONS[name] === undefined) refuse(`Unknown function: ${name}()`);
    const [run, ...types] = FUNCTIONS[name];
    const isVariadic = types[0].startsWith('...');
    if (isVariadic ? values.length < types.length : values.length !== types.length) {
      const plural = types.length === 1 ? ' argument' : ' arguments';
      refuse(`ArgumentError: ${name}() takes ${isVariadic ? 'at least ' : ''}${types.length}${plural} but received ${values.length}`);
    }
    types.forEach((type, i) => {
      const wanted = type.replace('...', '').split('|');
      if (wanted.some((each) => isOfType(values[i], each))) return;
      const names = wanted.map((each) => (each.endsWith('[]') ? `Array<${each.slice(0, -2)}>` : each));
      refuse(`TypeError: ${name}() expected argument ${i + 1} to be type ${names} but received type ${typeOf(values[i])} instead.`);
    });
    return run(...values);
  };

  // --- The parser ---

  const both = (test) => (left, right) => (current) => test(left(current), right(current));
  const BINARY = {
    __proto__: null,
    '|': (left, right) => (current) => right(left(current)),
    '||': (left, right) => (current) => {
      const value = left(current);
      return isFalse(value) ? right(current) : value;
    },
    '&&': (left, right) => (current) => {
      const value = left(current);
      return isFalse(value) ? value : right(current);
    },
    '==': both(isEqual),
    '!=': both((a, b) => !isEqual(a, b)),
    '<': both((a, b) => a < b),
    '<=': both((a, b) => a <= b),
    '>': both((a, b) => a > b),
    '>=': both((a, b) => a >= b),
  };
  // How tightly an operator binds the expression on its left.
  const POWERS = {
    __proto__: null, '|': 1, '||': 2, '&&': 3, '==': 5, '!=': 5, '<': 5, '<=': 5, '>': 5, '>=': 5,
    '[]': 9, '*': 20, '[?': 21, '.': 40, '!': 45, '{': 50, '[': 55, '(': 60,
  };
  const PROJECTION_STOP = 10;
  const identity = (value) => value;

  const parse = (query) => {
    const tokens = readTokens(query);
    let at = 0;
    const peek = () => tokens[at][0];
    const unexpected = (token = tokens[at]) => refuse(token[0] === 'end' ? 'Unexpected end of the query' : `Unexpected token: ${token[1]}`);
    const expect = (kind) => (peek() === kind ? tokens[at++] : unexpected());
    const consume = (kind) => (peek() === kind ? (at++, true) : false);

    const expression = (power) => {
      let left = prefix(tokens[at++]);
      while (power < (POWERS[peek()] ?? 0)) left = infix(tokens[at++][0], left);
      return left;
    };

    const prefix = (token) => {
      const [kind, value] = token;
      switch (kind) {
        case 'literal':
          return () => value;
        case 'name':
          if (consume('(')) return functionCall(value);
          return (current) => field(current, value);
        case 'quoted':
          if (peek() === '(') refuse('Quoted identifier not allowed for function names.');
          return (current) => field(current, value);
        case '!': {
          const of = expression(POWERS['!']);
          return (current) => isFalse(of(current));
        }
        case '@':
          return identity;
        case '*':
          return valueProjection(identity);
        case '[?':
          return filter(identity);
        case '[]':
          return flattened(identity);
        case '{':
          return multiselectMap();
        case '[':
          if (peek() === 'number' || peek() === ':' || (peek() === '*' && tokens[at + 1][0] === ']')) return bracket(identity);
          return multiselectList();
        case '&': {
          const of = expression(0);
          return () => of;
        }
        case '(': {
          const inner = expression(0);
          expect(')');
          return inner;
        }
        default:
          return unexpected(token);
      }
    };

    const infix = (kind, left) => {
      if (BINARY[kind] !== undefined) return BINARY[kind](left, expression(POWERS[kind]));
      switch (kind) {
        case '.':
          if (consume('*')) return valueProjection(left);
          return BINARY['|'](left, afterDot(POWERS['.']));
        case '[?':
          return filter(left);
        case '[]':
          return flattened(left);
        case '[':
          return bracket(left);
        default:
          return unexpected(tokens[at - 1]);
      }
    };

    // What follows a projection applies to each of its elements.
    const projected = (power) => {
      const next = peek();
      if ((POWERS[next] ?? 0) < PROJECTION_STOP) return identity;
      if (next === '[' || next === '[?') return expression(power);
      if (next === '.') {
        at++;
        return afterDot(power);
      }
      return unexpected();
    };
    const afterDot = (power) => {
      const next = peek();
      if (next === 'name' || next === 'quoted' || next === '*') return expression(power);
      if (consume('[')) return multiselectList();
      if (consume('{')) return multiselectMap();
      return unexpected();
    };
    const valueProjection = (left) => {
      const right = projected(POWERS['*']);
      return (current) => {
        const map = left(current);
        return isMap(map) ? project(Object.values(map), right) : null;
      };
    };
    const filter = (left) => {
      const test = expression(0);
      expect(']');
      const right = peek() === '[]' ? identity : projected(POWERS['[?']);
      return (current) => {
        const list = left(current);
        return isArray(list) ? project(list.filter((value) => !isFalse(test(value))), right) : null;
      };
    };
    const flattened = (left) => {
      const right = projected(POWERS['[]']);
      return (current) => project(flatten(left(current)), right);
    };
    // `[*]`, an index, or a slice.
    const bracket = (left) => {
      if (consume('*')) {
        expect(']');
        const right = projected(POWERS['*']);
        return (current) => project(left(current), right);
      }
      const parts = [undefined, undefined, undefined];
      let part = 0;
      while (peek() !== ']') {
        if (consume(':')) {
          if (++part > 2) unexpected();
        } else {
          if (parts[part] !== undefined) unexpected();
          parts[part] = expect('number')[1];
        }
      }
      at++;
      if (part === 0) {
        return (current) => {
          const list = left(current);
          return isArray(list) ? list[parts[0] < 0 ? list.length + parts[0] : parts[0]] ?? null : null;
        };
      }
      const right = projected(POWERS['*']);
      return (current) => project(slice(left(current), parts), right);
    };
    const listed = (close, read) => {
      const entries = [];
      do entries.push(read());
      while (consume(','));
      expect(close);
      return entries;
    };
    const multiselectList = () => {
      const entries = listed(']', () => expression(0));
      return (current) => (current === null ? null : entries.map((entry) => entry(current)));
    };
    const multiselectMap = () => {
      const entries = listed('}', () => {
        const name = peek() === 'quoted' ? expect('quoted')[1] : expect('name')[1];
        expect(':');
        return [name, expression(0)];
      });
      return (current) => (current === null ? null : Object.fromEntries(entries.map(([name, entry]) => [name, entry(current)])));
    };
    const functionCall = (name) => {
      const given = consume(')') ? [] : listed(')', () => expression(0));
      return (current) => call(name, given.map((each) => each(current)));
    };

    const parsed = expression(0);
    if (peek() !== 'end') unexpected();
    return parsed;
  };

  n8n.jmespath = (data, query) => {
    if (query.trim() === '') refuse('Unexpected end of the query');
    return parse(query)(data);
  };
})
