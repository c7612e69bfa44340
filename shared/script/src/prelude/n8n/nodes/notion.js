// Notion: properties, blocks and filters from the parameters of n8n, and the simple form of pages.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list, splitNames, idOf } = n8n.helpers;

  n8n.notionId = (value) => {
    const text = String(value);
    return /([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[?#].*)?$/i.exec(text.split('?')[0])?.[1] ?? text;
  };
  const richText = (content) => {
    const text = String(content ?? '');
    const pieces = [];
    // A piece of text has at most 2,000 characters.
    for (let at = 0; at < Math.max(text.length, 1); at += 2000) pieces.push({ text: { content: text.slice(at, at + 2000) } });
    return pieces;
  };
  const mention = (piece) => {
    const type = piece.mentionType;
    if (type !== 'date') return { type, [type]: { id: idOf(piece[type]) } };
    const date = piece.range === true ? { start: piece.dateStart, end: piece.dateEnd } : { start: piece.date, end: null };
    return { type, date };
  };
  const contentOf = (piece) => {
    switch (piece.textType) {
      case 'mention':
        return { type: 'mention', mention: mention(piece) };
      case 'equation':
        return { type: 'equation', equation: { expression: piece.expression } };
      default: {
        const link = piece.isLink && piece.textLink ? { link: { url: piece.textLink } } : {};
        return { type: 'text', text: { content: String(piece.text ?? ''), ...link } };
      }
    }
  };
  const annotated = (text) => list(text?.text).map((piece) => ({ ...contentOf(piece), annotations: piece.annotationUi ?? {} }));
  /** A time in a zone; by default in that of the workflow. A text without a zone is in the same zone. */
  const isoDate = (value, hasTime, zone) => {
    const written = value?.toISO?.() ?? (value instanceof Date ? value.toISOString() : String(value).trim());
    const read = DateTime.fromISO(written.replace(/^(\d{4}-\d\d-\d\d) (\d\d:)/, '$1T$2'), { zone });
    const date = read.isValid ? read : DateTime.fromJSDate(new Date(written), { zone });
    if (!date.isValid) return written;
    return hasTime === false ? date.toFormat('yyyy-MM-dd') : date.startOf('second').toISO({ suppressMilliseconds: true });
  };
  // Options of older nodes are given by their ids.
  const choice = (value) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? { id: value } : { name: value });

  const property = (value, type) => {
    const zone = value.timezone && value.timezone !== 'default' ? value.timezone : undefined;
    switch (type) {
      case 'title':
        return { title: richText(value.title) };
      case 'rich_text':
        return { rich_text: value.richText === true ? annotated(value.text) : richText(value.textContent ?? value.text) };
      case 'number':
        return isGiven(value.numberValue) ? { number: Number(value.numberValue) } : undefined;
      case 'checkbox':
        return { checkbox: value.checkboxValue === true };
      case 'url':
        if (!isGiven(value.urlValue)) return value.ignoreIfEmpty === true ? undefined : { url: null };
        return { url: value.urlValue };
      case 'email':
        return { email: isGiven(value.emailValue) ? value.emailValue : null };
      case 'phone_number':
        return { phone_number: isGiven(value.phoneValue) ? String(value.phoneValue) : null };
      case 'select':
        return { select: isGiven(value.selectValue) ? choice(value.selectValue) : null };
      case 'status':
        return isGiven(value.statusValue) ? { status: { name: value.statusValue } } : undefined;
      case 'multi_select':
        return { multi_select: splitNames(value.multiSelectValue).map(choice) };
      case 'relation':
        return {
          relation: list(value.relationValue)
            .flatMap(splitNames)
            .map((id) => ({ id: n8n.notionId(id) })),
        };
      case 'people':
        return { people: splitNames(value.peopleValue).map((id) => ({ id })) };
      case 'date': {
        const start = value.range === true ? value.dateStart : value.date;
        // What is empty removes the date.
        if (!isGiven(start)) return { date: null };
        const end = value.range === true && isGiven(value.dateEnd) ? isoDate(value.dateEnd, value.includeTime, zone) : null;
        return { date: { start: isoDate(start, value.includeTime, zone), end } };
      }
      case 'files':
        return { files: list(value.fileUrls?.fileUrl).map(({ name, url }) => ({ name, type: 'external', external: { url } })) };
      default:
        return undefined;
    }
  };

  /** The properties of a page, from the parameters of n8n: `key` is the name and the type of a property. */
  n8n.notionProperties = (values, title) => {
    const properties = {};
    for (const value of values) {
      const key = String(value.key ?? '');
      const at = key.lastIndexOf('|');
      const [name, type] = at < 0 ? [key, value.type] : [key.slice(0, at), key.slice(at + 1)];
      const written = property(value, type);
      if (written !== undefined) properties[name] = written;
    }
    if (isGiven(title) && !Object.values(properties).some((value) => value.title)) properties.title = { title: richText(title) };
    return properties;
  };

  n8n.notionBlocks = (blocks) =>
    blocks.map(({ type = 'paragraph', textContent, text, richText: isRich, checked, url }) => {
      if (type === 'image') return { object: 'block', type, image: { type: 'external', external: { url } } };
      const block = { rich_text: isRich === true && isObject(text) ? annotated(text) : richText(textContent ?? text) };
      if (type === 'to_do') block.checked = checked === true;
      return { object: 'block', type, [type]: block };
    });

  const FILTER_VALUES = {
    title: 'titleValue',
    rich_text: 'richTextValue',
    number: 'numberValue',
    checkbox: 'checkboxValue',
    select: 'selectValue',
    status: 'statusValue',
    multi_select: 'multiSelectValue',
    date: 'date',
    url: 'urlValue',
    email: 'emailValue',
    phone_number: 'phoneNumberValue',
    relation: 'relationValue',
    people: 'peopleValue',
    created_time: 'createdTimeValue',
    last_edited_time: 'lastEditedTime',
  };

  n8n.notionFilter = (conditions, join) => {
    const filters = conditions
      .filter(({ key }) => isGiven(key))
      .map((condition) => {
        const at = String(condition.key).lastIndexOf('|');
        const [name, type] = [String(condition.key).slice(0, at), String(condition.key).slice(at + 1)];
        const operator = condition.condition ?? 'equals';
        const kind = type === 'formula' ? (condition.returnType ?? 'text') : type;
        let value = condition[type === 'formula' ? `${kind}Value` : FILTER_VALUES[type]] ?? condition.textValue;
        if (['is_empty', 'is_not_empty'].includes(operator)) value = true;
        else if (/^(past|next|this)_/.test(operator)) value = {};
        else if (['date', 'created_time', 'last_edited_time'].includes(kind)) value = n8n.instant(value) ?? {};
        else if (kind === 'number') value = Number(value);
        else if (kind === 'checkbox') value = value === true;
        if (['created_time', 'last_edited_time'].includes(type)) return { timestamp: type, [type]: { [operator]: value } };
        if (type === 'formula') {
          return { property: name, formula: { [kind === 'text' ? 'string' : kind]: { [operator]: value } } };
        }
        return { property: name, [type]: { [operator]: value } };
      });
    return filters.length > 0 ? { [join]: filters } : undefined;
  };

  n8n.notionSorts = (sorts) =>
    sorts.map(({ key, timestamp, direction = 'ascending' }) =>
      timestamp === true ? { timestamp: key, direction } : { property: String(key).replace(/\|[^|]*$/, ''), direction },
    );

  const plainText = (pieces) =>
    list(pieces)
      .map((piece) => piece.plain_text ?? piece.text?.content ?? '')
      .join('');
  /** What a rollup gives: a count, or the values that it shows. n8n leaves out the others. */
  const rolledUp = ({ function: name = '', type, number, array }) => {
    if (name.startsWith('count') || name.includes('empty')) return name.includes('percent') ? number * 100 : number;
    if (!name.startsWith('show') || type !== 'array') return undefined;
    const values = array.map(simpleValue).flat();
    return name === 'show_unique' ? [...new Set(values)] : values;
  };
  /** The value of a property. It is undefined for the types that n8n leaves out. */
  const simpleValue = (value) => {
    const { type } = value;
    const content = value[type];
    switch (type) {
      case 'title':
      case 'rich_text':
        return plainText(content);
      case 'select':
      case 'status':
        return content?.name ?? null;
      case 'multi_select':
        return content.map(({ name }) => name);
      case 'people':
        return content.map(({ person, name }) => person?.email ?? name);
      case 'relation':
        return content.map(({ id }) => id);
      case 'files':
        return content.map((file) => (file.external ?? file.file)?.url);
      case 'created_by':
      case 'last_edited_by':
        return content ? content.name : null;
      case 'formula':
        return content?.[content.type];
      case 'rollup':
        return content === undefined ? undefined : rolledUp(content);
      case 'unique_id':
        return undefined;
      default:
        return content;
    }
  };
  const simpleValues = (properties = {}) => Object.entries(properties).map(([name, value]) => [name, simpleValue(value)]);
  const snakeCase = (name) =>
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_|_$/g, '')
      .toLowerCase();
  const nameOf = (pieces) => list(pieces)[0]?.plain_text ?? '';
  const titleOf = ({ properties = {} }) => nameOf(Object.values(properties).find(({ type }) => type === 'title')?.title);
  const isInPage = ({ parent }) => ['page_id', 'workspace', 'block_id'].includes(parent?.type);

  /** A page or database in the simple form of n8n. Only the pages of databases have more than a title. */
  n8n.notionPage = (page) => {
    const { id, url, object } = page;
    if (object === 'database') return { id, name: nameOf(page.title), url };
    const fields = { id, name: titleOf(page), url };
    if (isInPage(page)) return fields;
    for (const [name, value] of simpleValues(page.properties)) fields[`property_${snakeCase(name)}`] = value;
    return fields;
  };
  /** The same in the form of version 1 and of the trigger: properties have their names. */
  n8n.notionRow = (page) => {
    const { id } = page;
    if (page.object === 'database') return { id, title: nameOf(page.title) };
    return isInPage(page) ? { id, name: titleOf(page) } : { id, ...Object.fromEntries(simpleValues(page.properties)) };
  };

  /** A block of a page or of another block. */
  n8n.notionBlock = (block, parentId) => ({ object: block.object, parent_id: parentId, ...block });
  /** The same in the simple form of n8n, in which a text is in the place of what has the text. */
  n8n.notionSimpleBlock = (block, parentId) => {
    const { type } = block;
    const times = ['created_time', 'last_edited_time', 'created_by'];
    const fields = { ...n8n.without(n8n.notionBlock(block, parentId), times), root_id: parentId };
    // Older versions of the API have the text in `text`.
    const pieces = block[type]?.rich_text ?? block[type]?.text;
    if (['child_page', 'child_database'].includes(type)) fields.content = block[type]?.title;
    else if (Array.isArray(pieces)) fields.content = plainText(pieces);
    else return fields;
    return n8n.without(fields, [type]);
  };
});
