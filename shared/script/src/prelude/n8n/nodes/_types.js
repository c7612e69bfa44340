// How n8n converts a value to the type that a field or a condition expects.
(function (n8n) {
  'use strict';

  const { isArray } = Array;
  const { FAILED } = n8n;

  n8n.parseJson = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return FAILED;
    }
  };

  const toText = (value) => {
    if (typeof value === 'string') return value;
    return n8n.isObject(value) ? JSON.stringify(value) : String(value);
  };
  const toNumber = (value) => {
    const number = Number(value);
    return number === number ? number : FAILED;
  };
  const toBoolean = (value) => {
    if (typeof value === 'boolean') return value;
    if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
    const number = Number(value);
    if (number === 1) return true;
    return number === 0 && !(typeof value === 'string' && value.trim() === '') ? false : FAILED;
  };
  const toList = (value) => {
    if (n8n.isObject(value)) return isArray(value) ? value : FAILED;
    const text = String(value);
    let list = n8n.parseJson(text);
    // Lists are often written with the quotes of Python.
    if (list === FAILED) list = n8n.parseJson(text.replace(/'/g, '"'));
    return isArray(list) ? list : FAILED;
  };
  const toObject = (value) => {
    const object = n8n.isObject(value) ? value : n8n.parseJson(String(value));
    return typeof object === 'object' && !isArray(object) ? object : FAILED;
  };

  const isMoment = (value) => n8n.isObject(value) && value.isLuxonDateTime === true;
  const FORMATS = ['fromISO', 'fromHTTP', 'fromRFC2822', 'fromSQL'];
  const toMoment = (value) => {
    if (isMoment(value)) return value.isValid ? value : FAILED;
    const zone = n8n.zone;
    if (value instanceof Date) {
      const moment = DateTime.fromJSDate(value, { zone });
      return moment.isValid ? moment : FAILED;
    }
    const text = String(value).trim();
    for (const format of FORMATS) {
      const moment = DateTime[format](text, { zone, setZone: true });
      if (moment.isValid) return moment;
    }
    const moment = DateTime.fromMillis(Date.parse(text), { zone });
    return moment.isValid ? moment : FAILED;
  };

  const CONVERSIONS = {
    string: toText, number: toNumber, boolean: toBoolean, array: toList, object: toObject, dateTime: toMoment,
  };

  n8n.isMoment = isMoment;

  /** The value in another type, or FAILED. Types that are not known take any value. */
  n8n.convert = (type, value) => (CONVERSIONS[type] ? CONVERSIONS[type](value) : value);

  /** A value as n8n's messages show it. */
  n8n.describeValue = (value) => {
    if (isArray(value)) return 'array';
    return n8n.isObject(value) ? 'object' : `'${String(value)}'`;
  };
})
