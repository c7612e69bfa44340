class $Float extends Number {}
class $Error extends Error { constructor(kind, message, value) { super(message); this.kind = kind; this.value = value; } }
class $Match { constructor(found, text) { this.found = found; this.text = text; } }
const $RAISES = { ArithmeticError: ["ZeroDivisionError", "OverflowError"], LookupError: ["KeyError", "IndexError"], ValueError: ["JSONDecodeError", "UnicodeDecodeError"], JSONDecodeError: [], NameError: ["UnboundLocalError"] };
const $KINDS = { RangeError: "RecursionError", SyntaxError: "error" };
const $SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
function $raise(kind, message) { throw new $Error(kind, message); }
function $error(kind, value) { return new $Error(kind, value === undefined ? "" : $str(value), value); }
function $kind(e) { return e.kind ?? $KINDS[e.name] ?? e.name ?? "Exception"; }
function $catches(e, kinds) { const kind = $kind(e); return kinds.some((name) => name === "Exception" || name === "BaseException" || name === kind || ($RAISES[name] ?? []).includes(kind)); }
function $in(value) {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map($in);
  return typeof value === "object" ? new Map(Object.entries(value).map(([key, item]) => [key, $in(item)])) : value;
}
function $out(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && !Number.isFinite(value)) $raise("ValueError", "NaN and infinity are not JSON");
  if (Array.isArray(value)) return value.map($out);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key === null ? "null" : $str(key), $out(item)]));
  if (value instanceof $Float) return Number(value);
  if (typeof value === "object" || typeof value === "function") $raise("TypeError", `Object of type ${$typeName(value)} is not JSON serializable`);
  return value;
}
function $typeName(v) {
  if (v === null || v === undefined) return "NoneType";
  if ($isFloat(v)) return "float";
  if (v instanceof Error) return $kind(v);
  return { string: "str", boolean: "bool", number: "int", function: "function" }[typeof v]
    ?? (Array.isArray(v) ? "list" : v instanceof Map ? "dict" : v instanceof Set ? "set" : v instanceof $Match ? "Match" : v.constructor.typeName ?? "object");
}
function $isFloat(v) { return v instanceof $Float || (typeof v === "number" && !Number.isInteger(v)); }
function $float(v = 0) {
  if (typeof v === "string") {
    const text = v.trim().replace(/(?<=\d)_(?=\d)/g, "");
    if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
    if (/^[+-]?nan$/i.test(text)) return NaN;
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) $raise("ValueError", `could not convert string to float: ${$repr(v)}`);
    return $real(Number(text));
  }
  if (!$isNumber(v)) $raise("TypeError", `float() argument must be a string or a real number, not '${$typeName(v)}'`);
  return $real(Number(v));
}
function $real(n) { return Number.isInteger(n) ? new $Float(n) : n; }
function $isNumber(v) { return typeof v === "number" || typeof v === "boolean" || v instanceof $Float; }
function $whole(n) { if (!Number.isSafeInteger(n)) $raise("OverflowError", "the integer is too large here"); return n === 0 ? 0 : n; }
function $truth(v) {
  if (v === null || v === undefined || v === false || v === "" || v === 0) return false;
  if (Array.isArray(v)) return v.length > 0;
  if (v instanceof Map || v instanceof Set) return v.size > 0;
  return v instanceof $Float ? Number(v) !== 0 : true;
}
function $or(left, right) { return $truth(left) ? left : right(); }
function $and(left, right) { return $truth(left) ? right() : left; }
function $type(v, kinds) {
  const name = $typeName(v);
  return kinds.some((kind) => kind === name || (kind === "int" && name === "bool") || kind === "object");
}
function $eq(a, b) {
  if (a === b) return true;
  if ($isNumber(a) && $isNumber(b)) return Number(a) === Number(b);
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => $eq(item, b[i]));
  if (a instanceof Map) return b instanceof Map && a.size === b.size && [...a].every(([key, item]) => b.has(key) && $eq(item, b.get(key)));
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((item) => b.has(item));
  return typeof a.compare === "function" && b.constructor === a.constructor && a.compare(b) === 0;
}
function $cmp(a, b, sign) {
  if ($isNumber(a) && $isNumber(b)) return Number(a) - Number(b);
  if (typeof a === "string" && typeof b === "string") {
    const [x, y] = [a, b].map((text) => ($wide(text) ? [...text].map((c) => c.codePointAt(0)) : null));
    if (x || y) return $cmp(x ?? [...a].map((c) => c.codePointAt(0)), y ?? [...b].map((c) => c.codePointAt(0)), sign);
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < a.length && i < b.length; i++) if (!$eq(a[i], b[i])) return $cmp(a[i], b[i], sign);
    return a.length - b.length;
  }
  if (a !== null && typeof a === "object" && typeof a.compare === "function" && b?.constructor === a.constructor) return a.compare(b);
  $raise("TypeError", `'${sign}' not supported between instances of '${$typeName(a)}' and '${$typeName(b)}'`);
}
function $lt(a, b) { return $cmp(a, b, "<") < 0; }
function $le(a, b) { return $cmp(a, b, "<=") <= 0; }
function $gt(a, b) { return $cmp(a, b, ">") > 0; }
function $ge(a, b) { return $cmp(a, b, ">=") >= 0; }
function $contains(items, v) {
  if (typeof items === "string") {
    if (typeof v !== "string") $raise("TypeError", `'in <string>' requires string as left operand, not ${$typeName(v)}`);
    return items.includes(v);
  }
  if (items instanceof Map || items instanceof Set) return items.has($key(v));
  if (items === null || typeof items !== "object") $raise("TypeError", `argument of type '${$typeName(items)}' is not iterable`);
  for (const item of $iter(items)) if ($eq(item, v)) return true;
  return false;
}
function $key(v) {
  if (v instanceof $Float) return Number(v);
  if (typeof v === "boolean") return v;
  if (v !== null && typeof v === "object") $raise("TypeError", `unhashable type: '${$typeName(v)}'`);
  return v;
}
function $wide(text) { return /[\ud800-\udfff]/.test(text); }
function $chars(text) { return $wide(text) ? [...text] : text; }
function $iter(v) {
  if (v instanceof Map) return v.keys();
  if (typeof v === "string" || Array.isArray(v) || (v !== null && typeof v === "object" && typeof v[Symbol.iterator] === "function")) return v;
  $raise("TypeError", `'${$typeName(v)}' object is not iterable`);
}
function $unpack(v, count) {
  const items = [...$iter(v)];
  if (items.length > count) $raise("ValueError", `too many values to unpack (expected ${count})`);
  if (items.length < count) $raise("ValueError", `not enough values to unpack (expected ${count}, got ${items.length})`);
  return items;
}
function $len(v) {
  if (typeof v === "string") return $chars(v).length;
  if (Array.isArray(v)) return v.length;
  if (v instanceof Map || v instanceof Set) return v.size;
  $raise("TypeError", `object of type '${$typeName(v)}' has no len()`);
}
function $at(v, i) {
  if (v instanceof Map) {
    const key = $key(i);
    if (v.has(key)) return v.get(key);
    if (v.missing) { const made = v.missing(); v.set(key, made); return made; }
    throw new $Error("KeyError", $repr(i), i);
  }
  if (v instanceof $Match) return $m_group(v, i);
  if (typeof v !== "string" && !Array.isArray(v)) $raise("TypeError", `'${$typeName(v)}' object is not subscriptable`);
  const [items, name] = typeof v === "string" ? [$chars(v), "string"] : [v, "list"];
  if (typeof i === "boolean") i = Number(i);
  if (typeof i !== "number" || !Number.isInteger(i)) $raise("TypeError", name === "list" ? `list indices must be integers or slices, not ${$typeName(i)}` : `string indices must be integers, not '${$typeName(i)}'`);
  const place = i < 0 ? i + items.length : i;
  if (place < 0 || place >= items.length) $raise("IndexError", `${name} index out of range`);
  return items[place];
}
function $set(v, i, value) {
  if (v instanceof Map) return void v.set($key(i), value);
  if (!Array.isArray(v)) $raise("TypeError", `'${$typeName(v)}' object does not support item assignment`);
  if (typeof i !== "number" || !Number.isInteger(i)) $raise("TypeError", `list indices must be integers or slices, not ${$typeName(i)}`);
  const place = i < 0 ? i + v.length : i;
  if (place < 0 || place >= v.length) $raise("IndexError", "list assignment index out of range");
  v[place] = value;
}
function $del(v, i) {
  $at(v, i);
  if (v instanceof Map) v.delete($key(i)); else v.splice(i < 0 ? i + v.length : i, 1);
}
function $slice(v, from, to, step) {
  if (typeof v !== "string" && !Array.isArray(v)) $raise("TypeError", `'${$typeName(v)}' object is not subscriptable`);
  for (const bound of [from, to, step]) if (bound !== null && bound !== undefined && !Number.isInteger(bound)) $raise("TypeError", "slice indices must be integers or None or have an __index__ method");
  const items = typeof v === "string" ? $chars(v) : v;
  step ??= 1;
  if (step === 0) $raise("ValueError", "slice step cannot be zero");
  if (step === 1) {
    const part = items.slice(from ?? 0, to ?? items.length);
    return typeof v === "string" && Array.isArray(part) ? part.join("") : part;
  }
  const clamp = (bound, otherwise) => bound === null || bound === undefined ? otherwise : Math.min(Math.max(bound < 0 ? bound + items.length : bound, step < 0 ? -1 : 0), step < 0 ? items.length - 1 : items.length);
  const [start, end, picked] = [clamp(from, step < 0 ? items.length - 1 : 0), clamp(to, step < 0 ? -1 : items.length), []];
  for (let i = start; step < 0 ? i > end : i < end; i += step) picked.push(items[i]);
  return typeof v === "string" ? picked.join("") : picked;
}
function $numbers(a, b, sign) { if (!$isNumber(a) || !$isNumber(b)) $raise("TypeError", `unsupported operand type(s) for ${sign}: '${$typeName(a)}' and '${$typeName(b)}'`); }
function $result(n, a, b) { return $isFloat(a) || $isFloat(b) ? $real(n) : $whole(n); }
function $add(a, b) {
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (typeof a === "string") $raise("TypeError", `can only concatenate str (not "${$typeName(b)}") to str`);
  if (Array.isArray(a)) $raise("TypeError", `can only concatenate list (not "${$typeName(b)}") to list`);
  if (a !== null && typeof a === "object" && typeof a.plus === "function") return a.plus(b, 1);
  $numbers(a, b, "+");
  return $result(Number(a) + Number(b), a, b);
}
function $iadd(a, b) { if (!Array.isArray(a)) return $add(a, b); for (const item of [...$iter(b)]) a.push(item); return a; }
function $sub(a, b) {
  if (a instanceof Set && b instanceof Set) return new Set([...a].filter((item) => !b.has(item)));
  if (a !== null && typeof a === "object" && typeof a.plus === "function") return a.plus(b, -1);
  $numbers(a, b, "-");
  return $result(Number(a) - Number(b), a, b);
}
function $mul(a, b) {
  if (typeof b === "string" || Array.isArray(b)) [a, b] = [b, a];
  if (typeof a === "string" || Array.isArray(a)) {
    if (!Number.isInteger(b)) $raise("TypeError", `can't multiply sequence by non-int of type '${$typeName(b)}'`);
    if (b * a.length > 5e6) $raise("MemoryError", "");
    return typeof a === "string" ? a.repeat(Math.max(b, 0)) : Array.from({ length: Math.max(b, 0) }, () => a).flat();
  }
  $numbers(a, b, "*");
  return $result(Number(a) * Number(b), a, b);
}
function $div(a, b) { $numbers(a, b, "/"); if (Number(b) === 0) $raise("ZeroDivisionError", $isFloat(a) || $isFloat(b) ? "float division by zero" : "division by zero"); return $real(Number(a) / Number(b)); }
function $floordiv(a, b) { $numbers(a, b, "//"); if (Number(b) === 0) $raise("ZeroDivisionError", $isFloat(a) || $isFloat(b) ? "float floor division by zero" : "integer division or modulo by zero"); return $result(Math.floor(Number(a) / Number(b)), a, b); }
function $mod(a, b) {
  if (typeof a === "string") $raise("NotImplementedError", "formatting with % is not translated");
  $numbers(a, b, "%");
  if (Number(b) === 0) $raise("ZeroDivisionError", $isFloat(a) || $isFloat(b) ? "float modulo" : "integer modulo by zero");
  const rest = Number(a) % Number(b);
  return $result(rest !== 0 && rest < 0 !== Number(b) < 0 ? rest + Number(b) : rest, a, b);
}
function $pow(a, b) { $numbers(a, b, "** or pow()"); const n = Number(a) ** Number(b); return Number(b) < 0 ? $real(n) : $result(n, a, b); }
function $neg(a) { if (!$isNumber(a)) $raise("TypeError", `bad operand type for unary -: '${$typeName(a)}'`); return $isFloat(a) ? $real(-Number(a)) : 0 - Number(a); }
function $bitor(a, b) {
  if (a instanceof Map && b instanceof Map) return new Map([...a, ...b]);
  if (a instanceof Set && b instanceof Set) return new Set([...a, ...b]);
  $numbers(a, b, "|");
  return a | b;
}
function $bitand(a, b) { if (a instanceof Set && b instanceof Set) return new Set([...a].filter((item) => b.has(item))); $numbers(a, b, "&"); return a & b; }
function $str(v = "") {
  if (typeof v === "string") return v;
  if (v instanceof $Error && v.value !== undefined) return v.kind === "KeyError" ? $repr(v.value) : $str(v.value);
  return v instanceof Error ? v.message : $repr(v);
}
function $repr(v) {
  if (v === null || v === undefined) return "None";
  if (typeof v === "boolean") return v ? "True" : "False";
  if ($isNumber(v)) return $digits(v);
  if (typeof v === "string") {
    const quote = v.includes("'") && !v.includes('"') ? '"' : "'";
    const escape = (c) => ({ "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", [quote]: `\\${quote}` })[c] ?? $hex(c);
    return quote + v.replace(/[\\'"\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (c) => (c === "'" || c === '"') && c !== quote ? c : escape(c)) + quote;
  }
  if (Array.isArray(v)) return `[${v.map($repr).join(", ")}]`;
  if (v instanceof Map) return `{${[...v].map(([key, item]) => `${$repr(key)}: ${$repr(item)}`).join(", ")}}`;
  if (v instanceof Set) return v.size ? `{${[...v].map($repr).join(", ")}}` : "set()";
  if (v instanceof Error) return `${$kind(v)}(${v.value === undefined && !v.message ? "" : $repr(v.value ?? v.message)})`;
  if (typeof v.text === "function") return v.text();
  $raise("NotImplementedError", `the text of a ${$typeName(v)} is not translated`);
}
function $hex(c) { const code = c.codePointAt(0); const digits = code.toString(16); return code < 256 ? `\\x${digits.padStart(2, "0")}` : code < 65536 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`; }
function $digits(v) {
  const n = Number(v);
  if (!$isFloat(v)) return String(n);
  if (!Number.isFinite(n)) return Number.isNaN(n) ? "nan" : n < 0 ? "-inf" : "inf";
  const [mantissa, exponent] = n.toExponential().split("e");
  if (n !== 0 && (exponent < -4 || exponent >= 16)) return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  const text = Object.is(n, -0) ? "-0" : Math.abs(n) < 1e-6 && n !== 0 ? n.toFixed(20).replace(/0+$/, "") : String(n);
  return text.includes(".") ? text : `${text}.0`;
}
function $int(v = 0, base = 10) {
  if (typeof v === "string") {
    const text = v.trim().replace(/(?<=\w)_(?=\w)/g, "");
    const pattern = base === 16 ? /^[+-]?(0x)?[0-9a-f]+$/i : base === 2 ? /^[+-]?(0b)?[01]+$/i : base === 8 ? /^[+-]?(0o)?[0-7]+$/i : /^[+-]?\d+$/;
    if (!pattern.test(text)) $raise("ValueError", `invalid literal for int() with base ${base}: ${$repr(v)}`);
    return $whole(parseInt(base === 10 ? text : text.replace(/0[xbo]/i, ""), base));
  }
  if (!$isNumber(v)) $raise("TypeError", `int() argument must be a string, a bytes-like object or a real number, not '${$typeName(v)}'`);
  if (Number.isNaN(Number(v))) $raise("ValueError", "cannot convert float NaN to integer");
  return $whole(Math.trunc(Number(v)));
}
function $bool(v = false) { return $truth(v); }
function $list(v = []) { return [...$iter(v)]; }
function $tuple(v = []) { return [...$iter(v)]; }
function $makeSet(v = []) { return new Set([...$iter(v)].map($key)); }
function $makeDict(v = []) { return v instanceof Map ? new Map(v) : new Map([...$iter(v)].map((pair) => { const [key, item] = $unpack(pair, 2); return [$key(key), item]; })); }
function $range(...given) {
  for (const n of given) if (!Number.isInteger(n)) $raise("TypeError", `'${$typeName(n)}' object cannot be interpreted as an integer`);
  const [from, to, step] = given.length === 1 ? [0, given[0], 1] : [given[0], given[1], given[2] ?? 1];
  if (step === 0) $raise("ValueError", "range() arg 3 must not be zero");
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count > 5e6) $raise("MemoryError", "the range is too long here");
  return Array.from({ length: count }, (_, i) => from + i * step);
}
function* $enumerate(items, start = 0) { for (const item of $iter(items)) yield [start++, item]; }
function* $zip(lists) {
  const iterators = lists.map((items) => $iter(items)[Symbol.iterator]());
  while (iterators.length) {
    const found = [];
    for (const iterator of iterators) { const next = iterator.next(); if (next.done) return; found.push(next.value); }
    yield found;
  }
}
function* $map(mapped, lists) { for (const items of $zip(lists)) yield mapped(...items); }
function* $filter(test, items) { for (const item of $iter(items)) if (test === null ? $truth(item) : $truth(test(item))) yield item; }
function $reversed(v) { return [...$iter(v)].reverse(); }
function $sorted(items, key, reverse) { const copy = [...$iter(items)]; $m_sort(copy, key, reverse); return copy; }
function $m_sort(list, key, reverse) {
  const keyed = list.map((item) => [key ? key(item) : item, item]);
  keyed.sort((a, b) => ($truth(reverse ?? false) ? ($lt(a[0], b[0]) ? 1 : $lt(b[0], a[0]) ? -1 : 0) : $lt(a[0], b[0]) ? -1 : $lt(b[0], a[0]) ? 1 : 0));
  keyed.forEach(([, item], i) => { list[i] = item; });
  return null;
}
function $extreme(given, key, otherwise, isBetter, name) {
  const items = given.length === 1 ? [...$iter(given[0])] : given;
  if (items.length === 0) { if (otherwise !== undefined) return otherwise; $raise("ValueError", `${name}() arg is an empty sequence`); }
  return items.reduce((best, item) => (isBetter(key ? key(item) : item, key ? key(best) : best) ? item : best));
}
function $min(given, key, otherwise) { return $extreme(given, key, otherwise, $lt, "min"); }
function $max(given, key, otherwise) { return $extreme(given, key, otherwise, $gt, "max"); }
function $sum(items, start = 0) { let sum = start; for (const item of $iter(items)) sum = $add(sum, item); return sum; }
function $any(items) { for (const item of $iter(items)) if ($truth(item)) return true; return false; }
function $all(items) { for (const item of $iter(items)) if (!$truth(item)) return false; return true; }
function $next(items, otherwise) { for (const item of $iter(items)) return item; if (otherwise === undefined) $raise("StopIteration", ""); return otherwise; }
function $abs(v) { if (!$isNumber(v)) $raise("TypeError", `bad operand type for abs(): '${$typeName(v)}'`); return $isFloat(v) ? $real(Math.abs(Number(v))) : Math.abs(Number(v)); }
function $round(v, places) {
  if (!$isNumber(v)) $raise("TypeError", `type ${$typeName(v)} doesn't define __round__ method`);
  const n = Number(v);
  if (places === undefined || places === null) { const down = Math.floor(n); return $whole(n - down === 0.5 ? down + (down % 2 === 0 ? 0 : 1) : Math.round(n)); }
  if (!$isFloat(v) && places >= 0) return v;
  return $real(Number($fixed(n, places)));
}
function $fixed(n, places) {
  if (places < 0) return String($round(n / 10 ** -places) * 10 ** -places);
  if (places > 100 || Math.abs(n) >= 1e21) return String(n);
  const exact = n.toFixed(Math.min(100, places + 60));
  const half = exact.slice(exact.indexOf(".") + 1 + places);
  if (!/^50*$/.test(half)) return n.toFixed(places);
  const kept = exact.slice(0, places === 0 ? exact.indexOf(".") : exact.indexOf(".") + 1 + places);
  return Number(kept.at(-1)) % 2 === 0 ? kept : n.toFixed(places);
}
function $ord(c) { return c.codePointAt(0); }
function $chr(n) { return String.fromCodePoint(n); }
function $isCallable(v) { return typeof v === "function"; }
function $print(given) { console.log(given.map((v) => $str(v)).join(" ")); return null; }
function $format(v, spec) {
  const parts = /^(?:(.)?([<>^=]))?([+ -])?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su.exec(spec);
  if (!parts) { if (spec !== "" && v !== null && typeof v === "object" && typeof v.strftime === "function") return v.strftime(spec); $raise("ValueError", "Invalid format specifier"); }
  let [, fill, align, sign, zero, width, group, places, type] = parts;
  let text;
  if (typeof v === "string") {
    if (type && type !== "s") $raise("ValueError", `Unknown format code '${type}' for object of type 'str'`);
    text = places === undefined ? v : [...v].slice(0, Number(places)).join("");
    align ??= "<";
  } else if ($isNumber(v) && !(typeof v === "boolean" && !type)) {
    const n = Number(v);
    const isFixed = ["f", "F", "%"].includes(type);
    if (!isFixed && type && !["d", "n", "x", "X", "b", "o", "e", "E", "g", "s"].includes(type)) $raise("ValueError", `Unknown format code '${type}'`);
    if (type === "s" || (type === "d" && $isFloat(v))) $raise("ValueError", `Unknown format code '${type}' for object of type '${$typeName(v)}'`);
    const size = Math.abs(n);
    if (isFixed) text = $fixed(type === "%" ? size * 100 : size, Number(places ?? 6)) + (type === "%" ? "%" : "");
    else if (type === "x" || type === "X") text = type === "X" ? size.toString(16).toUpperCase() : size.toString(16);
    else if (type === "b" || type === "o") text = size.toString(type === "b" ? 2 : 8);
    else if (["e", "E", "g"].includes(type) || places !== undefined) $raise("NotImplementedError", `the format ${spec} is not translated`);
    else text = $digits(v instanceof $Float ? new $Float(size) : size);
    if (group) text = text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, group));
    const isNegative = n < 0 || Object.is(n, -0);
    const mark = isNegative ? "-" : sign === "+" || sign === " " ? sign : "";
    if (zero && !align) text = text.padStart(Number(width ?? 0) - mark.length, "0");
    text = mark + text;
    align ??= ">";
  } else {
    if (spec !== "") $raise("TypeError", `unsupported format string passed to ${$typeName(v)}.__format__`);
    text = $str(v);
  }
  const missing = Math.max(0, Number(width ?? 0) - [...text].length);
  const left = align === "<" ? 0 : align === "^" ? Math.floor(missing / 2) : missing;
  return (fill ?? " ").repeat(left) + text + (fill ?? " ").repeat(missing - left);
}
function $isinstance(v, kinds) { return $type(v, kinds); }
function $missing(v, name) { $raise("AttributeError", `'${$typeName(v)}' object has no attribute '${name}'`); }
function $text(v, name) { if (typeof v !== "string") $missing(v, name); return v; }
function $dict(v, name) { if (!(v instanceof Map)) $missing(v, name); return v; }
function $array(v, name) { if (!Array.isArray(v)) $missing(v, name); return v; }
function $m_get(v, key, otherwise = null) { const found = $dict(v, "get").get($key(key)); return found === undefined ? otherwise : found; }
function $m_items(v) { return [...$dict(v, "items")]; }
function $m_keys(v) { return [...$dict(v, "keys").keys()]; }
function $m_values(v) { return [...$dict(v, "values").values()]; }
function $m_setdefault(v, key, otherwise = null) { if (!$dict(v, "setdefault").has($key(key))) v.set($key(key), otherwise); return v.get($key(key)); }
function $m_update(v, other) {
  if (v instanceof Set) { for (const item of $iter(other)) v.add($key(item)); return null; }
  for (const [key, item] of $makeDict(other)) $dict(v, "update").set(key, item);
  return null;
}
function $m_append(v, item) { $array(v, "append").push(item); return null; }
function $m_extend(v, items) { for (const item of [...$iter(items)]) $array(v, "extend").push(item); return null; }
function $m_insert(v, i, item) { $array(v, "insert").splice(i < 0 ? Math.max(0, i + v.length) : i, 0, item); return null; }
function $m_add(v, item) { if (!(v instanceof Set)) $missing(v, "add"); v.add($key(item)); return null; }
function $m_discard(v, item) { if (!(v instanceof Set)) $missing(v, "discard"); v.delete($key(item)); return null; }
function $m_remove(v, item) {
  if (v instanceof Set) { if (!v.delete($key(item))) throw new $Error("KeyError", $repr(item), item); return null; }
  const place = $array(v, "remove").findIndex((other) => $eq(other, item));
  if (place < 0) $raise("ValueError", "list.remove(x): x not in list");
  v.splice(place, 1);
  return null;
}
function $m_pop(v, i, otherwise) {
  if (v instanceof Map) {
    if (v.has($key(i))) { const found = v.get($key(i)); v.delete($key(i)); return found; }
    if (otherwise !== undefined) return otherwise;
    throw new $Error("KeyError", $repr(i), i);
  }
  if ($array(v, "pop").length === 0) $raise("IndexError", "pop from empty list");
  const place = (i ?? -1) < 0 ? (i ?? -1) + v.length : i;
  if (place < 0 || place >= v.length) $raise("IndexError", "pop index out of range");
  return v.splice(place, 1)[0];
}
function $m_clear(v) { if (Array.isArray(v)) v.length = 0; else if (v instanceof Map || v instanceof Set) v.clear(); else $missing(v, "clear"); return null; }
function $m_copy(v) { if (Array.isArray(v)) return [...v]; if (v instanceof Set) return new Set(v); const copy = new Map($dict(v, "copy")); copy.missing = v.missing; return copy; }
function $m_reverse(v) { $array(v, "reverse").reverse(); return null; }
function $m_index(v, item, from = 0) {
  const place = Array.isArray(v) ? v.findIndex((other, i) => i >= from && $eq(other, item)) : $m_find($text(v, "index"), item, from);
  if (place < 0) $raise("ValueError", Array.isArray(v) ? `${$repr(item)} is not in list` : "substring not found");
  return place;
}
function $m_count(v, item) {
  if (Array.isArray(v)) return v.filter((other) => $eq(other, item)).length;
  return item === "" ? $len(v) + 1 : $text(v, "count").split(item).length - 1;
}
function $m_find(v, part, from, to) {
  const [text, start] = [$slice($text(v, "find"), from ?? 0, to), from ?? 0];
  const place = text.indexOf(part);
  return place < 0 ? -1 : $len(text.slice(0, place)) + (start < 0 ? Math.max(0, start + $len(v)) : start);
}
function $m_rfind(v, part, from, to) {
  const [text, start] = [$slice($text(v, "rfind"), from ?? 0, to), from ?? 0];
  const place = text.lastIndexOf(part);
  return place < 0 ? -1 : $len(text.slice(0, place)) + (start < 0 ? Math.max(0, start + $len(v)) : start);
}
function $cut(chars) { return chars === undefined || chars === null ? `[${$SPACE}]` : `[${[...chars].map((c) => `\\u{${c.codePointAt(0).toString(16)}}`).join("") || "^\\s\\S"}]`; }
function $m_strip(v, chars) { return $m_lstrip($m_rstrip($text(v, "strip"), chars), chars); }
function $m_lstrip(v, chars) { return $text(v, "lstrip").replace(new RegExp(`^${$cut(chars)}+`, "u"), ""); }
function $m_rstrip(v, chars) {
  const test = new RegExp(`^${$cut(chars)}$`, "u");
  const items = $chars($text(v, "rstrip"));
  let end = items.length;
  while (end > 0 && test.test(items[end - 1])) end--;
  return $slice(v, 0, end);
}
function $m_split(v, sep, most = -1) {
  const text = $text(v, "split");
  if (sep === "") $raise("ValueError", "empty separator");
  if (sep === undefined || sep === null) {
    const [words, space] = [[], new RegExp(`[${$SPACE}]+`, "u")];
    let rest = $m_lstrip(text);
    while (rest !== "") {
      const found = words.length === most ? null : space.exec(rest);
      if (!found) { words.push(words.length === most ? $m_rstrip(rest) : rest); break; }
      words.push(rest.slice(0, found.index));
      rest = rest.slice(found.index + found[0].length);
    }
    return words;
  }
  const parts = text.split(sep);
  return most < 0 || parts.length <= most + 1 ? parts : [...parts.slice(0, most), parts.slice(most).join(sep)];
}
function $m_rsplit(v, sep, most = -1) {
  const parts = $m_split($text(v, "rsplit"), sep);
  if (most < 0 || parts.length <= most + 1) return parts;
  if (sep === undefined || sep === null) $raise("NotImplementedError", "rsplit without a separator is not translated");
  return [parts.slice(0, parts.length - most).join(sep), ...parts.slice(parts.length - most)];
}
function $m_splitlines(v) { const lines = $text(v, "splitlines").split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/); if (lines.at(-1) === "") lines.pop(); return lines; }
function $m_partition(v, sep) { const [before, ...after] = $text(v, "partition").split(sep); return after.length ? [before, sep, after.join(sep)] : [v, "", ""]; }
function $m_join(v, items) {
  const parts = [...$iter(items)];
  parts.forEach((part, i) => { if (typeof part !== "string") $raise("TypeError", `sequence item ${i}: expected str instance, ${$typeName(part)} found`); });
  return parts.join($text(v, "join"));
}
function $m_replace(v, from, to, most = -1) {
  if (typeof from !== "string" || typeof to !== "string") $raise("TypeError", `replace() argument ${typeof from !== "string" ? 1 : 2} must be str, not ${$typeName(typeof from !== "string" ? from : to)}`);
  if (most < 0) return from === "" ? ["", ...$text(v, "replace"), ""].join(to) : $text(v, "replace").split(from).join(to);
  const parts = $m_split(v, from, most);
  return parts.join(to);
}
function $affix(v, part, test) { return Array.isArray(part) ? part.some((one) => test(v, one)) : typeof part === "string" ? test(v, part) : $raise("TypeError", `startswith first arg must be str or a tuple of str, not ${$typeName(part)}`); }
function $m_startswith(v, part) { return $affix($text(v, "startswith"), part, (text, one) => text.startsWith(one)); }
function $m_endswith(v, part) { return $affix($text(v, "endswith"), part, (text, one) => text.endsWith(one)); }
function $m_removeprefix(v, part) { return $text(v, "removeprefix").startsWith(part) ? v.slice(part.length) : v; }
function $m_removesuffix(v, part) { return part !== "" && $text(v, "removesuffix").endsWith(part) ? v.slice(0, v.length - part.length) : v; }
function $m_lower(v) { return $text(v, "lower").toLowerCase(); }
function $m_upper(v) { return $text(v, "upper").toUpperCase(); }
function $m_capitalize(v) { const [first = "", ...rest] = $text(v, "capitalize"); return first.toUpperCase() + rest.join("").toLowerCase(); }
function $m_title(v) { return $text(v, "title").toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (c) => c.toUpperCase()); }
function $m_isdigit(v) { return /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u.test($text(v, "isdigit")); }
function $m_isprintable(v) { return !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test($text(v, "isprintable")); }
function $m_isnumeric(v) { return /^\p{N}+$/u.test($text(v, "isnumeric")); }
function $m_isalpha(v) { return /^\p{L}+$/u.test($text(v, "isalpha")); }
function $m_isalnum(v) { return /^[\p{L}\p{N}]+$/u.test($text(v, "isalnum")); }
function $m_isspace(v) { return new RegExp(`^[${$SPACE}]+$`).test($text(v, "isspace")); }
function $m_isupper(v) { return /\p{Lu}/u.test($text(v, "isupper")) && !/\p{Ll}/u.test(v); }
function $m_islower(v) { return /\p{Ll}/u.test($text(v, "islower")) && !/\p{Lu}/u.test(v); }
function $m_zfill(v, width) { const sign = /^[+-]/.test($text(v, "zfill")) ? v[0] : ""; return sign + v.slice(sign.length).padStart(width - sign.length, "0"); }
function $m_ljust(v, width, fill = " ") { return v + fill.repeat(Math.max(0, width - $len($text(v, "ljust")))); }
function $m_rjust(v, width, fill = " ") { return fill.repeat(Math.max(0, width - $len($text(v, "rjust")))) + v; }
function $json_loads(text, strict = true) {
  if (typeof text !== "string") $raise("TypeError", `the JSON object must be str, bytes or bytearray, not ${$typeName(text)}`);
  let at = 0;
  const fail = (why, place = at) => {
    const before = text.slice(0, place);
    const line = before.split("\n");
    throw new $Error("JSONDecodeError", `${why}: line ${line.length} column ${$len(line.at(-1)) + 1} (char ${$len(before)})`);
  };
  const skip = () => { while (at < text.length && " \t\n\r".includes(text[at])) at++; };
  const quoted = () => {
    const start = at++;
    let read = "";
    for (;;) {
      const part = /["\\\x00-\x1f]/g;
      part.lastIndex = at;
      const found = part.exec(text);
      if (!found) fail("Unterminated string starting at", start);
      read += text.slice(at, found.index);
      at = found.index + 1;
      if (found[0] === '"') return read;
      if (found[0] !== "\\") { if (strict) fail("Invalid control character at", found.index); read += found[0]; continue; }
      if (at >= text.length) fail("Unterminated string starting at", start);
      const c = text[at++];
      if (c === "u") {
        const digits = text.slice(at, at + 4);
        if (!/^[0-9a-f]{4}$/i.test(digits)) fail("Invalid \\uXXXX escape", at);
        read += String.fromCharCode(parseInt(digits, 16));
        at += 4;
      } else read += { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[c] ?? fail("Invalid \\escape", at - 2);
    }
  };
  const value = () => {
    const c = text[at];
    if (c === '"') return quoted();
    if (c === "{") {
      const read = new Map();
      at++; skip();
      if (text[at] === "}") { at++; return read; }
      for (;;) {
        if (text[at] !== '"') fail("Expecting property name enclosed in double quotes");
        const key = quoted();
        skip();
        if (text[at] !== ":") fail("Expecting ':' delimiter");
        at++; skip();
        read.set(key, value());
        skip();
        if (text[at] === "}") { at++; return read; }
        if (text[at] !== ",") fail("Expecting ',' delimiter");
        at++; skip();
      }
    }
    if (c === "[") {
      const read = [];
      at++; skip();
      if (text[at] === "]") { at++; return read; }
      for (;;) {
        read.push(value());
        skip();
        if (text[at] === "]") { at++; return read; }
        if (text[at] !== ",") fail("Expecting ',' delimiter");
        at++; skip();
      }
    }
    for (const [word, read] of [["null", null], ["true", true], ["false", false], ["NaN", NaN], ["Infinity", Infinity], ["-Infinity", -Infinity]]) if (text.startsWith(word, at)) { at += word.length; return read; }
    const number = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
    number.lastIndex = at;
    const found = number.exec(text);
    if (!found) fail("Expecting value");
    at += found[0].length;
    return found[2] || found[3] ? $real(Number(found[0])) : $whole(Number(found[0]));
  };
  if (text.startsWith("\ufeff")) fail("Unexpected UTF-8 BOM (decode using utf-8-sig)");
  skip();
  const read = value();
  skip();
  if (at < text.length) fail("Extra data");
  return read;
}
function $json_dumps(v, indent = null, ensureAscii = true, sortKeys = false, separators = null, otherwise = null) {
  const [comma, colon] = separators ?? [indent === null ? ", " : ",", ": "];
  const step = typeof indent === "number" ? " ".repeat(indent) : indent;
  const quoted = (text) => {
    const plain = `"${text.replace(/["\\\x00-\x1f]/g, (c) => ({ '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" })[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
    return ensureAscii ? plain.replace(/[\x7f-\uffff]/g, (c) => (c === "\x7f" ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)) : plain;
  };
  const number = (n) => (Number.isFinite(Number(n)) ? $digits(n) : Number.isNaN(n) ? "NaN" : n < 0 ? "-Infinity" : "Infinity");
  const block = (open, parts, close, lead) => (parts.length === 0 ? open + close : step === null ? open + parts.join(comma) + close : `${open}\n${lead}${step}${parts.join(`${comma}\n${lead}${step}`)}\n${lead}${close}`);
  const write = (v, lead) => {
    if (v === null || v === undefined) return "null";
    if (typeof v === "boolean") return String(v);
    if ($isNumber(v)) return number(v);
    if (typeof v === "string") return quoted(v);
    if (Array.isArray(v)) return block("[", v.map((item) => write(item, lead + (step ?? ""))), "]", lead);
    if (v instanceof Map) {
      const entries = sortKeys ? $sorted([...v]) : [...v];
      const name = (key) => (typeof key === "string" ? key : key === null ? "null" : typeof key === "boolean" ? String(key) : number(key));
      return block("{", entries.map(([key, item]) => quoted(name(key)) + colon + write(item, lead + (step ?? ""))), "}", lead);
    }
    if (otherwise) return write(otherwise(v), lead);
    $raise("TypeError", `Object of type ${$typeName(v)} is not JSON serializable`);
  };
  return write(v, "");
}
const $PATTERNS = new Map();
class $Pattern { constructor(source, flags) { this.source = source; this.flags = flags; this.js = $pattern(source, flags); } regex(extra) { return new RegExp(this.js[0], this.js[1] + extra); } }
function $pattern(source, flags) {
  const inline = /^\(\?([aimsxu]+)\)/.exec(source);
  for (const c of inline?.[1] ?? "") flags |= { i: 2, m: 8, s: 16, x: 64 }[c] ?? 0;
  const items = [...source.slice(inline?.[0].length ?? 0)];
  const no = (what) => $raise("NotImplementedError", `the pattern ${$repr(source)} is not translated: ${what}`);
  const CLASSES = { d: "\\p{Nd}", D: "\\P{Nd}", w: "\\p{L}\\p{N}_", s: $SPACE };
  const EDGE = "[\\p{L}\\p{N}_]";
  const literal = (c) => (/[\^$\\.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c === "-" ? "\\x2d" : c);
  const coded = (digits) => { const c = String.fromCodePoint(parseInt(digits, 16)); return literal(c); };
  let [js, i, negated] = ["", 0, []];
  const escaped = (inClass) => {
    const c = items[i++] ?? no("it ends with a backslash");
    if (c === "d" || c === "w" || c === "s") return inClass ? CLASSES[c] : `[${CLASSES[c]}]`;
    if (c === "D") return "\\P{Nd}";
    if (c === "W" || c === "S") { if (inClass) { negated.push(`[^${CLASSES[c.toLowerCase()]}]`); return ""; } return `[^${CLASSES[c.toLowerCase()]}]`; }
    if ("nrtfv".includes(c)) return `\\${c}`;
    if (c === "x") { i += 2; return coded(items.slice(i - 2, i).join("")); }
    if (c === "u") { i += 4; return coded(items.slice(i - 4, i).join("")); }
    if (c === "0") return "\\0";
    if (!inClass && /[1-9]/.test(c)) return `(?:\\${c}${/\d/.test(items[i] ?? "") ? items[i++] : ""})`;
    if (!inClass && c === "b") return `(?:(?<=${EDGE})(?!${EDGE})|(?<!${EDGE})(?=${EDGE}))`;
    if (!inClass && c === "B") return `(?:(?<=${EDGE})(?=${EDGE})|(?<!${EDGE})(?!${EDGE}))`;
    if (c === "A") return "(?<![\\s\\S])";
    if (c === "Z") return "(?![\\s\\S])";
    if (inClass && c === "b") return "\\x08";
    return /[a-zA-Z0-9]/.test(c) ? no(`\\${c}`) : literal(c);
  };
  while (i < items.length) {
    const c = items[i++];
    if (c === "\\") js += escaped(false);
    else if (c === ".") js += flags & 16 ? "[\\s\\S]" : "[^\\n]";
    else if (c === "^") js += flags & 8 ? "(?<![^\\n])" : "(?<![\\s\\S])";
    else if (c === "$") js += flags & 8 ? "(?![^\\n])" : "(?=\\n?(?![\\s\\S]))";
    else if (flags & 64 && /\s/.test(c)) continue;
    else if (flags & 64 && c === "#") { while (i < items.length && items[i] !== "\n") i++; }
    else if (c === "[") {
      const isNegated = items[i] === "^";
      i += isNegated ? 1 : 0;
      let members = "";
      negated = [];
      for (let first = true; first || items[i] !== "]"; first = false) {
        if (i >= items.length) $raise("error", "unterminated character set at position 0");
        const member = items[i++];
        members += member === "\\" ? escaped(true) : member === "-" && !first && items[i] !== "]" ? "-" : literal(member);
      }
      const own = members === "" && negated.length ? [] : [`[${isNegated ? "^" : ""}${members}]`];
      if (negated.length === 0) js += own[0];
      else js += isNegated ? `(?:${negated.map((one) => `(?!${one})`).join("")}${own[0] ?? "[\\s\\S]"})` : `(?:${[...own, ...negated].join("|")})`;
      i++;
    } else if (c === "(" && items[i] === "?") {
      const rest = items.slice(i, i + 80).join("");
      const named = /^\?P<(\w+)>/.exec(rest);
      const same = /^\?P=(\w+)\)/.exec(rest);
      const kind = /^\?(:|=|!|<=|<!)/.exec(rest);
      if (named) { js += `(?<${named[1]}>`; i += named[0].length; }
      else if (same) { js += `(?:\\k<${same[1]}>)`; i += same[0].length; }
      else if (kind) { js += `(${kind[0]}`; i += kind[0].length; }
      else no(`(${rest.slice(0, 3)}`);
    } else if ("*+?".includes(c)) {
      js += c;
      if (items[i] === "+") no("a possessive quantifier");
    } else if (c === "{") {
      const count = /^(\d*)(,?)(\d*)\}/.exec(items.slice(i, i + 20).join(""));
      if (count && (count[1] || count[3])) { js += `{${count[1] || "0"}${count[2]}${count[3]}}`; i += count[0].length; } else js += "\\{";
    } else js += "()|".includes(c) ? c : literal(c);
  }
  return [js, flags & 2 ? "iu" : "u"];
}
function $compiled(pattern, flags = 0) {
  if (pattern instanceof $Pattern) return pattern;
  if (typeof pattern !== "string") $raise("TypeError", "first argument must be string or compiled pattern");
  const key = `${flags} ${pattern}`;
  if (!$PATTERNS.has(key)) $PATTERNS.set(key, new $Pattern(pattern, flags));
  return $PATTERNS.get(key);
}
function $subject(text) { if (typeof text !== "string") $raise("TypeError", `expected string or bytes-like object, got '${$typeName(text)}'`); return text; }
function $re_compile(pattern, flags) { return $compiled(pattern, flags); }
function $re_search(pattern, text, flags) { const found = $compiled(pattern, flags).regex("").exec($subject(text)); return found && new $Match(found, text); }
function $re_match(pattern, text, flags) { const found = $compiled(pattern, flags).regex("y").exec($subject(text)); return found && new $Match(found, text); }
function $re_fullmatch(pattern, text, flags) {
  const { js } = $compiled(pattern, flags);
  const found = new RegExp(`(?:${js[0]})(?![\\s\\S])`, `${js[1]}y`).exec($subject(text));
  return found && new $Match(found, text);
}
function $re_finditer(pattern, text, flags) { return [...$subject(text).matchAll($compiled(pattern, flags).regex("g"))].map((found) => new $Match(found, text)); }
function $re_findall(pattern, text, flags) {
  return $re_finditer(pattern, text, flags).map(({ found }) => (found.length === 1 ? found[0] : found.length === 2 ? found[1] ?? "" : found.slice(1).map((group) => group ?? "")));
}
function $expand(match, template) {
  return template.replace(/\\(g<(\w+)>|(\d{1,2})|.)/gs, (escape, rest, name, digits) => {
    if (name !== undefined || digits !== undefined) return $m_group(match, digits !== undefined ? Number(digits) : /^\d+$/.test(name) ? Number(name) : name) ?? "";
    return { n: "\n", t: "\t", r: "\r", "\\": "\\" }[rest] ?? (/[a-zA-Z]/.test(rest) ? $raise("error", `bad escape ${escape} at position 0`) : escape);
  });
}
function $re_sub(pattern, replacement, text, count = 0, flags = 0) {
  let left = count || Infinity;
  return $subject(text).replace($compiled(pattern, flags).regex("g"), (...found) => {
    if (left-- <= 0) return found[0];
    const names = typeof found.at(-1) === "object" ? found.pop() : undefined;
    const whole = found.splice(-2);
    const match = new $Match(Object.assign(found, { index: whole[0], groups: names }), text);
    return typeof replacement === "string" ? $expand(match, replacement) : replacement(match);
  });
}
function $re_split(pattern, text, most = 0, flags = 0) {
  const [parts, left] = [[], most || Infinity];
  let [from, count] = [0, 0];
  for (const found of $subject(text).matchAll($compiled(pattern, flags).regex("g"))) {
    if (count++ >= left) break;
    parts.push(text.slice(from, found.index), ...found.slice(1).map((group) => group ?? null));
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}
function $re_escape(text) { return text.replace(/[\s#$&()*+\-.?[\\\]^{|}~]/g, (c) => `\\${c}`); }
function $m_group(match, ...names) {
  if (!(match instanceof $Match)) $missing(match, "group");
  const groups = (names.length ? names : [0]).map((name) => {
    const isKnown = typeof name === "number" ? name in match.found : match.found.groups && name in match.found.groups;
    if (!isKnown) $raise("IndexError", "no such group");
    return (typeof name === "number" ? match.found[name] : match.found.groups[name]) ?? null;
  });
  return groups.length === 1 ? groups[0] : groups;
}
function $m_groups(match) { if (!(match instanceof $Match)) $missing(match, "groups"); return match.found.slice(1).map((group) => group ?? null); }
function $m_groupdict(match) { if (!(match instanceof $Match)) $missing(match, "groupdict"); return $in(match.found.groups ?? {}); }
function $m_start(match) { if (!(match instanceof $Match)) $missing(match, "start"); return $len(match.text.slice(0, match.found.index)); }
function $m_end(match) { return $m_start(match) + $len(match.found[0]); }
function $m_span(match) { return [$m_start(match), $m_end(match)]; }
function $onPattern(v, name) { if (!(v instanceof $Pattern)) $missing(v, name); return v; }
function $m_search(v, text) { return $re_search($onPattern(v, "search"), text); }
function $m_match(v, text) { return $re_match($onPattern(v, "match"), text); }
function $m_fullmatch(v, text) { return $re_fullmatch($onPattern(v, "fullmatch"), text); }
function $m_findall(v, text) { return $re_findall($onPattern(v, "findall"), text); }
function $m_finditer(v, text) { return $re_finditer($onPattern(v, "finditer"), text); }
function $m_sub(v, replacement, text, count) { return $re_sub($onPattern(v, "sub"), replacement, text, count); }
function $math_floor(v) { return $whole(Math.floor(Number(v))); }
function $math_ceil(v) { return $whole(Math.ceil(Number(v))); }
function $math_sqrt(v) { if (Number(v) < 0) $raise("ValueError", "math domain error"); return $real(Math.sqrt(Number(v))); }
function $math_isnan(v) { return Number.isNaN(Number(v)); }
function $math_isinf(v) { return Math.abs(Number(v)) === Infinity; }
function $math_fabs(v) { return $real(Math.abs(Number(v))); }
function $random_random() { return $real(Math.random()); }
function $random_randint(from, to) { return from + Math.floor(Math.random() * (to - from + 1)); }
function $random_choice(items) { if (items.length === 0) $raise("IndexError", "Cannot choose from an empty sequence"); return $at(items, Math.floor(Math.random() * $len(items))); }
function $random_sample(items, count) { const copy = [...$iter(items)]; $random_shuffle(copy); if (count > copy.length) $raise("ValueError", "Sample larger than population or is negative"); return copy.slice(0, count); }
function $random_shuffle(items) { for (let i = items.length - 1; i > 0; i--) { const j = Math.floor(Math.random() * (i + 1)); [items[i], items[j]] = [items[j], items[i]]; } return null; }
function $random_uniform(from, to) { return $real(Number(from) + Math.random() * (Number(to) - Number(from))); }
function $time_time() { return $real(Date.now() / 1000); }
function $time_sleep() { return null; }
function $uuid_uuid4() { return crypto.randomUUID(); }
function $defaultdict(made = null) { const map = new Map(); if (made) map.missing = made; return map; }
function $Counter(items = []) { const map = new Map(); for (const item of $iter(items)) map.set($key(item), (map.get($key(item)) ?? 0) + 1); map.missing = () => 0; return map; }
function $m_most_common(v, most) { return [...$dict(v, "most_common")].sort((a, b) => b[1] - a[1]).slice(0, most ?? v.size); }
function $deepcopy(v) { return Array.isArray(v) ? v.map($deepcopy) : v instanceof Map ? new Map([...v].map(([key, item]) => [key, $deepcopy(item)])) : v instanceof Set ? new Set(v) : v; }
class $Delta {
  static typeName = "timedelta";
  constructor(ms) { this.ms = ms; }
  get days() { return Math.floor(this.ms / 86400000); }
  get seconds() { return Math.floor((this.ms - this.days * 86400000) / 1000); }
  get microseconds() { return $mod(this.ms, 1000) * 1000; }
  compare(other) { return this.ms - other.ms; }
  plus(other, sign) { return other instanceof $Delta ? new $Delta(this.ms + sign * other.ms) : $m_plusDate(other, this); }
  text() {
    const [days, rest] = [this.days, this.ms - this.days * 86400000];
    const clock = `${Math.floor(rest / 3600000)}:${String(Math.floor(rest / 60000) % 60).padStart(2, "0")}:${String(Math.floor(rest / 1000) % 60).padStart(2, "0")}${rest % 1000 ? `.${String((rest % 1000) * 1000).padStart(6, "0")}` : ""}`;
    return days === 0 ? clock : `${days} day${Math.abs(days) === 1 ? "" : "s"}, ${clock}`;
  }
}
function $m_plusDate(date, delta) { if (!(date instanceof $DateTime)) $raise("TypeError", `unsupported operand type(s) for +: 'timedelta' and '${$typeName(date)}'`); return date.plus(delta, 1); }
const $UTC = { offset: 0, isUtc: true, constructor: { typeName: "timezone" } };
const $DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const $MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
class $DateTime {
  static typeName = "datetime";
  constructor(local, zone, isDate) { this.local = local; this.zone = zone; this.isDate = isDate; this.at = new Date(local); }
  get year() { return this.at.getUTCFullYear(); }
  get month() { return this.at.getUTCMonth() + 1; }
  get day() { return this.at.getUTCDate(); }
  get hour() { return this.at.getUTCHours(); }
  get minute() { return this.at.getUTCMinutes(); }
  get second() { return this.at.getUTCSeconds(); }
  get microsecond() { return this.at.getUTCMilliseconds() * 1000; }
  get ms() { return this.local - (this.zone ? this.zone.offset : 0); }
  compare(other) { if (!this.zone !== !other.zone) $raise("TypeError", "can't compare offset-naive and offset-aware datetimes"); return this.ms - other.ms; }
  plus(other, sign) {
    if (other instanceof $Delta) return new $DateTime(this.local + sign * (this.isDate ? Math.floor(other.ms / 86400000) * 86400000 : other.ms), this.zone, this.isDate);
    if (other instanceof $DateTime && sign < 0) { if (!this.zone !== !other.zone) $raise("TypeError", "can't subtract offset-naive and offset-aware datetimes"); return new $Delta(this.ms - other.ms); }
    $raise("TypeError", `unsupported operand type(s) for ${sign < 0 ? "-" : "+"}: 'datetime.datetime' and '${$typeName(other)}'`);
  }
  offsetText(colon) { const size = Math.abs(this.zone.offset) / 60000; return `${this.zone.offset < 0 ? "-" : "+"}${String(Math.floor(size / 60)).padStart(2, "0")}${colon}${String(size % 60).padStart(2, "0")}`; }
  text() { return this.iso(" "); }
  iso(between) {
    const iso = this.at.toISOString();
    return this.isDate ? iso.slice(0, 10) : iso.slice(0, 10) + between + iso.slice(11, 19) + (this.microsecond ? `.${String(this.microsecond).padStart(6, "0")}` : "") + (this.zone ? this.offsetText(":") : "");
  }
  strftime(format) {
    const two = (n) => String(n).padStart(2, "0");
    const start = Date.UTC(this.year, 0, 1);
    const codes = {
      Y: () => String(this.year), m: () => two(this.month), d: () => two(this.day), H: () => two(this.hour), M: () => two(this.minute), S: () => two(this.second),
      y: () => two(this.year % 100), f: () => String(this.microsecond).padStart(6, "0"), I: () => two(this.hour % 12 || 12), p: () => (this.hour < 12 ? "AM" : "PM"),
      A: () => $DAYS[this.at.getUTCDay()], a: () => $DAYS[this.at.getUTCDay()].slice(0, 3), B: () => $MONTHS[this.month - 1], b: () => $MONTHS[this.month - 1].slice(0, 3),
      w: () => String(this.at.getUTCDay()), j: () => String(Math.floor((this.local - start) / 86400000) + 1).padStart(3, "0"), F: () => this.at.toISOString().slice(0, 10),
      T: () => this.at.toISOString().slice(11, 19), z: () => (this.zone ? this.offsetText("") : ""), Z: () => (this.zone ? (this.zone.isUtc ? "UTC" : `UTC${this.offsetText(":")}`) : ""), s: () => String(Math.floor(this.ms / 1000)), "%": () => "%",
    };
    return format.replace(/%([\s\S])/g, (code, c) => (codes[c] ? codes[c]() : $raise("NotImplementedError", `the format ${code} is not translated`)));
  }
}
function $field(v, name) { if (!(v instanceof $DateTime || v instanceof $Delta) || !(name in v)) $missing(v, name); return v[name]; }
function $zoned(ms, zone) { return new $DateTime(ms + (zone ? zone.offset : 0), zone ?? null); }
function $datetime(year, month, day, hour = 0, minute = 0, second = 0, microsecond = 0, zone = null) {
  const at = Date.UTC(year, month - 1, day, hour, minute, second, Math.floor(microsecond / 1000));
  const made = new $DateTime(at, zone);
  if (made.month !== month || made.day !== day || made.hour !== hour || made.minute !== minute) $raise("ValueError", "day is out of range for month");
  return made;
}
function $datetime_now(zone) { return $zoned(Date.now(), zone); }
function $datetime_utcnow() { return $zoned(Date.now(), null); }
function $datetime_today() { return $zoned(Date.now(), null); }
function $date_today() { const now = Date.now(); return new $DateTime(now - (now % 86400000), null, true); }
function $datetime_fromtimestamp(seconds, zone) { return $zoned(Math.round(Number(seconds) * 1000), zone); }
function $datetime_fromisoformat(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3,6}))?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?$/.exec(text);
  if (!found) $raise("ValueError", `Invalid isoformat string: ${$repr(text)}`);
  const zone = found[8] ? $UTC : found[9] ? $timezone(new $Delta((found[9] === "-" ? -1 : 1) * (found[10] * 60 + Number(found[11])) * 60000)) : null;
  return $datetime(+found[1], +found[2], +found[3], +(found[4] ?? 0), +(found[5] ?? 0), +(found[6] ?? 0), +(found[7] ?? "0").padEnd(6, "0"), zone);
}
function $datetime_strptime(text, format) {
  const parts = { Y: "(\\d{4})", m: "(1[0-2]|0?[1-9])", d: "(3[01]|[12]\\d|0?[1-9])", H: "(2[0-3]|[01]?\\d)", M: "([0-5]?\\d)", S: "([0-5]?\\d)", f: "(\\d{1,6})" };
  const names = [];
  const pattern = format.replace(/%([\s\S])|[\\^$.*+?()[\]{}|\/]/g, (code, c) => {
    if (c === undefined) return `\\${code}`;
    if (!parts[c]) $raise("NotImplementedError", `the format ${code} is not translated`);
    names.push(c);
    return parts[c];
  }).replace(/\s+/g, "\\s+");
  const found = new RegExp(`^${pattern}$`).exec(text);
  if (!found) $raise("ValueError", `time data ${$repr(text)} does not match format ${$repr(format)}`);
  const read = (name, otherwise) => (names.includes(name) ? Number(found[names.indexOf(name) + 1]) : otherwise);
  const micro = names.includes("f") ? Number(found[names.indexOf("f") + 1].padEnd(6, "0")) : 0;
  return $datetime(read("Y", 1900), read("m", 1), read("d", 1), read("H", 0), read("M", 0), read("S", 0), micro);
}
function $timedelta(days = 0, seconds = 0, microseconds = 0, milliseconds = 0, minutes = 0, hours = 0, weeks = 0) {
  return new $Delta(((((Number(weeks) * 7 + Number(days)) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds) + Math.floor(Number(microseconds) / 1000));
}
function $timezone(delta) { return { offset: delta.ms, isUtc: delta.ms === 0, constructor: { typeName: "timezone" } }; }
function $onDate(v, name) { if (!(v instanceof $DateTime)) $missing(v, name); return v; }
function $m_strftime(v, format) { return $onDate(v, "strftime").strftime(format); }
function $m_isoformat(v) { return $onDate(v, "isoformat").iso("T"); }
function $m_timestamp(v) { return $real($onDate(v, "timestamp").ms / 1000); }
function $m_weekday(v) { return ($onDate(v, "weekday").at.getUTCDay() + 6) % 7; }
function $m_isoweekday(v) { return $onDate(v, "isoweekday").at.getUTCDay() || 7; }
function $m_date(v) { return new $DateTime($onDate(v, "date").local - $mod(v.local, 86400000), null, true); }
function $m_astimezone(v, zone) { return $zoned($onDate(v, "astimezone").ms, zone ?? $UTC); }
function $m_total_seconds(v) { if (!(v instanceof $Delta)) $missing(v, "total_seconds"); return $real(v.ms / 1000); }
function $changedDate(v, change) {
  const of = $onDate(v, "replace");
  const read = (name) => change[name] ?? of[name];
  const zone = "tzinfo" in change ? change.tzinfo : of.zone;
  return $datetime(read("year"), read("month"), read("day"), read("hour"), read("minute"), read("second"), read("microsecond"), zone);
}
