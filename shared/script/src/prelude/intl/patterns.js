// Dates in the locales that have patterns. `tests/differential/locales.mjs` describes the patterns, and writes them.
(function (host) {
  'use strict';

  const { Number, Object, String } = globalThis;
  const { refuse } = host.intl;
  const pad = (number) => String(number).padStart(2, '0');
  const TYPES = {
    E: 'weekday', y: 'year', M: 'month', d: 'day', H: 'hour', h: 'hour', K: 'hour', k: 'hour', m: 'minute', s: 'second', a: 'dayPeriod',
  };
  const HOURS = { h11: 'K', h12: 'h', h23: 'H', h24: 'k' };
  const LETTERS = {
    weekday: { long: 'E', short: 'e' }, year: { numeric: 'y', '2-digit': 'Y' },
    month: { numeric: 'M', '2-digit': 'N', short: 'S', long: 'L' }, day: { numeric: 'd', '2-digit': 'D' },
  };

  const fillIn = (pattern, first, second) => pattern.replace(/\{([dt])\}/g, (_, which) => (which === 'd' ? first : second));

  const datePattern = (format, { dates }) => {
    let key = '';
    for (const name of Object.keys(LETTERS)) {
      const value = format[name];
      if (value === undefined) continue;
      key += LETTERS[name][value] ?? refuse(format.locale, 'The option ' + name + ': ' + value);
    }
    const base = key.replace('Y', 'y').replace('N', 'M').replace('D', 'd');
    let pattern = dates[key] ?? dates[base];
    if (key === '') return ['', ''];
    if (pattern === undefined) refuse(format.locale, 'The combination of these parts of a date');
    if (dates[key] === undefined) {
      if (key.includes('Y')) pattern = pattern.replace('{y}', '{yy}');
      if (key.includes('N')) pattern = pattern.replace('{M}', '{MM}');
      if (key.includes('D')) pattern = pattern.replace('{d}', '{dd}');
    }
    return [key, pattern];
  };
  const timePattern = (format, { times }, cycle) => {
    const letter = (value, numeric, padded) => (value === undefined ? '' : value === '2-digit' ? padded : numeric);
    const key = letter(format.hour, 'h', 'H') + letter(format.minute, 'n', 'm') + letter(format.second, 'x', 's');
    if (key === '') return '';
    const base = key.replace('n', 'm').replace('x', 's');
    const found = [key + cycle, base + cycle, key, base].find((each) => times[each] !== undefined);
    return found === undefined ? refuse(format.locale, 'The combination of these parts of a time') : times[found];
  };
  // Dates with the name of the month are joined with the time in another way.
  const joinOf = ({ joins }, key) => {
    if (/^e$/i.test(key)) return undefined;
    const kind = !key.includes('L') ? (key.includes('S') ? 'medium' : 'short') : /^e/i.test(key) ? 'full' : 'long';
    return joins[key] === undefined ? joins[kind] : joins[key];
  };

  /** Adds the pattern of a format to it. Refuses options without one. */
  host.intl.hasPattern = (format, cycle, hour12) => {
    const { locale, styles } = format;
    const { data } = locale;
    for (const name of ['era', 'fractionalSecondDigits', 'timeZoneName']) {
      if (format[name] !== undefined) refuse(locale, 'The option ' + name);
    }
    const is12 = (name) => name === 'h12' || name === 'h11';
    const own = hour12 === undefined ? cycle : undefined;
    const isOwn = hour12 === undefined && (cycle === undefined || cycle === data.cycle);
    const wants12 = hour12 === undefined ? is12(cycle) : hour12;
    let date;
    let time;
    let join;
    if (styles) {
      const { dateStyle, timeStyle } = styles;
      if (timeStyle === 'full' || timeStyle === 'long') refuse(locale, 'The option timeStyle: ' + timeStyle);
      if (timeStyle && !isOwn) refuse(locale, 'The option timeStyle with this cycle of hours');
      date = dateStyle ? data.styles.date[dateStyle] : '';
      time = timeStyle ? data.styles.time[timeStyle] : '';
      join = data.styles.join[dateStyle];
    } else {
      const [key, pattern] = datePattern(format, data);
      date = pattern;
      time = timePattern(format, data, isOwn ? '' : wants12 ? '12' : '24');
      join = joinOf(data, key);
    }
    if (own !== undefined) time = time.replace(/\{[HhKk]+\}/, (field) => field.replace(/[HhKk]/g, HOURS[own]));
    if (date !== '' && time !== '' && !join) refuse(locale, 'The combination of this date with a time');
    const shown = /\{([HhKk])/.exec(time)?.[1];
    format.hourCycle = Object.keys(HOURS).find((each) => HOURS[each] === shown) ?? data.cycle;
    format.pattern = date === '' || time === '' ? date + time : fillIn(join, date, time);
    return format;
  };

  host.intl.patternParts = ({ locale: { data }, pattern }, date) => {
    const hours = date.getUTCHours();
    const numbers = {
      y: date.getUTCFullYear(), M: date.getUTCMonth() + 1, d: date.getUTCDate(), H: hours, h: hours % 12 || 12, K: hours % 12, k: hours || 24,
      m: date.getUTCMinutes(), s: date.getUTCSeconds(),
    };
    const show = (field) => {
      const letter = field[0];
      const list = Number(field.slice(1));
      if (letter === 'a') return data.periods[hours < 12 ? 0 : 1];
      if (letter === 'E') return data.weekdays[list][date.getUTCDay()];
      if (/^M\d/.test(field)) return data.months[list][date.getUTCMonth()];
      if (field === 'yy') return pad(((numbers.y % 100) + 100) % 100);
      return field.length === 2 ? pad(numbers[letter]) : String(numbers[letter]);
    };
    const pieces = pattern.split(/\{(\w+)\}/).map((piece, index) =>
      index % 2 === 0 ? { type: 'literal', value: piece } : { type: TYPES[piece[0]], value: show(piece) });
    return pieces.filter(({ value }) => value !== '');
  };
})
