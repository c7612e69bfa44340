// Splits HTML into tags, texts and comments, as the HTML standard says. It never fails.
(function (n8n) {
  'use strict';

  // --- Character references ---

  const REFERENCE = /&(?:#(?:[xX]([0-9a-fA-F]+)|(\d+));?|([a-zA-Z][a-zA-Z0-9]*)(;?))/g;
  // Browsers read these numbers as windows-1252.
  const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
  const fromCode = (code) => {
    if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252[code - 0x80];
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
  };
  const LONGEST_LEGACY = 6;
  const fromName = (all, name, semicolon, next, isAttribute) => {
    const { html, legacy } = n8n.entities();
    if (semicolon !== '' && html[name] !== undefined) return html[name];
    for (let length = Math.min(name.length, LONGEST_LEGACY); length > 1; length--) {
      const char = legacy[name.slice(0, length)];
      if (char === undefined) continue;
      // In an attribute, "&copy=1" is a part of an address.
      const follower = length < name.length ? name[length] : semicolon || next;
      if (isAttribute && follower !== ';' && /[=a-zA-Z0-9]/.test(follower ?? '')) return all;
      return char + all.slice(1 + length);
    }
    return all;
  };
  n8n.decodeHtml = (text, isAttribute = false) =>
    text.includes('&')
      ? text.replace(REFERENCE, (all, hex, decimal, name, semicolon, at) => {
          if (name !== undefined) return fromName(all, name, semicolon, text[at + all.length], isAttribute);
          return fromCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
        })
      : text;

  // --- Tokens ---

  const TEXT = /[^<]+/y;
  const NAME = /[^\t\n\f\r />]+/y;
  const BEFORE_ATTRIBUTE = /[\t\n\f\r /]*/y;
  const ATTRIBUTE = /=?[^\t\n\f\r />=]*/y;
  const EQUALS = /[\t\n\f\r ]*(?:=[\t\n\f\r ]*)?/y;
  const VALUE = /"([^"]*)"|'([^']*)'|(?!["'])([^\t\n\f\r >]*)/y;
  const COMMENT = /<!--(?:>|->|([^]*?)(?:--!?>|$))/y;
  const DECLARATION = /<[!?/]([^>]*)>?/y;
  // Of the elements whose contents are text, these have character references.
  const HAS_REFERENCES = new Set(['title', 'textarea']);

  /**
   * Calls `onText(text)`, `onStart(name, attributes, isSelfClosing)`, `onEnd(name)`, `onComment(text)` and `onDoctype(text)`.
   * `onStart` returns true if the element was created and its contents are text.
   */
  n8n.scanHtml = (source, { onText, onStart, onEnd, onComment, onDoctype }) => {
    const text = source.replace(/\r\n?/g, '\n').replaceAll('\0', '');
    let at = 0;
    const match = (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found !== null) at = pattern.lastIndex;
      return found;
    };
    const takeAttributes = () => {
      const attributes = {};
      for (;;) {
        const [skipped] = match(BEFORE_ATTRIBUTE);
        if (at >= text.length) return undefined;
        if (text[at] === '>') {
          at++;
          return { attributes, isSelfClosing: skipped.endsWith('/') };
        }
        const name = match(ATTRIBUTE)[0].toLowerCase();
        let value = '';
        if (match(EQUALS)[0].includes('=')) {
          const found = match(VALUE);
          if (found === null) return undefined;
          value = n8n.decodeHtml(found[1] ?? found[2] ?? found[3], true);
        }
        if (!Object.hasOwn(attributes, name)) {
          Object.defineProperty(attributes, name, { value, writable: true, enumerable: true, configurable: true });
        }
      }
    };
    // The text up to the end tag of a raw element.
    const takeRaw = (name) => {
      const end = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi');
      end.lastIndex = at;
      // Nothing ends `plaintext`.
      const found = name === 'plaintext' ? null : end.exec(text);
      const raw = text.slice(at, found === null ? text.length : found.index);
      at += raw.length;
      if (raw !== '') onText(HAS_REFERENCES.has(name) ? n8n.decodeHtml(raw) : raw);
    };
    const takeTag = () => {
      const isEnd = text[at + 1] === '/';
      at += isEnd ? 2 : 1;
      const name = match(NAME)[0].toLowerCase();
      const tag = takeAttributes();
      // The end of the text ends a tag without using it.
      if (tag === undefined) {
        at = text.length;
      } else if (isEnd) {
        onEnd(name);
      } else {
        if (onStart(name, tag.attributes, tag.isSelfClosing)) takeRaw(name);
      }
    };
    while (at < text.length) {
      if (text[at] !== '<') {
        onText(n8n.decodeHtml(match(TEXT)[0]));
        continue;
      }
      const next = text[at + 1] ?? '';
      if (/[a-zA-Z]/.test(next) || (next === '/' && /[a-zA-Z]/.test(text[at + 2] ?? ''))) {
        takeTag();
      } else if (next === '!' && text[at + 2] === '-' && text[at + 3] === '-') {
        onComment(match(COMMENT)[1] ?? '');
      } else if (next === '!' || next === '?' || (next === '/' && at + 2 < text.length)) {
        if (next === '/' && text[at + 2] === '>') {
          at += 3;
          continue;
        }
        const [, content] = match(DECLARATION);
        if (next === '!' && /^doctype/i.test(content)) onDoctype(content.slice(7).trim());
        else onComment(next === '?' ? '?' + content : content);
      } else {
        onText('<');
        at++;
      }
    }
  };
})
