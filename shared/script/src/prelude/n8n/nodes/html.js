// n8n's HTML node, and its predecessor HTML Extract.
(function (n8n) {
  'use strict';

  // --- Extracting values ---

  // HTML has attributes whose name is their value.
  const BOOLEAN = new Set(('autofocus autoplay async checked controls defer disabled hidden loop multiple open readonly required ' +
    'scoped selected').split(' '));
  const textOf = (nodes) => {
    let text = '';
    for (const root of nodes) {
      n8n.walkHtml(root, (node) => {
        if (node.type === 'text') text += node.data;
        return node.type !== 'comment' && node.name !== 'script' && node.name !== 'style';
      });
    }
    return text;
  };
  const attributeOf = (node, name) => {
    if (node === undefined) return undefined;
    if (!name) return node.attributes;
    if (Object.hasOwn(node.attributes, name)) return BOOLEAN.has(name.toLowerCase()) ? name : node.attributes[name];
    if (name !== 'value') return undefined;
    if (node.name === 'option') return textOf(node.children);
    return node.name === 'input' && ['radio', 'checkbox'].includes(node.attributes.type) ? 'on' : undefined;
  };
  const valueOf = (node, root) => {
    if (node === undefined) return undefined;
    if (node.name === 'textarea') return textOf([node]);
    if (node.name === 'input' || node.name === 'option') return attributeOf(node, 'value');
    if (node.name !== 'select') return undefined;
    const isInside = (option) => {
      for (let above = option.parent; above !== null; above = above.parent) if (above === node) return true;
      return false;
    };
    const chosen = n8n.selectHtml(root, 'option:selected').filter(isInside);
    if (Object.hasOwn(node.attributes, 'multiple')) return chosen.map((option) => attributeOf(option, 'value'));
    return attributeOf(chosen[0], 'value');
  };
  const readable = (nodes, root, skipSelectors) => {
    if (nodes.length === 0) return '';
    const skipped = new Set(skipSelectors ? n8n.selectHtml(root, skipSelectors) : []);
    return n8n.htmlToText(nodes[0], (node) => skipped.has(node));
  };
  const READ = {
    __proto__: null,
    attribute: (nodes, { attribute }) => attributeOf(nodes[0], attribute),
    html: (nodes) => (nodes.length === 0 ? undefined : n8n.innerHtml(nodes[0]) || undefined),
    value: (nodes, _, root) => valueOf(nodes[0], root),
    text: (nodes, { skipSelectors }, root, style) => {
      if (style === 'readable') return readable(nodes, root, skipSelectors);
      return textOf(nodes) || (style === 'plain' ? '' : undefined);
    },
  };
  const tidy = (value, { trimValues, cleanUpText }) => {
    if (typeof value !== 'string') return value;
    const trimmed = trimValues ? value.trim() : value;
    return cleanUpText ? trimmed.trim().replace(/\r\n|\n|\r/g, '').replace(/\s+/g, ' ') : trimmed;
  };

  // `style` is how texts are read: `plain`, `plainOrNone` or `readable`.
  const extract = (html, values, options, style) => {
    const root = n8n.parseHtml(html);
    const json = {};
    for (const settings of values) {
      const { key = '', cssSelector = '', returnValue = 'text', returnArray = false } = settings;
      const nodes = n8n.selectHtml(root, cssSelector);
      const read = (some) => tidy(READ[returnValue](some, settings, root, style), options);
      json[key] = returnArray ? nodes.map((node) => read([node])) : read(nodes);
    }
    return json;
  };
  const sourcesOf = (read, item, index) => {
    const name = read('dataPropertyName', 'data');
    if (read('sourceData', 'json') === 'binary') return [Buffer.from(n8n.findFile(item, name, index).base64, 'base64').toString('utf8')];
    if (item.json[name] === undefined) throw new Error(`No property named "${name}" exists!`);
    const value = item.json[name];
    const list = Array.isArray(value) ? value : [value];
    if (list.some((each) => typeof each !== 'string')) throw new Error(`The property "${name}" is no text.`);
    return list;
  };
  const extractItems = (read, item, index, options, style) => {
    const values = read('extractionValues', {}).values ?? [];
    return sourcesOf(read, item, index).map((html) => ({ json: extract(html, values, options, style) }));
  };

  // --- Tables ---

  const CELL = "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee";
  const STYLES = {
    table: "style='border-spacing:0; font-family:helvetica,arial,sans-serif'",
    header: `${CELL}; text-align:left; color:#888; font-weight:normal'`,
    cell: `${CELL}'`,
  };
  const capitalize = (name) => name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
  const writeTable = (items, options) => {
    const headers = [...new Set(items.flatMap((item) => Object.keys(item.json)))];
    const style = (part) => (options.customStyling ? '' : STYLES[part]);
    const { tableAttributes = '', headerAttributes = '', rowAttributes = '', cellAttributes = '' } = options;
    const showCell = (value) => {
      if (typeof value === 'boolean') return `<input type="checkbox" ${value ? 'checked="checked"' : ''}/>`;
      return String(value);
    };
    const row = ({ json }) => {
      const cells = headers.map((header) => `<td ${style('cell')} ${cellAttributes}>${showCell(json[header])}</td>`);
      return `<tr  ${rowAttributes}>${cells.join('')}</tr>`;
    };
    const caption = options.caption ? `<caption>${options.caption}</caption>` : '';
    const names = headers.map((header) => `<th>${options.capitalize ? capitalize(header) : header}</th>`).join('');
    const head = `<thead ${style('header')} ${headerAttributes}><tr>${names}</tr></thead>`;
    return `<table ${style('table')} ${tableAttributes}>${caption}${head}<tbody>${items.map(row).join('')}</tbody></table>`;
  };

  // --- Templates ---

  const printValues = (texts, ...expressions) =>
    texts.reduce((html, text, i) => html + String(n8n.value(expressions[i - 1])) + text);
  // The parameter `template` is a text whose expressions n8n's node evaluates itself: without a value they print "undefined".
  const fillTemplate = (read) => {
    const outer = globalThis.$text;
    globalThis.$text = printValues;
    try {
      return String(read('template'));
    } finally {
      globalThis.$text = outer;
    }
  };
  const generate = (parameters, read) =>
    Object.hasOwn(parameters, 'template') ? fillTemplate(read) : read('html', '');

  // --- The nodes ---

  const convertToTable = (parameters) => {
    const items = n8n.received();
    if (items.length === 0) return [];
    const table = writeTable(items, n8n.read(parameters.options ?? {}, 0));
    return [{ json: { table }, pairedItem: items.map((_, index) => ({ item: index })) }];
  };

  n8n.html = (parameters, version) => {
    const operation = n8n.read(parameters.operation ?? 'generateHtmlTemplate', 0);
    if (operation === 'convertToHtmlTable') return convertToTable(parameters);
    return n8n.eachItem(parameters, (read, item, index) => {
      if (operation === 'generateHtmlTemplate') return { json: { html: generate(parameters, read) } };
      return extractItems(read, item, index, read('options', {}), version < 1.2 ? 'plainOrNone' : 'readable');
    });
  };

  n8n.htmlExtract = (parameters) =>
    n8n.eachItem(parameters, (read, item, index) => {
      const { trimValues = true } = read('options', {});
      return extractItems(read, item, index, { trimValues }, 'plain');
    });
})
