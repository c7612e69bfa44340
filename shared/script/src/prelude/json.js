// The messages of `JSON.parse`, as in V8. Workflows show them, and people search for them. The engine has other texts, and counts
// positions in bytes.
(function (host) {
  'use strict';

  const { JSON, RegExp, String, SyntaxError } = globalThis;
  const { charge, hide, replace, uncurry } = host;
  const { apply } = Reflect;
  const exec = uncurry(RegExp.prototype.exec);
  const slice = uncurry(String.prototype.slice);
  const NEAR = 10;
  const SPECIAL = ['NaN', 'Infinity', 'undefined', '[object Object]'];
  const LITERALS = { t: 'true', f: 'false', n: 'null' };
  const patterns = { space: /[ \t\n\r]*/y, chars: /[^"\\\u0000-\u001f]*/y, digits: /\d*/y, hex: /[\da-fA-F]{0,4}/y };

  const at = (text, position) => {
    const LINE = /\r\n|[\n\r]/g;
    let line = 1;
    let start = 0;
    for (let found = exec(LINE, text); found !== null && LINE.lastIndex <= position; found = exec(LINE, text)) {
      line += 1;
      start = LINE.lastIndex;
    }
    return ' at position ' + position + ' (line ' + line + ' column ' + (position - start + 1) + ')';
  };

  const unexpected = (text, position) => {
    const found = text[position];
    if (found === undefined) return 'Unexpected end of JSON input';
    if (found === '"') return 'Unexpected string in JSON' + at(text, position);
    if (exec(/[-\d]/, found) !== null) return 'Unexpected number in JSON' + at(text, position);
    for (let i = 0; i < SPECIAL.length; i++) if (text === SPECIAL[i]) return '"' + text + '" is not valid JSON';
    const isShort = text.length <= 2 * NEAR;
    const isStart = isShort || position < NEAR;
    const isEnd = isShort || (!isStart && position >= text.length - NEAR);
    const part = slice(text, isStart ? 0 : position - NEAR, isEnd ? text.length : position + NEAR);
    return "Unexpected token '" + found + "', " + (isStart ? '' : '...') + '"' + part + '"' + (isEnd ? '' : '...') + ' is not valid JSON';
  };

  /** The message for a text that is not JSON. Undefined if it is JSON. */
  const explain = (text) => {
    let position = 0;
    let message;
    const skip = (pattern) => {
      pattern.lastIndex = position;
      const [skipped] = exec(pattern, text);
      position += skipped.length;
      return skipped.length;
    };
    const fail = (problem) => {
      message = problem === undefined ? unexpected(text, position) : problem + at(text, position);
      return false;
    };
    const check = (found) => {
      skip(patterns.space);
      if (text[position] !== found) return false;
      position += 1;
      return true;
    };
    const string = () => {
      for (;;) {
        skip(patterns.chars);
        const end = text[position];
        if (end === undefined) return fail('Unterminated string in JSON');
        if (end === '"') break;
        if (end !== '\\') return fail('Bad control character in string literal in JSON');
        position += 1;
        const escaped = text[position];
        if (escaped === undefined) return fail();
        if (exec(/["\\/bfnrtu]/, escaped) === null) return fail(escaped > 'ÿ' ? undefined : 'Bad escaped character in JSON');
        position += 1;
        if (escaped === 'u' && skip(patterns.hex) < 4) return fail('Bad Unicode escape in JSON');
      }
      position += 1;
      return true;
    };
    const number = () => {
      if (text[position] === '-') {
        position += 1;
        if (exec(/\d/, text[position] ?? '') === null) return fail('No number after minus sign in JSON');
      }
      const isZero = text[position] === '0';
      if (isZero) position += 1;
      if (skip(patterns.digits) > 0 && isZero) {
        position -= 1;
        return fail('Unexpected number in JSON');
      }
      if (text[position] === '.') {
        position += 1;
        if (skip(patterns.digits) === 0) return fail('Unterminated fractional number in JSON');
      }
      if (text[position] === 'e' || text[position] === 'E') {
        position += 1;
        if (text[position] === '+' || text[position] === '-') position += 1;
        if (skip(patterns.digits) === 0) return fail('Exponent part is missing a number in JSON');
      }
      return true;
    };
    // V8 names the missing colon only in the first property.
    const name = (problem, withoutColon) => {
      if (!check('"')) return fail(problem);
      return string() && (check(':') || fail(withoutColon));
    };

    // The containers that are open: true for an object.
    const open = [];
    for (;;) {
      skip(patterns.space);
      const first = text[position];
      if (first === '{' || first === '[') {
        position += 1;
        const isObject = first === '{';
        if (!check(isObject ? '}' : ']')) {
          open[open.length] = isObject;
          if (isObject && !name("Expected property name or '}' in JSON", "Expected ':' after property name in JSON")) return message;
          continue;
        }
      } else if (first === '"') {
        position += 1;
        if (!string()) return message;
      } else if (first !== undefined && exec(/[-\d]/, first) !== null) {
        if (!number()) return message;
      } else {
        const literal = first === undefined ? undefined : LITERALS[first];
        let matched = 0;
        while (literal !== undefined && matched < literal.length && text[position] === literal[matched]) {
          position += 1;
          matched += 1;
        }
        if (literal === undefined || matched < literal.length) return fail() || message;
      }
      // After a value.
      for (;;) {
        if (open.length === 0) {
          skip(patterns.space);
          return position < text.length ? 'Unexpected non-whitespace character after JSON' + at(text, position) : undefined;
        }
        const isObject = open[open.length - 1];
        if (check(',')) {
          if (isObject && !name('Expected double-quoted property name in JSON')) return message;
          break;
        }
        if (!check(isObject ? '}' : ']')) {
          return fail("Expected ',' or '" + (isObject ? "}' after property value" : "]' after array element") + ' in JSON') || message;
        }
        open.length -= 1;
      }
    }
  };

  replace(JSON, 'parse', (native) => ({
    parse(value, reviver) {
      const text = typeof value === 'string' ? value : String(value);
      try {
        return apply(native, JSON, arguments.length > 1 ? [text, reviver] : [text]);
      } catch (error) {
        if (error instanceof SyntaxError) {
          charge(text.length >> 3);
          // A reviver may throw, too.
          const message = explain(text);
          if (message !== undefined) hide(error, 'message', message);
        }
        throw error;
      }
    },
  }).parse);
})
