// JSON as people write it in n8n's fields: with expressions inside, and with the mistakes that n8n repairs.
(function (n8n) {
  'use strict';

  /**
   * The text of a JSON field with expressions: jsonText`{"a": ${() => $json.a}}`. Objects become JSON; a text stays as it is,
   * because the author writes the quotes.
   */
  n8n.jsonText = (texts, ...pieces) => {
    let text = texts[0];
    for (let i = 0; i < pieces.length; i++) {
      const value = n8n.value(pieces[i]) ?? null;
      text += (n8n.isObject(value) ? JSON.stringify(value) : String(value)) + texts[i + 1];
    }
    return text;
  };

  const WORDS = new Map([
    ['true', true], ['True', true], ['false', false], ['False', false], ['null', null], ['None', null], ['undefined', null],
  ]);
  const QUOTES = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’' };
  const ESCAPES = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
  const SPACE = /\s/;
  const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
  const { FAILED } = n8n;

  class Reader {
    constructor(text) {
      this.text = text;
      this.at = 0;
    }
    /** Moves over spaces and comments, and returns the next character. */
    next() {
      const { text } = this;
      for (;;) {
        while (this.at < text.length && SPACE.test(text[this.at])) this.at++;
        if (text.startsWith('//', this.at)) this.at = this.end('\n');
        else if (text.startsWith('/*', this.at)) this.at = this.end('*/');
        else return text[this.at];
      }
    }
    end(mark) {
      const found = this.text.indexOf(mark, this.at);
      return found < 0 ? this.text.length : found + mark.length;
    }
    value() {
      const char = this.next();
      if (char === '{') return this.object();
      if (char === '[') return this.list();
      if (char in QUOTES) return this.string();
      return this.word();
    }
    object() {
      const result = {};
      this.at++;
      for (;;) {
        while (this.next() === ',') this.at++;
        const char = this.next();
        if (char === undefined || char === ']') return result;
        if (char === '}') break;
        const key = char in QUOTES ? this.string() : this.match(/[\w$-]+/y);
        if (key === FAILED || this.next() !== ':') return FAILED;
        this.at++;
        const value = this.value();
        if (value === FAILED) return FAILED;
        n8n.setField(result, key, value);
      }
      this.at++;
      return result;
    }
    list() {
      const result = [];
      this.at++;
      for (;;) {
        while (this.next() === ',') this.at++;
        const char = this.next();
        if (char === undefined || char === '}') return result;
        if (char === ']') break;
        const value = this.value();
        if (value === FAILED) return FAILED;
        result.push(value);
      }
      this.at++;
      return result;
    }
    string() {
      const { text } = this;
      const close = QUOTES[text[this.at]];
      let result = '';
      for (this.at++; this.at < text.length; this.at++) {
        const char = text[this.at];
        if (char === '\\') {
          this.at++;
          const code = text[this.at] === 'u' ? /^[\da-fA-F]{4}/.exec(text.slice(this.at + 1, this.at + 5)) : null;
          result += code ? String.fromCharCode(parseInt(code[0], 16)) : ESCAPES[text[this.at]] ?? text[this.at] ?? '';
          if (code) this.at += 4;
        } else if (char === close && this.closes()) {
          this.at++;
          return result;
        } else {
          result += char;
        }
      }
      return result;
    }
    /** A quote inside a text is often not escaped. A quote ends the text only if a separator follows it. */
    closes() {
      const after = /\s*(?:[,:\]}/]|\n|$|\s"[^"\n]*"\s*:)/y;
      after.lastIndex = this.at + 1;
      return after.test(this.text);
    }
    word() {
      const word = this.match(/(?:(?!\/\*)[^,[\]{}"'\n])+/y);
      // A member without a value, as in {"a": }.
      if (word === FAILED) return ',}'.includes(this.next() ?? '') ? null : FAILED;
      const text = word.trim();
      if (WORDS.has(text)) return WORDS.get(text);
      return NUMBER.test(text) ? Number(text) : text;
    }
    match(pattern) {
      pattern.lastIndex = this.at;
      const match = pattern.exec(this.text);
      if (match === null) return FAILED;
      this.at = pattern.lastIndex;
      return match[0];
    }
  }

  /** The value of a text of JSON, or FAILED. It repairs what n8n repairs. */
  n8n.parseLoosely = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      const reader = new Reader(text);
      if (reader.next() === undefined) return FAILED;
      const value = reader.value();
      return value === FAILED || reader.next() !== undefined ? FAILED : value;
    }
  };
})
