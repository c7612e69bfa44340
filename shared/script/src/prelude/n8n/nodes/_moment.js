// Dates as the library Moment.js reads and writes them. Old nodes of n8n use it. Dates are luxon's here.
(function (n8n) {
  'use strict';

  const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November',
    'December'];
  const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const short = (names) => names.map((name) => name.slice(0, 3));
  const TOKEN = new RegExp([
    /\[[^\[\]]*\]|\\./,
    /[Hh]mm(?:ss)?|Mo|M{1,4}|Do|DDDo|D{1,4}|do|d{1,4}|w[ow]?|W[oW]?|Qo?|Y{4,6}|YY|Y|y{1,4}|g{4,5}|gg|G{4,5}|GG/,
    /[eEaA]|hh?|HH?|kk?|mm?|ss?|S{1,9}|[xX]|zz?|ZZ?|LTS|LT|L{1,4}|l{1,4}|[^]/,
  ].map((each) => each.source).join('|'), 'g');
  const LONG = {
    __proto__: null, LTS: 'h:mm:ss A', LT: 'h:mm A', L: 'MM/DD/YYYY', LL: 'MMMM D, YYYY', LLL: 'MMMM D, YYYY h:mm A',
    LLLL: 'dddd, MMMM D, YYYY h:mm A', l: 'M/D/YYYY', ll: 'MMM D, YYYY', lll: 'MMM D, YYYY h:mm A', llll: 'ddd, MMM D, YYYY h:mm A',
  };
  const split = (format) =>
    (String(format).match(TOKEN) ?? []).flatMap((token) => (token in LONG ? LONG[token].match(TOKEN) : [token]));
  const literal = (token) => (token[0] === '[' && token.length > 1 ? token.slice(1, -1) : token[0] === '\\' ? token.slice(1) : token);

  // It is a function, because luxon is loaded only when a script uses it.
  const invalid = () => DateTime.invalid('unparsable');

  // --- Writing ---

  const ordinal = (number) => {
    const ending = Math.trunc((number % 100) / 10) === 1 ? undefined : ['', 'st', 'nd', 'rd'][number % 10];
    return number + (ending || 'th');
  };
  const pad = (number, length) => (number < 0 ? '-' : '') + String(Math.abs(number)).padStart(length, '0');
  const offset = (date, separator) => {
    const minutes = Math.abs(date.offset);
    return (date.offset < 0 ? '-' : '+') + pad(Math.trunc(minutes / 60), 2) + separator + pad(minutes % 60, 2);
  };
  const year = (value) => (value > 9999 ? '+' + value : pad(value, 4));
  // Weeks of the United States start on Sunday, and the first one has January 1.
  const americanWeek = (date) => {
    const saturday = date.plus({ days: 6 - (date.weekday % 7) });
    return { year: saturday.year, week: Math.ceil(saturday.ordinal / 7) };
  };
  const hour12 = (date) => date.hour % 12 || 12;

  const WRITE = {
    __proto__: null,
    M: (date) => date.month, Mo: (date) => ordinal(date.month), MM: (date) => pad(date.month, 2),
    MMM: (date) => short(MONTHS)[date.month - 1], MMMM: (date) => MONTHS[date.month - 1],
    Q: (date) => date.quarter, Qo: (date) => ordinal(date.quarter),
    D: (date) => date.day, Do: (date) => ordinal(date.day), DD: (date) => pad(date.day, 2),
    DDD: (date) => date.ordinal, DDDo: (date) => ordinal(date.ordinal), DDDD: (date) => pad(date.ordinal, 3),
    d: (date) => date.weekday % 7, do: (date) => ordinal(date.weekday % 7), e: (date) => date.weekday % 7, E: (date) => date.weekday,
    dd: (date) => DAYS[date.weekday % 7].slice(0, 2), ddd: (date) => short(DAYS)[date.weekday % 7], dddd: (date) => DAYS[date.weekday % 7],
    w: (date) => americanWeek(date).week, wo: (date) => ordinal(americanWeek(date).week), ww: (date) => pad(americanWeek(date).week, 2),
    W: (date) => date.weekNumber, Wo: (date) => ordinal(date.weekNumber), WW: (date) => pad(date.weekNumber, 2),
    Y: (date) => year(date.year), YY: (date) => pad(date.year % 100, 2), YYYY: (date) => year(date.year),
    YYYYY: (date) => pad(date.year, 5), YYYYYY: (date) => (date.year < 0 ? '' : '+') + pad(date.year, 6), y: (date) => date.year,
    gg: (date) => pad(americanWeek(date).year % 100, 2), gggg: (date) => pad(americanWeek(date).year, 4),
    GG: (date) => pad(date.weekYear % 100, 2), GGGG: (date) => pad(date.weekYear, 4),
    A: (date) => (date.hour < 12 ? 'AM' : 'PM'), a: (date) => (date.hour < 12 ? 'am' : 'pm'),
    H: (date) => date.hour, HH: (date) => pad(date.hour, 2), h: hour12, hh: (date) => pad(hour12(date), 2),
    k: (date) => date.hour || 24, kk: (date) => pad(date.hour || 24, 2),
    m: (date) => date.minute, mm: (date) => pad(date.minute, 2), s: (date) => date.second, ss: (date) => pad(date.second, 2),
    hmm: (date) => hour12(date) + pad(date.minute, 2), hmmss: (date) => hour12(date) + pad(date.minute, 2) + pad(date.second, 2),
    Hmm: (date) => date.hour + pad(date.minute, 2), Hmmss: (date) => date.hour + pad(date.minute, 2) + pad(date.second, 2),
    X: (date) => Math.floor(date.toMillis() / 1000), x: (date) => date.toMillis(),
    // Only dates of a named zone have an abbreviation.
    z: (date, isZoned) => (isZoned ? date.offsetNameShort : ''), zz: (date, isZoned) => (isZoned ? date.offsetNameShort : ''),
    Z: (date) => offset(date, ':'), ZZ: (date) => offset(date, ''),
  };
  const write = (date, format, isZoned) => {
    if (!date.isValid) return 'Invalid date';
    let text = '';
    for (const token of split(format || 'YYYY-MM-DDTHH:mm:ssZ')) {
      if (token in WRITE) text += WRITE[token](date, isZoned);
      else if (/^S+$/.test(token)) text += (pad(date.millisecond, 3) + '000000').slice(0, token.length);
      else text += literal(token);
    }
    return text;
  };

  // --- Reading with a format ---

  const escape = (text) => text.replace(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');
  // Any word is read as a name. If it is none, the date is invalid.
  const WORD = /\d{0,256}['a-z\u00a0-\uffef]{1,256}/i;
  const findName = (names, text, length) => {
    const start = text.slice(0, length).toLowerCase();
    return names.findIndex((name) => name.slice(0, length).toLowerCase() === start);
  };
  const ONE_OR_TWO = /\d\d?/;
  const recentYear = (text) => (text.length > 2 ? Number(text) : Number(text) + (Number(text) > 68 ? 1900 : 2000));
  const put = (name) => (parts, text) => { parts[name] = Number.parseInt(text, 10); };
  const milliseconds = (parts, text) => { parts.millisecond = Math.trunc(Number('0.' + text) * 1000); };
  const minutesOfOffset = (text) => {
    if (text === 'Z' || text === 'z') return 0;
    const digits = text.replace(/\D/g, '');
    return (text[0] === '-' ? -1 : 1) * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0));
  };
  const clock = (parts, text, seconds) => {
    const minutesAt = text.length - (seconds ? 4 : 2);
    parts.hour = Number(text.slice(0, minutesAt));
    parts.minute = Number(text.slice(minutesAt, minutesAt + 2));
    if (seconds) parts.second = Number(text.slice(minutesAt + 2));
  };
  // For each token the pattern of its text, and what it sets.
  const READ = {
    __proto__: null,
    Y: [/[+-]?\d+/, put('year')], YY: [ONE_OR_TWO, (parts, text) => { parts.year = recentYear(text); }],
    YYYY: [/\d{1,4}/, (parts, text) => { parts.year = text.length === 2 ? recentYear(text) : Number(text); }],
    YYYYY: [/[+-]?\d{1,6}/, put('year')], YYYYYY: [/[+-]?\d{1,6}/, put('year')], y: [/\d+/, put('year')],
    GGGG: [/\d{1,4}/, put('weekYear')], GG: [ONE_OR_TWO, (parts, text) => { parts.weekYear = recentYear(text); }],
    W: [ONE_OR_TWO, put('weekNumber')], WW: [ONE_OR_TWO, put('weekNumber')], E: [ONE_OR_TWO, put('isoWeekday')],
    Q: [/\d/, (parts, text) => { parts.month = (Number(text) - 1) * 3 + 1; }],
    M: [ONE_OR_TWO, put('month')], MM: [ONE_OR_TWO, put('month')],
    MMM: [WORD, (parts, text) => { parts.month = findName(MONTHS, text, 3) + 1; }],
    D: [ONE_OR_TWO, put('day')], DD: [ONE_OR_TWO, put('day')],
    Do: [/\d{1,2}(?:th|st|nd|rd)?/, put('day')], DDD: [/\d{1,3}/, put('ordinal')], DDDD: [/\d{3}/, put('ordinal')],
    ddd: [WORD, (parts, text) => { parts.weekday = findName(DAYS, text, 2); }],
    d: [ONE_OR_TWO, put('weekday')], e: [ONE_OR_TWO, put('weekday')],
    a: [/[ap]\.?m?\.?/i, (parts, text) => { parts.isPm = text[0].toLowerCase() === 'p'; }],
    H: [ONE_OR_TWO, put('hour')], HH: [ONE_OR_TWO, put('hour')], h: [ONE_OR_TWO, put('hour12')], hh: [ONE_OR_TWO, put('hour12')],
    k: [ONE_OR_TWO, (parts, text) => { parts.hour = Number(text) % 24; }],
    kk: [ONE_OR_TWO, (parts, text) => { parts.hour = Number(text) % 24; }],
    m: [ONE_OR_TWO, put('minute')], mm: [ONE_OR_TWO, put('minute')], s: [ONE_OR_TWO, put('second')], ss: [ONE_OR_TWO, put('second')],
    hmm: [/\d{3,4}/, (parts, text) => clock(parts, text, false)], Hmm: [/\d{3,4}/, (parts, text) => clock(parts, text, false)],
    hmmss: [/\d{5,6}/, (parts, text) => clock(parts, text, true)], Hmmss: [/\d{5,6}/, (parts, text) => clock(parts, text, true)],
    S: [/\d{1,3}/, milliseconds], SS: [/\d{1,3}/, milliseconds], SSS: [/\d{1,3}/, milliseconds], SSSS: [/\d+/, milliseconds],
    X: [/[+-]?\d+(?:\.\d{1,3})?/, (parts, text) => { parts.time = Number(text) * 1000; }],
    x: [/[+-]?\d+/, put('time')],
    Z: [/Z|[+-]\d\d(?::?\d\d)?/i, (parts, text) => { parts.offset = minutesOfOffset(text); }],
  };
  Object.assign(READ, { MMMM: READ.MMM, dddd: READ.ddd, dd: READ.ddd, A: READ.a, ZZ: READ.Z });
  const readerOf = (token) => READ[token] ?? (/^S{4,}$/.test(token) ? READ.SSSS : undefined);

  const readParts = (text, format) => {
    const parts = {};
    let isEmpty = true;
    let rest = text;
    for (const token of split(format)) {
      const [pattern, set] = readerOf(token) ?? [new RegExp(escape(literal(token)), 'i'), undefined];
      const found = pattern.exec(rest);
      if (found === null) continue;
      // Text that fits no token is skipped.
      rest = rest.slice(found.index + found[0].length);
      if (set === undefined) continue;
      set(parts, found[0]);
      isEmpty = false;
    }
    return isEmpty ? undefined : parts;
  };
  const readFormat = (text, format, zone) => {
    const parts = readParts(text, format);
    if (parts === undefined) return invalid();
    if (parts.time !== undefined) return DateTime.fromMillis(parts.time, { zone });
    const where = parts.offset === undefined ? { zone } : { zone: 'utc' };
    const now = DateTime.now().setZone(where.zone);
    let { year: itsYear, month, day, hour = 0 } = parts;
    if (parts.hour12 !== undefined) hour = parts.isPm === undefined ? parts.hour12 : (parts.hour12 % 12) + (parts.isPm ? 12 : 0);
    else if (parts.isPm !== undefined) hour = parts.isPm && hour < 12 ? hour + 12 : !parts.isPm && hour === 12 ? 0 : hour;
    // What is larger than the largest part is that of today.
    if (itsYear === undefined) {
      itsYear = now.year;
      if (month === undefined) {
        month = now.month;
        day ??= now.day;
      }
    }
    const time = { hour, minute: parts.minute ?? 0, second: parts.second ?? 0, millisecond: parts.millisecond ?? 0 };
    const isWeek = parts.weekNumber !== undefined || parts.weekYear !== undefined;
    const place = parts.ordinal !== undefined ? { year: itsYear, ordinal: parts.ordinal }
      : isWeek ? { weekYear: parts.weekYear ?? now.weekYear, weekNumber: parts.weekNumber ?? 1, weekday: parts.isoWeekday ?? 1 }
      : { year: itsYear, month: month ?? 1, day: day ?? 1 };
    let date = DateTime.fromObject({ ...place, ...time }, where);
    if (!date.isValid) return invalid();
    const { weekday } = parts;
    const isOtherDay = () => parts.day !== undefined && date.weekday % 7 !== weekday;
    if (weekday === -1 || (weekday !== undefined && isOtherDay())) return invalid();
    if (parts.offset !== undefined) date = date.minus({ minutes: parts.offset }).setZone(zone);
    return date;
  };

  // --- Reading without a format ---

  const ISO = new RegExp([
    /^\s*(?:[+-]\d{6}|\d{4})(?:-\d\d-\d\d|-W\d\d-\d|-W\d\d|-\d{3}|-\d\d|\d{4}|W\d{3}|W\d\d|\d{3}|\d\d|)/,
    /(?:[T ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?(?:\s*Z|[+-]\d\d(?::?\d\d)?)?)?$/,
  ].map((each) => each.source).join(''));
  const readText = (text, zone) => {
    if (ISO.test(text)) return DateTime.fromISO(text.trim().replace(',', '.').replace(/ (?=\d)/, 'T').replace(/ /g, ''), { zone });
    return DateTime.fromMillis(new Date(text).getTime(), { zone });
  };
  // Moment treats a zone that it does not know as UTC.
  const findZone = (zone) => (DateTime.utc().setZone(zone).isValid ? zone : 'utc');

  const read = (value, { format, zone = 'utc' }) => {
    const place = findZone(zone);
    if (format) return readFormat(String(value), format, place);
    if (value === undefined) return DateTime.now().setZone(place);
    if (typeof value === 'string') return value === '' ? invalid() : readText(value, place);
    const time = value === null ? NaN : typeof value === 'object' ? Number(value.valueOf()) : Number(value);
    return DateTime.fromMillis(Math.trunc(time), { zone: place });
  };

  n8n.moment = {
    /** A date from a text, a number of milliseconds or a date. A date that cannot be read is invalid. */
    read(value, options = {}) {
      const date = read(value, options);
      return date.isValid ? date : invalid();
    },
    write,
    /** Adds a number of units. Moment rounds days and months to whole ones. */
    add(date, amount, unit) {
      const round = (number) => Math.sign(number) * Math.round(Math.abs(number)) || 0;
      const number = Number(amount) || 0;
      switch (unit) {
        case 'years': return date.plus({ months: round(number * 12) });
        case 'quarters': return date.plus({ months: round(number * 3) });
        case 'months': return date.plus({ months: round(number) });
        case 'weeks': return date.plus({ days: round(number * 7) });
        case 'days': return date.plus({ days: round(number) });
        default: {
          const size = { hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 }[unit];
          return DateTime.fromMillis(Math.trunc(date.toMillis() + number * size), { zone: date.zone });
        }
      }
    },
  };
})
