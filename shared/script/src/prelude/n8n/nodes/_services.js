// What the nodes of several services need.
(function (n8n) {
  'use strict';

  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const isGiven = (value) => value !== undefined && value !== null && value !== '';
  const list = (value) => (value === undefined || value === null ? [] : [].concat(value));
  const items = () => $input.all();
  /** Calls a function for each item of the input, with `$json` as this item. */
  const forEach = (make) => items().map((item, index) => n8n.withItem(index, () => make(item, index)));

  n8n.forEachItem = forEach;

  /** The value of a column in its type. */
  n8n.column = (type, value, name) => {
    if (value === undefined || value === null) return value;
    const converted = n8n.convert(type, value);
    if (converted === n8n.FAILED) throw new Error(`Invalid input for '${name}' [item ${$itemIndex}]`);
    return converted;
  };
  /** A value that may be JSON in a text. */
  n8n.parsed = (value) => (typeof value === 'string' ? (value.trim() ? JSON.parse(value) : undefined) : value);
  n8n.without = (object, names) => Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  n8n.only = (object, names) => Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
  /** The id in the URL of a file or folder of Google. */
  n8n.idInUrl = (text) => /(?:\/d\/|\/folders\/|[?&]id=)([\w-]+)/.exec(String(text))?.[1] ?? text;

  const contentOf = (file) => file?.base64 ?? file?.data ?? '';
  const encodeBase64 = n8n.texts.base64Encode;
  const splitNames = (value) => (typeof value === 'string' ? n8n.names(value) : list(value));

  const idOf = (value) => (isObject(value) ? value.value : value);

  const toDate = (value) => {
    if (value?.toISO) return value;
    const text = value instanceof Date ? value.toISOString() : String(value);
    const date = DateTime.fromISO(text.trim().replace(/^(\d{4}-\d\d-\d\d) (\d\d:)/, '$1T$2'), { setZone: true });
    return date.isValid ? date : DateTime.fromJSDate(new Date(text));
  };
  /** A time as the services write it. */
  n8n.calendarTime = (value) => {
    if (!isGiven(value)) return undefined;
    const date = toDate(value);
    return date.isValid ? date.toISO() : String(value);
  };
  /** An instant without a fraction, as n8n writes the times of events. */
  n8n.instant = (value) => (isGiven(value) ? toDate(value).toUTC().startOf('second').toISO({ suppressMilliseconds: true }) : undefined);
  /** The same of a bound. A text with a zone stays as it is. */
  n8n.instantBound = (value) =>
    typeof value === 'string' && /(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : n8n.instant(value);
  /** An instant as a number. A day without a time begins in UTC, as in n8n. */
  n8n.milliseconds = (value) => {
    if (!isGiven(value)) return undefined;
    return /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : toDate(value).toMillis();
  };
  n8n.slackTime = (value) =>
    isGiven(value) ? (/^\d+(\.\d+)?$/.test(String(value)) ? String(value) : String(toDate(value).toMillis() / 1000)) : undefined;

  n8n.helpers = { isObject, isGiven, list, items, forEach, contentOf, encodeBase64, splitNames, idOf, toDate };
});
