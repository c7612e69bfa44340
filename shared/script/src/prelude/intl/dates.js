// `Intl.DateTimeFormat`, and the methods of dates that use it.
(function (host) {
  'use strict';

  const { Date, Math, Number, Object, RangeError, String, TypeError } = globalThis;
  const { replace, now, zoneName, zoneOffset, zoneAbbreviation } = host;
  const { findLocale, choose, refuseOthers, toOptions, expose, hasPattern, patternParts } = host.intl;
  const pad = (number, size = 2) => String(number).padStart(size, '0');

  const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const ERAS = { long: ['Before Christ', 'Anno Domini'], short: ['BC', 'AD'], narrow: ['B', 'A'] };
  const DIGITS = ['numeric', '2-digit'];
  const TEXTS = ['narrow', 'short', 'long'];
  const COMPONENTS = {
    weekday: TEXTS, era: TEXTS, year: DIGITS, month: [...DIGITS, ...TEXTS], day: DIGITS, hour: DIGITS, minute: DIGITS, second: DIGITS,
    timeZoneName: ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'],
  };
  const DATE = ['weekday', 'year', 'month', 'day'];
  const TIME = ['hour', 'minute', 'second', 'fractionalSecondDigits'];
  const STYLES = ['full', 'long', 'medium', 'short'];

  // What the styles stand for.
  const ofDateStyle = (style, { shortYear }) =>
    style === 'short'
      ? { year: shortYear, month: 'numeric', day: 'numeric' }
      : { ...(style === 'full' && { weekday: 'long' }), year: 'numeric', month: style === 'medium' ? 'short' : 'long', day: 'numeric' };
  const ofTimeStyle = (style, { isBritish }) => ({
    hour: isBritish ? '2-digit' : 'numeric', minute: '2-digit', ...(style !== 'short' && { second: '2-digit' }),
    ...(style === 'long' && { timeZoneName: 'short' }), ...(style === 'full' && { timeZoneName: 'long' }),
  });

  // `needs` are the components of which one must be given, and `defaults` those that are added if none is.
  const readDateFormat = (locales, given, needs, defaults) => {
    const locale = findLocale(locales);
    const options = toOptions(given);
    refuseOthers(options, { calendar: 'gregory', numberingSystem: 'latn', dayPeriod: '' });
    const format = { locale, timeZone: 'UTC' };
    if (options.timeZone !== undefined) {
      const name = zoneName(String(options.timeZone));
      if (name === undefined) throw new RangeError('Invalid time zone specified: ' + String(options.timeZone));
      format.timeZone = name;
    }
    for (const name of Object.keys(COMPONENTS)) {
      const value = choose(options, name, COMPONENTS[name]);
      if (value !== undefined) format[name] = value;
    }
    const digits = options.fractionalSecondDigits;
    if (digits !== undefined) {
      if (!(Number(digits) >= 1 && Number(digits) <= 3)) throw new RangeError('fractionalSecondDigits value is out of range.');
      format.fractionalSecondDigits = Math.floor(Number(digits));
    }
    const dateStyle = choose(options, 'dateStyle', STYLES);
    const timeStyle = choose(options, 'timeStyle', STYLES);
    if (dateStyle !== undefined || timeStyle !== undefined) {
      const given = [...DATE, ...TIME, 'era', 'timeZoneName'].find((name) => format[name] !== undefined);
      if (given !== undefined) throw new TypeError("Can't set option " + given + ' when ' + (dateStyle ? 'dateStyle' : 'timeStyle') + ' is used');
      if (needs === 'date' && timeStyle) throw new TypeError('Invalid option : timeStyle');
      if (needs === 'time' && dateStyle) throw new TypeError('Invalid option : dateStyle');
      if (!locale.data) Object.assign(format, dateStyle && ofDateStyle(dateStyle, locale), timeStyle && ofTimeStyle(timeStyle, locale));
      format.isLong = dateStyle === 'full' || dateStyle === 'long';
      format.styles = { ...(dateStyle && { dateStyle }), ...(timeStyle && { timeStyle }) };
    } else {
      const counted = needs === 'date' ? DATE : needs === 'time' ? TIME : [...DATE, ...TIME];
      if (counted.every((name) => format[name] === undefined)) {
        if (defaults !== 'time') Object.assign(format, { year: 'numeric', month: 'numeric', day: 'numeric' });
        if (defaults !== 'date') Object.assign(format, { hour: 'numeric', minute: 'numeric', second: 'numeric' });
      }
      format.isLong = format.month === 'long';
    }
    if (format.timeZoneName === 'long' || /Generic$/.test(format.timeZoneName)) {
      throw new RangeError('The long and generic names of time zones are not available. Use timeZoneName: "short" or "longOffset".');
    }
    const cycle = choose(options, 'hourCycle', ['h11', 'h12', 'h23', 'h24']);
    const { hour12 } = options;
    if (locale.data) return hasPattern(format, cycle, hour12);
    if (hour12 !== undefined) {
      format.hourCycle = hour12 ? (locale.isBritish ? 'h11' : 'h12') : locale.isBritish ? 'h23' : 'h24';
    } else {
      format.hourCycle = cycle ?? (locale.isBritish ? 'h23' : 'h12');
    }
    return format;
  };

  const showZone = ({ locale, timeZone, timeZoneName: style }, time) => {
    if (style === 'short') {
      if (timeZone === 'UTC') return 'UTC';
      if (locale.isBritish && !/^(?:America|Asia)\//.test(timeZone)) {
        throw new RangeError('The name of the time zone ' + timeZone + ' is not available in en-GB. Use timeZoneName: "shortOffset".');
      }
      const abbreviation = locale.isBritish ? undefined : zoneAbbreviation(timeZone, time);
      if (abbreviation !== undefined) return abbreviation;
    }
    const offset = zoneOffset(timeZone, time) / 60_000;
    if (style === 'short' && offset === 0) return 'GMT';
    const size = Math.abs(offset);
    const hours = Math.floor(size / 60);
    const minutes = Math.floor(size % 60);
    const sign = offset < 0 ? '-' : '+';
    if (style === 'longOffset') return 'GMT' + sign + pad(hours) + ':' + pad(minutes);
    return 'GMT' + sign + hours + (minutes === 0 ? '' : ':' + pad(minutes));
  };

  const ofText = (names, index, style) => (style === 'long' ? names[index] : names[index].slice(0, style === 'short' ? 3 : 1));
  const literal = (value) => ({ type: 'literal', value });
  // Joins lists of parts, without those that are empty.
  const join = (lists, between) => {
    const full = lists.filter((list) => list.length > 0);
    return full.flatMap((list, index) => (index === 0 ? list : [literal(between), ...list]));
  };

  const dateParts = (format, date) => {
    const { locale } = format;
    const part = (type, value) => (format[type] === undefined ? [] : [{ type, value: String(value) }]);
    const year = date.getUTCFullYear();
    const shown = format.era !== undefined && year <= 0 ? 1 - year : year;
    const weekday = part('weekday', ofText(WEEKDAYS, date.getUTCDay(), format.weekday));
    const years = part('year', format.year === '2-digit' ? pad(((shown % 100) + 100) % 100) : shown);
    const era = format.era === undefined ? [] : [{ type: 'era', value: ERAS[format.era][year <= 0 ? 0 : 1] }];
    const isText = TEXTS.includes(format.month);
    const isAlone = [format.year, format.month, format.day].filter((each) => each !== undefined).length === 1;
    // With an era, Canada has the order of the United States.
    const { order, between, isPadded } = era.length > 0 && locale.order === 'ymd' ? findLocale('en-US') : locale;
    const inDigits = (style, number) => (style === '2-digit' || (!isText && isPadded && !isAlone) ? pad(number) : number);
    const days = part('day', inDigits(format.day, date.getUTCDate()));
    if (isText) {
      const month = part('month', ofText(MONTHS, date.getUTCMonth(), format.month));
      if (locale.order === 'dmy') {
        return join([weekday, join([days, month, years, era], ' ')], years.length > 0 ? ', ' : ' ');
      }
      const monthAndDay = join([month, days], ' ');
      return join([weekday, join([monthAndDay, join([years, era], ' ')], days.length > 0 ? ', ' : ' ')], days.length > 0 ? ', ' : ' ');
    }
    const month = part('month', inDigits(format.month, date.getUTCMonth() + 1));
    if (month.length === 0 && weekday.length > 0) {
      const others = join([days, years, era], ' ');
      return join(locale.isAmerican ? [others, weekday] : [weekday, others], ' ');
    }
    const parts = { d: days, m: month, y: years };
    const isBrief = locale.isBritish && years.length === 0;
    return join([weekday, join([join([...order].map((each) => parts[each]), between), era], ' ')], isBrief ? ' ' : ', ');
  };

  const timeParts = (format, date) => {
    const { locale, hourCycle, fractionalSecondDigits: digits } = format;
    const part = (type, value) => (format[type] === undefined ? [] : [{ type, value: String(value) }]);
    const hours = date.getUTCHours();
    const is12 = hourCycle === 'h12' || hourCycle === 'h11';
    const first = hourCycle === 'h12' ? hours % 12 || 12 : hourCycle === 'h11' ? hours % 12 : hourCycle === 'h24' ? hours || 24 : hours;
    const isShort = is12 || (locale.isBritish && format.minute === '2-digit');
    const hour = part('hour', format.hour === '2-digit' || !isShort ? pad(first) : first);
    const isPadded = hour.length > 0 || (format.minute !== undefined && format.second !== undefined);
    const inDigits = (number) => (isPadded ? pad(number) : number);
    const minute = part('minute', inDigits(date.getUTCMinutes()));
    const second = part('second', inDigits(date.getUTCSeconds()));
    const fraction = digits === undefined ? [] : [{ type: 'fractionalSecond', value: pad(date.getUTCMilliseconds(), 3).slice(0, digits) }];
    const time = join([hour, minute, join([second, fraction], '.')], ':');
    const period = hour.length > 0 && is12 ? [{ type: 'dayPeriod', value: hours < 12 ? locale.am : locale.pm }] : [];
    return join([time, period], ' ');
  };

  const partsOf = (format, value) => {
    const time = value === undefined ? now() : Number(value);
    if (!(Math.abs(time) <= 8.64e15)) throw new RangeError('Invalid time value');
    const date = new Date(Math.trunc(time) + zoneOffset(format.timeZone, time));
    if (format.locale.data) return patternParts(format, date);
    const days = dateParts(format, date);
    const times = timeParts(format, date);
    const isWeekday = format.weekday !== undefined && DATE.slice(1).every((name) => format[name] === undefined);
    const between = isWeekday ? format.locale.weekdayBefore : format.isLong ? ' at ' : ', ';
    const parts = join([days, times], between);
    if (format.timeZoneName === undefined) return parts;
    const zone = [{ type: 'timeZoneName', value: showZone(format, time) }];
    return join([parts, zone], times.length > 0 ? ' ' : ', ');
  };
  // As in V8, only the parts have narrow spaces.
  const textOf = (parts) => parts.map(({ value }) => value).join('').replace(/\u202f/g, ' ');

  class DateTimeFormat {
    #format;
    #bound;
    constructor(locales, options) {
      this.#format = readDateFormat(locales, options, 'any', 'date');
    }
    get format() {
      return (this.#bound ??= (date) => textOf(partsOf(this.#format, date)));
    }
    formatToParts(date) {
      return partsOf(this.#format, date);
    }
    resolvedOptions() {
      const { locale, timeZone, hourCycle, styles, isLong: _, ...components } = this.#format;
      const hours = components.hour === undefined ? {} : { hourCycle, hour12: hourCycle === 'h12' || hourCycle === 'h11' };
      return { locale: locale.locale, calendar: 'gregory', numberingSystem: 'latn', timeZone, ...hours, ...(styles ?? components) };
    }
  }
  expose(DateTimeFormat);

  const dateText = (date, locales, options, needs) => {
    const time = date.getTime();
    const format = readDateFormat(locales, options, needs, needs === 'any' ? 'all' : needs);
    return time === time ? textOf(partsOf(format, time)) : 'Invalid Date';
  };
  for (const [name, needs] of [['toLocaleString', 'any'], ['toLocaleDateString', 'date'], ['toLocaleTimeString', 'time']]) {
    replace(Date.prototype, name, () => ({ method(locales, options) { return dateText(this, locales, options, needs); } }).method);
  }
})
