// Reading and writing XML, by the rules of n8n's XML node.
(function (n8n) {
  'use strict';

  // --- Reading: the document as an object ---

  const START = ':_A-Za-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef' +
    '\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd';
  const BODY = START + '\\xb7\\u0300-\\u036f\\u203f\\u2040.\\d-';
  const NAME = new RegExp(`[${START}][${BODY}]*`, 'y');
  const ENTITY = new RegExp(`[#${START}][#${BODY}]*`, 'y');
  const SPACE = /[ \t\r\n]*/y;
  const TEXT = /[^<&]*/y;
  const VALUES = { '"': /[^"&]*/y, "'": /[^'&]*/y };
  const isBlank = (text) => /^\s*$/.test(text);
  const isXmlChar = (code) =>
    code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);

  /** Calls `open(name, attributes)`, `close()` and `addText(text, isCdata)` in the order of the document, up to the end of its root. */
  const scan = (text, { open, close, addText }) => {
    let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    const names = [];

    const fail = (message, place) => {
      const before = text.slice(0, place + 1).split('\n');
      throw new Error(`${message}\nLine: ${before.length - 1}\nColumn: ${before.at(-1).length}\nChar: ${text[place] ?? ''}`);
    };
    const failAtEnd = () => fail(names.length > 0 ? 'Unclosed root tag' : 'Unexpected end', text.length);
    const take = (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) return '';
      at = pattern.lastIndex;
      return found[0];
    };
    // Moves behind the next occurrence of the pattern, and returns what is before it.
    const takeUntil = (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) failAtEnd();
      const taken = text.slice(at, found.index);
      at = pattern.lastIndex;
      return taken;
    };
    const takeEntity = () => {
      at++;
      const name = take(ENTITY);
      if (at >= text.length) failAtEnd();
      if (text[at] !== ';') fail('Invalid character in entity name', at);
      const { xml } = n8n.entities();
      const code = /^#(?:x0*([0-9a-f]+)|0*(\d+))$/i.exec(name);
      const number = code === null ? NaN : code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16);
      const char = xml[name] ?? xml[name.toLowerCase()] ?? (isXmlChar(number) ? String.fromCodePoint(number) : undefined);
      if (char === undefined) fail('Invalid character entity', at);
      at++;
      return char;
    };
    const takeText = (pattern, quote) => {
      let taken = take(pattern);
      while (text[at] === '&') taken += takeEntity() + take(pattern);
      if (quote !== undefined && at >= text.length) failAtEnd();
      return taken;
    };
    const takeAttributes = () => {
      const attributes = [];
      for (;;) {
        const space = take(SPACE);
        const char = text[at];
        if (char === undefined) failAtEnd();
        if (char === '>' || char === '/') return attributes;
        const start = at;
        const name = take(NAME);
        if (name === '') fail('Invalid attribute name', at);
        if (space === '') fail('No whitespace between attributes', start);
        const hasSpace = take(SPACE) !== '';
        if (text[at] === undefined) failAtEnd();
        if (text[at] !== '=') fail(hasSpace || text[at] === '>' ? 'Attribute without value' : 'Invalid attribute name', at);
        at++;
        take(SPACE);
        const quote = text[at];
        if (quote === undefined) failAtEnd();
        if (quote !== '"' && quote !== "'") fail('Unquoted attribute value', at);
        at++;
        attributes.push([name, takeText(VALUES[quote], quote)]);
        at++;
      }
    };
    // Returns false at the end of the root.
    const takeOpening = () => {
      const name = take(NAME);
      if (name === '') fail('Unencoded <', at);
      if (at < text.length && !' \t\r\n>/'.includes(text[at])) fail('Invalid character in tag name', at);
      const attributes = takeAttributes();
      const isEmpty = text[at] === '/';
      if (isEmpty) at++;
      if (text[at] === undefined) failAtEnd();
      if (text[at] !== '>') fail('Forward-slash in opening tag not followed by >', at);
      at++;
      open(name, attributes);
      if (isEmpty) close();
      else names.push(name);
      return names.length > 0;
    };
    const takeClosing = () => {
      take(SPACE);
      const name = take(NAME);
      if (name === '') fail('Invalid tagname in closing tag.', at);
      const hasSpace = take(SPACE) !== '';
      if (text[at] === undefined) failAtEnd();
      if (text[at] !== '>') fail(hasSpace ? 'Invalid characters in closing tag' : 'Invalid tagname in closing tag', at);
      if (names.length === 0) fail(`Unmatched closing tag: ${name}`, at);
      if (names.at(-1) !== name) fail('Unexpected close tag', at);
      at++;
      names.pop();
      close();
      return names.length > 0;
    };
    const takeDoctype = () => {
      const isDoctype = /^doctype$/i.test(text.slice(at, at + 7));
      if (isDoctype && names.length > 0) fail('Inappropriately located doctype declaration', at + 6);
      for (let depth = 1; depth > 0;) {
        takeUntil(/["'<>[\]]/g);
        const char = text[at - 1];
        if (char === '"') takeUntil(/"/g);
        else if (char === "'") takeUntil(/'/g);
        else depth += char === '<' || char === '[' ? 1 : -1;
      }
    };
    const takeDeclaration = () => {
      if (text[at] === '-' && text[at + 1] === '-') {
        at += 2;
        takeUntil(/--/g);
        if (text[at] !== '>') fail('Malformed comment', at);
        at++;
      } else if (names.length > 0 && /^\[CDATA\[/i.test(text.slice(at, at + 7))) {
        at += 7;
        const cdata = takeUntil(/\]\]>/g);
        if (cdata !== '') addText(cdata, true);
      } else {
        takeDoctype();
      }
    };

    take(SPACE);
    if (at < text.length && text[at] !== '<') fail('Non-whitespace before first tag.', at);
    while (at < text.length) {
      if (names.length === 0) {
        take(SPACE);
        if (at >= text.length) break;
        if (text[at] !== '<') fail('Text data outside of root node.', at);
      } else if (text[at] !== '<') {
        addText(takeText(TEXT), false);
        continue;
      }
      at++;
      take(SPACE);
      const char = text[at];
      if (char === undefined) failAtEnd();
      if (char === '!') {
        at++;
        takeDeclaration();
      } else if (char === '?') {
        takeUntil(/\?>/g);
      } else if (char === '/') {
        at++;
        if (!takeClosing()) return;
      } else if (!takeOpening()) {
        return;
      }
    }
    if (names.length > 0) failAtEnd();
  };

  const READ_DEFAULTS = {
    attrkey: '$', charkey: '_', explicitArray: false, explicitRoot: true, ignoreAttrs: false, mergeAttrs: true, normalize: false,
    normalizeTags: false, trim: false,
  };
  /** The document as an object. */
  n8n.readXml = (text, given) => {
    const options = { ...READ_DEFAULTS, ...given };
    const { attrkey, charkey } = options;
    const stack = [];
    let result;
    // A name that occurs again becomes a list.
    const add = (object, key, value) => {
      if (!Object.hasOwn(object, key)) n8n.setField(object, key, options.explicitArray ? [value] : value);
      else if (Array.isArray(object[key])) object[key].push(value);
      else n8n.setField(object, key, [object[key], value]);
    };
    const finish = ({ object, text: content, isCdata }) => {
      const isEmpty = Object.keys(object).length === 0;
      if (isBlank(content) && !isCdata) return isEmpty ? content : object;
      let shown = options.trim ? content.trim() : content;
      if (options.normalize) shown = shown.replace(/\s\s+/g, ' ').trim();
      return isEmpty ? shown : { [charkey]: shown, ...object };
    };
    scan(text, {
      open(name, attributes) {
        const object = {};
        const seen = new Set();
        for (const [key, value] of options.ignoreAttrs ? [] : attributes) {
          if (seen.has(key)) continue;
          seen.add(key);
          if (options.mergeAttrs) {
            add(object, key, value);
          } else {
            if (!Object.hasOwn(object, attrkey)) n8n.setField(object, attrkey, {});
            n8n.setField(object[attrkey], key, value);
          }
        }
        stack.push({ name: options.normalizeTags ? name.toLowerCase() : name, object, text: '', isCdata: false });
      },
      addText(content, isCdata) {
        const top = stack.at(-1);
        top.text += content;
        if (isCdata) top.isCdata = true;
      },
      close() {
        const top = stack.pop();
        const value = finish(top);
        if (stack.length > 0) add(stack.at(-1).object, top.name, value);
        else result = options.explicitRoot ? { [top.name]: value } : value;
      },
    });
    if (result === undefined) throw new Error('The XML has no elements.');
    return result;
  };

  // --- Writing ---

  const LEGAL_NAME = new RegExp(`^[${START}][${BODY}]*$`);
  const ILLEGAL = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
  const requireName = (name) => {
    if (!LEGAL_NAME.test(name)) throw new Error('Invalid character in name');
    return name;
  };
  const requireText = (text) => {
    const found = ILLEGAL.exec(text);
    if (found !== null) throw new Error(`Invalid character in string: ${found[0]} at index ${found.index}`);
    return text;
  };
  const escapeText = (text) => n8n.escapeHtml(requireText(text)).replace(/\r/g, '&#xD;');
  const escapeAttribute = (text) =>
    requireText(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;').replace(/\t/g, '&#x9;')
      .replace(/\n/g, '&#xA;').replace(/\r/g, '&#xD;');

  /** The document of an object. `isPretty` gives each element its line. */
  n8n.writeXml = (json, { attrkey = '$', charkey = '_', cdata = false, headless = false, rootName = 'root', isPretty = true }) => {
    // A node is {name, attributes, children}; a child that is a text is written as it is.
    const toText = (value) => {
      if (value === null || value === undefined) throw new Error('Missing element text');
      const text = String(value);
      if (cdata && typeof value === 'string' && /[&<>]/.test(text)) return `<![CDATA[${text.replace(']]>', ']]]]><![CDATA[>')}]]>`;
      return escapeText(text);
    };
    const create = (name, value) => {
      const node = { name: requireName(name), attributes: '', children: [] };
      if (value !== undefined) fill(node, value);
      return node;
    };
    const isScalar = (value) => typeof value !== 'object' || value === null;
    const fill = (node, value) => {
      if (typeof value !== 'object') {
        node.children.push(toText(value));
      } else if (Array.isArray(value)) {
        for (const child of value) {
          for (const key of Object.keys(Object(child))) node.children.push(create(key, child[key]));
        }
      } else if (value !== null) {
        for (const key of Object.keys(value)) fillField(node, key, value[key]);
      }
    };
    const fillField = (node, key, value) => {
      if (key === attrkey) {
        if (isScalar(value)) return;
        for (const [name, each] of Object.entries(value)) {
          if (each !== null) node.attributes += ` ${requireName(name)}="${escapeAttribute(String(each))}"`;
        }
      } else if (key === charkey) {
        node.children.push(toText(value));
      } else if (Array.isArray(value)) {
        for (const each of value) node.children.push(create(key, each));
      } else {
        node.children.push(create(key, value));
      }
    };
    const isText = (child) => typeof child === 'string';
    const [step, end] = isPretty ? ['  ', '\n'] : ['', ''];
    const render = (node, indent) => {
      if (isText(node)) return `${indent}${node}${end}`;
      const { name, attributes, children } = node;
      if (children.every((child) => child === '')) return `${indent}<${name}${attributes}/>${end}`;
      const start = `${indent}<${name}${attributes}>`;
      if (children.length === 1 && isText(children[0])) return `${start}${children[0]}</${name}>${end}`;
      return `${start}${end}${children.map((child) => render(child, indent + step)).join('')}${indent}</${name}>${end}`;
    };
    const keys = Object.keys(json);
    const root = keys.length === 1 && rootName === 'root' ? create(keys[0], json[keys[0]]) : create(rootName, json);
    const head = headless ? '' : `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${end}`;
    const written = head + render(root, '');
    return isPretty ? written.slice(0, -1) : written;
  };
})
