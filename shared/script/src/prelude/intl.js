// The part of `Intl` for English: dates in each time zone, and numbers. Other locales are refused, because a text in the wrong
// format would be a mistake that nobody sees, and so are options that are not available.
(function (host) {
  'use strict';

  const { Array, BigInt, Date, Math, Number, Object, RangeError, Reflect, String, Symbol, TypeError } = globalThis;
  const { hide, replace, now, zoneName, zoneOffset, zoneAbbreviation } = host;
  const { defineProperty } = Reflect;
  const pad = (number, size = 2) => String(number).padStart(size, '0');

  // --- Locales ---

  // `order` and `between` are those of dates in digits.
  const US = { locale: 'en-US', order: 'mdy', between: '/', isPadded: false, isBritish: false, am: 'AM', pm: 'PM', shortYear: '2-digit', weekdayBefore: ' ' };
  const LOCALES = {
    'en-US': US,
    'en-GB': { ...US, locale: 'en-GB', order: 'dmy', isPadded: true, isBritish: true, am: 'am', pm: 'pm', shortYear: 'numeric', weekdayBefore: ', ' },
    'en-CA': { ...US, locale: 'en-CA', order: 'ymd', between: '-', isPadded: true, am: 'a.m.', pm: 'p.m.', shortYear: 'numeric' },
  };
  const findLocale = (locales) => {
    const wanted = locales === undefined ? [] : typeof locales === 'string' ? [locales] : Array.from(locales);
    if (wanted.length === 0) return US;
    for (const one of wanted) {
      const tag = String(one);
      if (!/^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(tag)) throw new RangeError('Incorrect locale information provided');
      const plain = tag.toLowerCase();
      if (plain === 'en') return { ...US, locale: 'en' };
      for (const name of Object.keys(LOCALES)) if (name.toLowerCase() === plain) return LOCALES[name];
    }
    throw new RangeError('The locale ' + String(wanted[0]) + ' is not available. Use one of en-US, en-GB, en-CA.');
  };
  const choose = (options, name, values, otherwise) => {
    const value = options[name];
    if (value === undefined) return otherwise;
    const text = typeof value === 'boolean' && values.includes(value) ? value : String(value);
    if (!values.includes(text)) throw new RangeError('Value ' + text + ' out of range for Intl options property ' + name);
    return text;
  };
  // Refuses options that have another value than their default.
  const refuseOthers = (options, defaults) => {
    for (const name of Object.keys(defaults)) {
      const value = options[name];
      if (value !== undefined && String(value) !== defaults[name]) {
        throw new RangeError('The option ' + name + ': ' + String(value) + ' is not available in scripts.');
      }
    }
  };
  const toOptions = (options) => {
    if (options === null) throw new TypeError('Cannot convert undefined or null to object');
    return options === undefined ? {} : Object(options);
  };

  // --- Dates ---

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
      Object.assign(format, dateStyle && ofDateStyle(dateStyle, locale), timeStyle && ofTimeStyle(timeStyle, locale));
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
    // With an era, only the order of the United States is known.
    const { order, between, isPadded } = era.length > 0 && locale.order === 'ymd' ? US : locale;
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
      return join(locale === LOCALES['en-US'] || locale.locale === 'en' ? [others, weekday] : [weekday, others], ' ');
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
    const days = dateParts(format, date);
    const times = timeParts(format, date);
    const isWeekday = format.weekday !== undefined && DATE.slice(1).every((name) => format[name] === undefined);
    const between = isWeekday ? format.locale.weekdayBefore : format.isLong ? ' at ' : ', ';
    const parts = join([days, times], between);
    if (format.timeZoneName === undefined) return parts;
    const zone = [{ type: 'timeZoneName', value: showZone(format, time) }];
    return join([parts, zone], times.length > 0 ? ' ' : ', ');
  };
  const textOf = (parts) => parts.map(({ value }) => value).join('');

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

  // --- Numbers ---

  const SYMBOLS = {
    USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', CNY: 'CN¥', KRW: '₩', NZD: 'NZ$',
    ILS: '₪', VND: '₫', PHP: '₱', TWD: 'NT$', HKD: 'HK$', XAF: 'FCFA', XOF: 'F\u202fCFA', XPF: 'CFPF', XCD: 'EC$',
  };
  const OWN_SYMBOLS = { 'en-GB': { USD: 'US$', JPY: 'JP¥' }, 'en-CA': { CAD: '$', USD: 'US$', JPY: 'JP¥', XPF: 'XPF', PHP: 'PHP' } };
  const NO_CENTS = ['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'];
  const MILLS = ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'];
  const UNITS = ['millisecond', 'second', 'minute', 'hour', 'day', 'week', 'month', 'year'];
  const readDigits = (options, name, least, most, otherwise) => {
    const value = options[name];
    if (value === undefined) return otherwise;
    const number = Number(value);
    if (!(number >= least && number <= most)) throw new RangeError(name + ' value is out of range.');
    return Math.floor(number);
  };

  const readNumberFormat = (locales, given) => {
    const locale = findLocale(locales);
    const options = toOptions(given);
    refuseOthers(options, {
      numberingSystem: 'latn', compactDisplay: 'short', roundingMode: 'halfExpand', roundingPriority: 'auto', roundingIncrement: '1',
      trailingZeroDisplay: 'auto',
    });
    const style = choose(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    const notation = choose(options, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
    if (notation !== 'standard' && notation !== 'compact') throw new RangeError('The notation ' + notation + ' is not available.');
    const format = {
      locale, style, notation,
      signDisplay: choose(options, 'signDisplay', ['auto', 'always', 'never', 'exceptZero', 'negative'], 'auto'),
      currencySign: choose(options, 'currencySign', ['standard', 'accounting'], 'standard'),
      grouping: choose(options, 'useGrouping', ['always', 'auto', 'min2', 'true', 'false', true, false], notation === 'compact' ? 'min2' : 'auto'),
      minimumIntegerDigits: readDigits(options, 'minimumIntegerDigits', 1, 21, 1),
    };
    let digits = style === 'percent' ? [0, 0] : [0, 3];
    if (style === 'currency') {
      if (options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
      const currency = String(options.currency).toUpperCase();
      if (!/^[A-Z]{3}$/.test(currency)) throw new RangeError('Invalid currency code : ' + String(options.currency));
      format.currency = currency;
      format.currencyDisplay = choose(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
      if (format.currencyDisplay === 'name') throw new RangeError('The names of currencies are not available. Use currencyDisplay: "code".');
      const cents = NO_CENTS.includes(currency) ? 0 : MILLS.includes(currency) ? 3 : 2;
      digits = [cents, cents];
    }
    if (style === 'unit') {
      const unit = String(options.unit);
      const display = choose(options, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
      if (!UNITS.includes(unit) || display !== 'long') throw new RangeError('Of units, only those of time are available, with unitDisplay: "long".');
      format.unit = unit;
    }
    const least = readDigits(options, 'minimumSignificantDigits', 1, 21);
    const most = readDigits(options, 'maximumSignificantDigits', least ?? 1, 21);
    if (least !== undefined || most !== undefined) {
      format.significant = [least ?? 1, most ?? 21];
      return format;
    }
    const min = readDigits(options, 'minimumFractionDigits', 0, 20);
    const max = readDigits(options, 'maximumFractionDigits', 0, 20);
    if (min === undefined && max === undefined && notation === 'compact') return format;
    if (min !== undefined && max !== undefined && min > max) throw new RangeError('maximumFractionDigits value is out of range.');
    format.fraction = min === undefined && max === undefined
      ? digits
      : [min ?? Math.min(digits[0], max), max ?? Math.max(digits[1], min)];
    return format;
  };

  // The shortest decimal text of a number that is not negative, times a power of ten: the digits before and after the point.
  const digitsOf = (value, power) => {
    const [digits, exponent = '0'] = String(value).split('e');
    const [whole, rest = ''] = digits.split('.');
    const all = whole + rest;
    const point = whole.length + Number(exponent) + power;
    if (point <= 0) return ['0', '0'.repeat(-point) + all];
    return [all.slice(0, point).padEnd(point, '0').replace(/^0+(?=.)/, ''), all.slice(point)];
  };
  // Rounds the text as people do, halves up, to this number of digits after the point. A negative number rounds whole digits.
  const roundAt = ([whole, rest], places) => {
    if (rest.length <= places) return [whole, rest];
    const all = whole + rest;
    const end = whole.length + places;
    if (end < 0) return ['0', ''];
    let kept = all.slice(0, end);
    if (all[end] >= '5') {
      let i = end - 1;
      while (i >= 0 && kept[i] === '9') i -= 1;
      kept = (i < 0 ? '1' : kept.slice(0, i) + (Number(kept[i]) + 1)) + '0'.repeat(end - 1 - i);
    }
    const size = whole.length + kept.length - end;
    return places >= 0 ? [kept.slice(0, size) || '0', kept.slice(size)] : [(kept || '0') + (kept === '' ? '' : '0'.repeat(-places)), ''];
  };
  // The place of the first digit that counts: 1 for `0.05`, and -2 for `123`.
  const firstPlace = ([whole, rest]) => (whole !== '0' ? 1 - whole.length : Math.max(0, /^0*/.exec(rest)[0].length) + 1);
  const roundNumber = (format, value, power) => {
    const { significant, fraction } = format;
    const exact = digitsOf(value, power);
    const first = value === 0 ? 0 : firstPlace(exact);
    let rounded;
    let least = 0;
    if (significant !== undefined) {
      rounded = roundAt(exact, first + significant[1] - 1);
      least = Math.max(0, (value === 0 ? 0 : firstPlace(rounded)) + significant[0] - 1);
    } else if (fraction !== undefined) {
      rounded = roundAt(exact, fraction[1]);
      least = fraction[0];
    } else {
      // The compact form shows two digits, but all before the point.
      rounded = roundAt(exact, Math.max(0, first + 1));
    }
    const [whole, rest] = rounded;
    let end = rest.length;
    while (end > least && rest[end - 1] === '0') end -= 1;
    return [whole, rest.slice(0, end).padEnd(least, '0')];
  };
  const group = (whole, grouping) => {
    const isOff = grouping === false || grouping === 'false' || (grouping === 'min2' && whole.length < 5);
    if (isOff || whole.length <= 3) return whole;
    const first = whole.length % 3 || 3;
    let text = whole.slice(0, first);
    for (let i = first; i < whole.length; i += 3) text += ',' + whole.slice(i, i + 3);
    return text;
  };
  const THOUSANDS = ['', 'K', 'M', 'B', 'T'];
  const BRITISH_THOUSANDS = ['', 'k', 'm', 'bn', 'tn'];

  const formatNumber = (format, given) => {
    const isBig = typeof given === 'bigint';
    const { style, significant, fraction } = format;
    let text;
    let isNegative;
    let isZero = false;
    let suffix = '';
    if (isBig && significant === undefined && format.notation === 'standard') {
      isNegative = given < 0n;
      const size = (isNegative ? -given : given) * (style === 'percent' ? 100n : 1n);
      isZero = size === 0n;
      text = group(size.toString().padStart(format.minimumIntegerDigits, '0'), format.grouping) + (fraction[0] > 0 ? '.' + '0'.repeat(fraction[0]) : '');
    } else {
      const value = Number(given);
      isNegative = value < 0 || Object.is(value, -0);
      const size = Math.abs(value);
      if (value !== value) {
        text = 'NaN';
      } else if (size === Infinity) {
        text = '∞';
      } else {
        let power = style === 'percent' ? 2 : 0;
        if (format.notation === 'compact') {
          let thousands = Math.min(4, Math.floor((digitsOf(size, power)[0].length - 1) / 3));
          if (roundNumber(format, size, power - 3 * thousands)[0].length > 3 && thousands < 4) thousands += 1;
          power -= 3 * thousands;
          suffix = (format.locale.isBritish ? BRITISH_THOUSANDS : THOUSANDS)[thousands];
        }
        const [whole, rest] = roundNumber(format, size, power);
        isZero = !/[1-9]/.test(whole + rest);
        text = group(whole.padStart(format.minimumIntegerDigits, '0'), format.grouping) + (rest === '' ? '' : '.' + rest) + suffix;
      }
    }
    if (style === 'percent') text += '%';
    if (style === 'unit') text += ' ' + format.unit + (text === '1' ? '' : 's');
    if (style === 'currency') {
      const { currency, currencyDisplay, locale } = format;
      const symbols = currencyDisplay === 'narrowSymbol' ? NARROW : { ...SYMBOLS, ...OWN_SYMBOLS[locale.locale] };
      const symbol = currencyDisplay === 'code' ? currency : symbols[currency] ?? currency;
      text = symbol + (/\p{L}$/u.test(symbol) && /^\d/.test(text) ? '\u00a0' : '') + text;
    }
    const { signDisplay } = format;
    const isNaN = text.includes('NaN');
    const showsMinus = isNegative && !isNaN && signDisplay !== 'never' && !(isZero && (signDisplay === 'exceptZero' || signDisplay === 'negative'));
    if (showsMinus) return style === 'currency' && format.currencySign === 'accounting' ? '(' + text + ')' : '-' + text;
    const showsPlus = signDisplay === 'always' ? !isNegative || isNaN : signDisplay === 'exceptZero' && !isZero && !isNaN;
    return showsPlus ? '+' + text : text;
  };
  const NARROW = {
    ...SYMBOLS, CAD: '$', AUD: '$', MXN: '$', NZD: '$', HKD: '$', TWD: '$', XCD: '$', CNY: '¥', ARS: '$', CLP: '$', COP: '$', SGD: '$',
    PLN: 'zł', CZK: 'Kč', HUF: 'Ft', RUB: '₽', TRY: '₺', UAH: '₴', SEK: 'kr', NOK: 'kr', DKK: 'kr', ISK: 'kr', NGN: '₦', EGP: 'E£',
    ZAR: 'R', IDR: 'Rp', MYR: 'RM', PKR: 'Rs', LKR: 'Rs', BDT: '৳', KZT: '₸', GEL: '₾', RON: 'lei',
  };

  class NumberFormat {
    #format;
    #bound;
    constructor(locales, options) {
      this.#format = readNumberFormat(locales, options);
    }
    get format() {
      return (this.#bound ??= (value) => formatNumber(this.#format, typeof value === 'bigint' ? value : Number(value)));
    }
    resolvedOptions() {
      const { locale, grouping, fraction, significant, ...others } = this.#format;
      return {
        locale: locale.locale, numberingSystem: 'latn', ...others, useGrouping: grouping,
        ...(fraction && { minimumFractionDigits: fraction[0], maximumFractionDigits: fraction[1] }),
        ...(significant && { minimumSignificantDigits: significant[0], maximumSignificantDigits: significant[1] }),
      };
    }
  }

  // --- Lists ---

  class ListFormat {
    #word;
    #isNarrow;
    #comma;
    constructor(locales, options) {
      const { locale } = findLocale(locales);
      const given = toOptions(options);
      const type = choose(given, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
      const style = choose(given, 'style', ['long', 'short', 'narrow'], 'long');
      this.#isNarrow = style === 'narrow';
      const isAmerican = locale === 'en-US' || locale === 'en';
      this.#comma = isAmerican ? ', ' : ' ';
      const and = style === 'long' || !isAmerican ? 'and' : '&';
      this.#word = type === 'disjunction' ? 'or' : type === 'unit' || this.#isNarrow ? '' : and;
      if (type === 'unit' && this.#isNarrow) this.#word = ' ';
    }
    format(list) {
      const items = Array.from(list, String);
      if (this.#word === ' ') return items.join(' ');
      if (items.length < 2 || this.#word === '') return items.join(', ');
      const last = items.pop();
      return items.join(', ') + (items.length > 1 ? this.#comma : ' ') + this.#word + ' ' + last;
    }
  }

  const supported = (locales) =>
    (locales === undefined ? [] : typeof locales === 'string' ? [locales] : Array.from(locales, String)).filter((one) => /^en(-(US|GB|CA))?$/i.test(one));

  const Intl = { getCanonicalLocales: (locales) => (locales === undefined ? [] : [].concat(locales).map(String)) };
  for (const type of [DateTimeFormat, NumberFormat, ListFormat]) {
    defineProperty(type.prototype, Symbol.toStringTag, { value: 'Intl.' + type.name, configurable: true });
    // They also work without `new`.
    const callable = function (locales, options) { return new type(locales, options); };
    Object.defineProperties(callable, {
      name: { value: type.name }, length: { value: 0 }, prototype: { value: type.prototype },
      supportedLocalesOf: { value: supported, configurable: true, writable: true },
    });
    hide(type.prototype, 'constructor', callable);
    hide(Intl, type.name, callable);
  }
  defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
  hide(globalThis, 'Intl', Intl);

  // --- The methods of dates and numbers ---

  const dateText = (date, locales, options, needs) => {
    const time = date.getTime();
    const format = readDateFormat(locales, options, needs, needs === 'any' ? 'all' : needs);
    return time === time ? textOf(partsOf(format, time)) : 'Invalid Date';
  };
  for (const [name, needs] of [['toLocaleString', 'any'], ['toLocaleDateString', 'date'], ['toLocaleTimeString', 'time']]) {
    replace(Date.prototype, name, () => ({ method(locales, options) { return dateText(this, locales, options, needs); } }).method);
  }
  replace(Number.prototype, 'toLocaleString', () => ({
    toLocaleString(locales, options) { return formatNumber(readNumberFormat(locales, options), Number.prototype.valueOf.call(this)); },
  }).toLocaleString);
  replace(BigInt.prototype, 'toLocaleString', () => ({
    toLocaleString(locales, options) { return formatNumber(readNumberFormat(locales, options), BigInt.prototype.valueOf.call(this)); },
  }).toLocaleString);
})
