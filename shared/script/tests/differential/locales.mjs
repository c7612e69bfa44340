// Writes the formats of locales as this Node has them: `node locales.mjs` writes src/locales.jsonl, one locale per line.
//
// A pattern is a text with fields such as {d} and {MM}. {M0} is the name of the month in the first list of names, and {E0} that of the
// day of the week. The keys of `dates` are the components: E or e for the long or short weekday, y, then M, S or L for the month in
// digits, short or long, and d. Those with two digits are written Y, N and D. Keys that follow from the others are left out, and so are
// components that nobody shows together, such as a year and a day without a month.
import { writeFileSync } from 'node:fs';

process.env.TZ = 'UTC';
const LOCALES = [
  'de-CH', 'de-DE', 'en-AU', 'en-IN', 'en-SG', 'es-AR', 'es-CO', 'es-ES', 'es-MX', 'fr-FR', 'id-ID', 'it-IT', 'ja-JP', 'nl-NL', 'pl-PL',
  'pt-BR', 'pt-PT', 'ru-RU', 'sv-SE', 'tr-TR', 'vi-VN',
];
const STYLES = ['full', 'long', 'medium', 'short'];
const WEEKDAYS = { '': undefined, E: 'long', e: 'short' };
const YEARS = { '': undefined, y: 'numeric', Y: '2-digit' };
const MONTHS = { '': undefined, M: 'numeric', N: '2-digit', S: 'short', L: 'long' };
const DAYS = { '': undefined, d: 'numeric', D: '2-digit' };
const pad = (number) => String(number).padStart(2, '0');
const at = (month, day, hour = 3, minute = 4, second = 5) => new Date(Date.UTC(2026, month, day, hour, minute, second));
const fail = (...what) => { throw new Error(what.join(' ')); };

const describe = (locale) => {
  const data = { months: [], weekdays: [] };
  const make = (options) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  const indexOf = (lists, names) => {
    const found = lists.findIndex((list) => String(list) === String(names));
    return found < 0 ? lists.push(names) - 1 : found;
  };
  // The same part at several times, as a field of a pattern.
  const values = (format, index, times) => times.map((time) => format.formatToParts(time)[index].value);
  const range = (count, make) => Array.from({ length: count }, (_, i) => make(i));
  const HOURS = { H: (h) => h, HH: pad, h: (h) => h % 12 || 12, hh: (h) => pad(h % 12 || 12), K: (h) => h % 12, KK: (h) => pad(h % 12), k: (h) => h || 24, kk: (h) => pad(h || 24) };
  const fieldOf = (format, type, index) => {
    if (type === 'year') return values(format, index, [at(0, 1)])[0] === '26' ? 'yy' : 'y';
    if (type === 'day') return values(format, index, [at(0, 4)])[0] === '04' ? 'dd' : 'd';
    if (type === 'minute') return values(format, index, [at(0, 4)])[0] === '04' ? 'mm' : 'm';
    if (type === 'second') return values(format, index, [at(0, 4)])[0] === '05' ? 'ss' : 's';
    if (type === 'weekday') return 'E' + indexOf(data.weekdays, values(format, index, range(7, (i) => at(1, i + 1))));
    if (type === 'month') {
      const names = values(format, index, range(12, (i) => at(i, 4)));
      return names.every((name, i) => Number(name) === i + 1) ? (names[0] === '01' ? 'MM' : 'M') : 'M' + indexOf(data.months, names);
    }
    const times = range(24, (hour) => at(0, 4, hour));
    if (type === 'hour') {
      const seen = String(values(format, index, times));
      return Object.keys(HOURS).find((key) => seen === String(range(24, HOURS[key]))) ?? fail(locale, 'hours', seen);
    }
    if (type === 'dayPeriod') {
      const seen = values(format, index, times);
      const periods = [seen[0], seen[12]];
      if (seen.some((each, hour) => each !== periods[hour < 12 ? 0 : 1])) fail(locale, 'periods', seen);
      if (data.periods && String(data.periods) !== String(periods)) fail(locale, 'periods', periods);
      data.periods = periods;
      return 'a';
    }
    return fail(locale, type);
  };
  const patternOf = (options) => {
    const format = make(options);
    const parts = format.formatToParts(at(2, 4));
    const pattern = parts.map(({ type, value }, index) => (type === 'literal' ? value : `{${fieldOf(format, type, index)}}`));
    return pattern.join('');
  };

  data.dates = {};
  const widen = (pattern, key) => {
    let wide = pattern;
    if (key.includes('Y')) wide = wide.replace('{y}', '{yy}');
    if (key.includes('N')) wide = wide.replace('{M}', '{MM}');
    if (key.includes('D')) wide = wide.replace('{d}', '{dd}');
    return wide;
  };
  const joins = {};
  data.joins = joins;
  for (const [E, weekday] of Object.entries(WEEKDAYS)) for (const [y, year] of Object.entries(YEARS)) {
    for (const [M, month] of Object.entries(MONTHS)) for (const [d, day] of Object.entries(DAYS)) {
      const key = E + y + M + d;
      const isOdd = (d && !M && y) || (E && !d && (M || y));
      if (key === '' || isOdd) continue;
      const options = { weekday, year, month, day };
      const pattern = patternOf(options);
      const base = key.replace('Y', 'y').replace('N', 'M').replace('D', 'd');
      if (base === key || widen(data.dates[base], key) !== pattern) data.dates[key] = pattern;
      if (/^e$/i.test(key)) continue;
      const time = make({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at(2, 4));
      const both = make({ ...options, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at(2, 4));
      const date = make(options).format(at(2, 4));
      const join = both.replace(time, '{t}').replace(date, '{d}');
      const kind = M === 'L' ? (E ? 'full' : 'long') : M === 'S' ? 'medium' : 'short';
      if (!join.includes('{t}') || !join.includes('{d}')) joins[key] = null;
      else if ((joins[kind] ??= join) !== join) joins[key] = join;
    }
  }

  // With h, n and x for the hour, the minute and the second in digits, H, m and s for those in two digits, and 12 or 24 if the option
  // `hour12` is given. As above, keys that follow from others are left out.
  data.times = {};
  data.cycle = make({ hour: 'numeric' }).resolvedOptions().hourCycle;
  for (const [cycle, hour12] of [['', undefined], ['12', true], ['24', false]]) for (const [h, hour] of [['', undefined], ['h', 'numeric'], ['H', '2-digit']]) {
    for (const [m, minute] of [['', undefined], ['m', '2-digit'], ['n', 'numeric']]) for (const [s, second] of [['', undefined], ['s', '2-digit'], ['x', 'numeric']]) {
      const key = h + m + s;
      if (key === '' || (h && s && !m)) continue;
      const pattern = patternOf({ hour, minute, second, hour12 });
      const base = key.replace('n', 'm').replace('x', 's');
      const found = [key + cycle, base + cycle, key, base].map((each) => data.times[each]).find((each) => each !== undefined);
      if (found !== pattern) data.times[key + cycle] = pattern;
    }
  }
  data.styles = { date: {}, time: {}, join: {} };
  for (const dateStyle of STYLES) {
    data.styles.date[dateStyle] = patternOf({ dateStyle });
    const [date, time, both] = [{ dateStyle }, { timeStyle: 'medium' }, { dateStyle, timeStyle: 'medium' }].map((each) => make(each).format(at(2, 4)));
    data.styles.join[dateStyle] = both.replace(time, '{t}').replace(date, '{d}');
  }
  for (const timeStyle of ['medium', 'short']) data.styles.time[timeStyle] = patternOf({ timeStyle });

  // --- Numbers ---

  const numberParts = (value, options) => new Intl.NumberFormat(locale, options).formatToParts(value);
  const findPart = (parts, type) => parts.find((part) => part.type === type)?.value;
  const large = numberParts(1234567890.5);
  const groups = large.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
  const numberPattern = (options, value) => {
    const names = { minusSign: '{s}', percentSign: '%', currency: '{c}', literal: undefined };
    const parts = numberParts(value, { maximumFractionDigits: 0, ...options });
    return parts.map(({ type, value }) => (type === 'integer' ? '{n}' : names[type] ?? value)).join('');
  };
  const currencies = {};
  for (const currency of Intl.supportedValuesOf('currency')) {
    const symbol = findPart(numberParts(1, { style: 'currency', currency }), 'currency');
    if (symbol !== currency) currencies[currency] = symbol;
  }
  // The patterns with a symbol and with a code, each without and with a sign.
  const withSymbol = Object.keys(currencies).find((each) => /^[^\p{L}]+$/u.test(currencies[each]));
  const currency = [withSymbol, 'XTS'].map((each) => [1, -1].map((value) => numberPattern({ style: 'currency', currency: each }, value)));
  data.numbers = {
    decimal: findPart(large, 'decimal'), group: findPart(large, 'group'), minus: findPart(numberParts(-1), 'minusSign'), nan: findPart(numberParts(NaN), 'nan'),
    sizes: [groups.at(-1), groups.at(-2)], least: numberParts(1234).some(({ type }) => type === 'group') ? 1 : 2,
    percent: numberPattern({ style: 'percent' }, -1), currency, currencies,
  };
  return data;
};

const lines = [];
const languages = new Set();
for (const locale of LOCALES) {
  const data = describe(locale);
  // A language without a country has the formats of one of its countries.
  const language = locale.slice(0, 2);
  const isDefault = language !== 'en' && !languages.has(language) && JSON.stringify(describe(language)) === JSON.stringify(data);
  if (isDefault) languages.add(language);
  lines.push(JSON.stringify({ names: [locale, ...(isDefault ? [language] : [])], ...data }) + '\n');
}
writeFileSync(new URL('../../src/locales.jsonl', import.meta.url), lines.join(''));
