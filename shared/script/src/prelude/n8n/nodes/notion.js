// Notion: properties, blocks and filters from the parameters of n8n, and the simple form of pages.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list, splitNames } = n8n.helpers;

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
  const annotated = (text) =>
    list(text?.text).map((piece) => ({
      type: 'text',
      text: { content: String(piece.text ?? ''), ...(piece.isLink && piece.textLink ? { link: { url: piece.textLink } } : {}) },
      annotations: piece.annotationUi ?? {},
    }));
  const isoDate = (value, hasTime, zone) => {
    const date = value?.toISO
      ? value
      : DateTime.fromISO(value instanceof Date ? value.toISOString() : String(value), { setZone: true });
    if (!date.isValid) return String(value);
    return hasTime === false ? date.toFormat('yyyy-MM-dd') : (zone ? date.setZone(zone) : date).toISO();
  };

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
        return { url: isGiven(value.urlValue) ? value.urlValue : null };
      case 'email':
        return { email: isGiven(value.emailValue) ? value.emailValue : null };
      case 'phone_number':
        return { phone_number: isGiven(value.phoneValue) ? String(value.phoneValue) : null };
      case 'select':
        return isGiven(value.selectValue) ? { select: { name: value.selectValue } } : undefined;
      case 'status':
        return isGiven(value.statusValue) ? { status: { name: value.statusValue } } : undefined;
      case 'multi_select':
        return { multi_select: splitNames(value.multiSelectValue).map((name) => ({ name })) };
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
        if (!isGiven(start)) return undefined;
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
        let value = condition[FILTER_VALUES[type]] ?? condition.textValue;
        if (['is_empty', 'is_not_empty'].includes(operator)) value = true;
        else if (/^(past|next|this)_/.test(operator)) value = {};
        else if (['date', 'created_time', 'last_edited_time'].includes(type)) value = isoDate(value);
        else if (type === 'number') value = Number(value);
        else if (type === 'checkbox') value = value === true;
        if (['created_time', 'last_edited_time'].includes(type)) return { timestamp: type, [type]: { [operator]: value } };
        if (type === 'formula') {
          const kind = condition.returnType === 'text' ? 'string' : (condition.returnType ?? 'string');
          return { property: name, formula: { [kind]: { [operator]: value } } };
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
  /** The value of a property. */
  const simpleValue = (n8n.notionValue = (value) => {
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
        return content?.person?.email ?? content?.name;
      case 'formula':
        return content?.[content.type];
      case 'rollup':
        return content?.type === 'array' ? content.array.map(simpleValue) : content?.[content?.type];
      case 'unique_id':
        return content?.prefix ? `${content.prefix}-${content.number}` : content?.number;
      default:
        return content;
    }
  });
  const snakeCase = (name) =>
    name
      .trim()
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[^\p{L}\p{N}]+/gu, '_')
      .replace(/^_+|_+$/g, '')
      .toLowerCase();

  /** A page or database in the simple form of n8n. */
  n8n.notionPage = (page) => {
    const { id, url, icon, cover, object, properties = {} } = page;
    if (object === 'database') return { id, name: plainText(page.title), url, icon, cover };
    const fields = { id };
    const named = Object.entries(properties);
    const title = named.find(([, value]) => value.type === 'title')?.[1];
    fields.name = title ? plainText(title.title) : '';
    fields.url = url;
    for (const [name, value] of named) fields[`property_${snakeCase(name)}`] = simpleValue(value);
    return fields;
  };
  n8n.notionBlock = (block) => {
    const { id, type, parent, has_children: hasChildren } = block;
    const content = block[type] ?? {};
    return {
      object: 'block',
      id,
      type,
      root_id: parent?.page_id ?? parent?.block_id,
      has_children: hasChildren,
      content: plainText(content.rich_text ?? content.caption) || content.url,
    };
  };
});
