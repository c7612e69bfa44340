// n8n's Date & Time node.
(function (n8n) {
  'use strict';

  // --- Version 2 ---

  const isNumber = (value) => !Number.isNaN(Number(value));
  // Short numbers are seconds, and long ones are milliseconds.
  const toWhole = (number) => (Number.isInteger(number) ? number : number * 1000);
  const fromNumber = (whole) => (String(whole).length < 12 ? DateTime.fromSeconds(whole) : DateTime.fromMillis(whole));
  // The zone of a date: the hours after the sign. The names of these zones have the opposite sign.
  const zoneOf = (date) => (date.includes('+') ? `Etc/GMT-${Number(date.split('+')[1].slice(0, 2))}` : 'Etc/UTC');
  const readDate = (given, { zone, fromFormat }) => {
    if (DateTime.isDateTime(given)) return given;
    const date = !fromFormat && isNumber(given) ? toWhole(Number(given)) : given;
    if (Number.isInteger(date)) return fromNumber(date).setZone(zone || 'Etc/UTC');
    if (typeof date !== 'string') throw new Error('Invalid date format');
    const place = zone || zoneOf(date);
    const read = fromFormat ? DateTime.fromFormat(date, fromFormat, { zone: n8n.zone }) : n8n.moment.read(date);
    const result = read.setZone(place);
    if (result.invalidReason === 'unparsable') throw new Error('Invalid date format');
    return result;
  };

  const currentDate = (read) => {
    const zone = read('options', {}).timezone || n8n.zone;
    const now = DateTime.now().setZone(zone);
    if (!now.isValid) throw new Error(`The timezone ${zone} is not valid. Please check the timezone.`);
    return (read('includeTime', true) ? now : now.startOf('day')).toString();
  };
  const formatDate = (read) => {
    const value = read('date', '');
    if (value === null || value === undefined) return value;
    const { timezone, fromFormat } = read('options', {});
    const date = readDate(value, { zone: timezone ? n8n.zone : undefined, fromFormat });
    const format = read('format', 'MM/dd/yyyy');
    return date.toFormat(format === 'custom' ? read('customFormat', '') : format);
  };
  const roundDate = (read, zone) => {
    const date = readDate(read('date', ''), { zone });
    if (read('mode', 'roundDown') === 'roundDown') return date.startOf(read('toNearest', 'month')).toString();
    const unit = read('to', 'month');
    return date.plus({ [unit]: 1 }).startOf(unit).toString();
  };
  const timeBetween = (read, zone) => {
    const start = readDate(read('startDate', ''), { zone });
    const end = readDate(read('endDate', ''), { zone });
    const duration = end.diff(start, read('units', ['day']));
    return read('options', {}).isoString ? duration.toString() : duration.toObject();
  };
  const extractPart = (read, zone) => {
    const part = read('part', 'month');
    const date = readDate(read('date', ''), { zone });
    return part === 'week' ? date.weekNumber : date.get(part);
  };
  const move = (direction) => (read, zone) => {
    const date = readDate(read('magnitude', ''), { zone });
    return date[direction]({ [read('timeUnit', 'days')]: read('duration', 0) }).toString();
  };
  // For each operation the field of the result, and how it is computed.
  const OPERATIONS = {
    __proto__: null,
    getCurrentDate: ['currentDate', currentDate],
    addToDate: ['newDate', move('plus')],
    subtractFromDate: ['newDate', move('minus')],
    formatDate: ['formattedDate', formatDate],
    roundDate: ['roundedDate', roundDate],
    getTimeBetweenDates: ['timeDifference', timeBetween],
    extractDate: ['datePart', extractPart],
  };

  const newNode = (parameters) => {
    let keepsInput;
    return n8n.eachItem(parameters, (read, item) => {
      // n8n reads this option for the first item only.
      keepsInput ??= Boolean(read('options', {}).includeInputFields);
      const [field, compute] = OPERATIONS[read('operation', 'getCurrentDate')] ?? [];
      const result = keepsInput ? { ...item, json: { ...item.json } } : { json: {} };
      if (compute === undefined) return [];
      result.json[read('outputFieldName', field)] = compute(read, n8n.zone);
      return result;
    });
  };

  // --- Version 1, which uses Moment.js ---

  const oldFormat = (read) => {
    const { fromFormat, fromTimezone, toTimezone } = read('options', {});
    const given = read('value', '');
    if (given === undefined) return undefined;
    const value = DateTime.isDateTime(given) ? given.toString() : given;
    const isZoned = Boolean(fromTimezone || toTimezone);
    const inputZone = isZoned ? fromTimezone || n8n.zone : 'utc';
    const whole = isNumber(value) ? toWhole(Number(value)) : undefined;
    let date = Number.isInteger(whole)
      ? fromNumber(whole).toUTC()
      : n8n.moment.read(Array.isArray(value) ? String(value) : value, { format: fromFormat, zone: inputZone });
    if (!fromFormat && !date.isValid) {
      throw new Error('The date input format could not be recognized. Please set the "From Format" field');
    }
    const zone = toTimezone || n8n.zone;
    const isKnown = isZoned && DateTime.utc().setZone(zone).isValid;
    if (isZoned) date = date.setZone(isKnown ? zone : 'utc');
    return n8n.moment.write(date, read('toFormat', read('custom', false) ? '' : 'MM/DD/YYYY'), isKnown);
  };
  const oldCalculate = (read) => {
    const { fromFormat } = read('options', {});
    const given = read('value', '');
    const value = given === null ? 0 : Array.isArray(given) ? String(given) : given;
    const isReadable = fromFormat || (value !== undefined && n8n.moment.read(value).isValid);
    if (!isReadable) throw new Error('Unrecognized date input. Please specify a format in the "From Format" field.');
    const date = n8n.moment.read(value, { format: fromFormat });
    if (!date.isValid) throw new Error('Date input cannot be parsed. Please recheck the value and the "From Format" field.');
    const amount = read('duration', 0) * (read('operation', 'add') === 'subtract' ? -1 : 1);
    return n8n.moment.add(date, amount, read('timeUnit', 'days')).toUTC().toISO();
  };
  const oldNode = (parameters) =>
    n8n.eachItem(parameters, (read, item) => {
      const value = read('action', 'format') === 'format' ? oldFormat(read) : oldCalculate(read);
      if (value === undefined) return [];
      return { ...item, json: { ...item.json, [read('dataPropertyName', 'data')]: value } };
    });

  n8n.dateTime = (parameters, version) => (version < 2 ? oldNode(parameters) : newNode(parameters));
})
