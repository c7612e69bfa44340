// `Intl.NumberFormat`, and the methods of numbers that use it.
(function (host) {
  'use strict';

  const { BigInt, Math, Number, Object, RangeError, String, TypeError } = globalThis;
  const { replace } = host;
  const { findLocale, refuse, choose, refuseOthers, toOptions, expose } = host.intl;

  const SYMBOLS = {
    USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', CNY: 'CN¥', KRW: '₩', NZD: 'NZ$',
    ILS: '₪', VND: '₫', PHP: '₱', TWD: 'NT$', HKD: 'HK$', XAF: 'FCFA', XOF: 'F\u202fCFA', XPF: 'CFPF', XCD: 'EC$',
  };
  const OWN_SYMBOLS = { 'en-GB': { USD: 'US$', JPY: 'JP¥' }, 'en-CA': { CAD: '$', USD: 'US$', JPY: 'JP¥', XPF: 'XPF', PHP: 'PHP' } };
  const NARROW = {
    ...SYMBOLS, CAD: '$', AUD: '$', MXN: '$', NZD: '$', HKD: '$', TWD: '$', XCD: '$', CNY: '¥', ARS: '$', CLP: '$', COP: '$', SGD: '$',
    PLN: 'zł', CZK: 'Kč', HUF: 'Ft', RUB: '₽', TRY: '₺', UAH: '₴', SEK: 'kr', NOK: 'kr', DKK: 'kr', ISK: 'kr', NGN: '₦', EGP: 'E£',
    ZAR: 'R', IDR: 'Rp', MYR: 'RM', PKR: 'Rs', LKR: 'Rs', BDT: '৳', KZT: '₸', GEL: '₾', RON: 'lei',
  };
  const NO_CENTS = [
    'AFN', 'ALL', 'BIF', 'CLP', 'COP', 'DJF', 'GNF', 'HUF', 'IDR', 'IQD', 'IRR', 'ISK', 'JPY', 'KMF', 'KPW', 'KRW', 'LAK', 'LBP', 'MGA',
    'MMK', 'PKR', 'PYG', 'RWF', 'SLL', 'SOS', 'SYP', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF', 'YER',
  ];
  const MILLS = ['BHD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'];
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
    if (locale.data) {
      if (notation !== 'standard') refuse(locale, 'The notation ' + notation);
      if (style === 'unit' || format.currencySign !== 'standard') refuse(locale, 'The style of this number');
    }
    let digits = style === 'percent' ? [0, 0] : [0, 3];
    if (style === 'currency') {
      if (options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
      const currency = String(options.currency).toUpperCase();
      if (!/^[A-Z]{3}$/.test(currency)) throw new RangeError('Invalid currency code : ' + String(options.currency));
      format.currency = currency;
      format.currencyDisplay = choose(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
      if (format.currencyDisplay === 'name') throw new RangeError('The names of currencies are not available. Use currencyDisplay: "code".');
      if (locale.data && format.currencyDisplay === 'narrowSymbol') refuse(locale, 'The option currencyDisplay: narrowSymbol');
      const own = locale.data ? locale.data.numbers.currencies[currency] : OWN_SYMBOLS[locale.locale]?.[currency] ?? SYMBOLS[currency];
      const symbols = { code: currency, symbol: own, narrowSymbol: NARROW[currency] };
      format.symbol = symbols[format.currencyDisplay] ?? currency;
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
  const ENGLISH = { decimal: '.', group: ',', minus: '-', nan: 'NaN', sizes: [3, 3], least: 1 };
  const group = (whole, grouping, { group: separator, sizes: [last, others], least }) => {
    const needed = grouping === 'min2' ? 2 : grouping === 'auto' ? least : 1;
    if (grouping === false || grouping === 'false' || whole.length < last + needed) return whole;
    let end = whole.length - last;
    let text = whole.slice(end);
    for (; end > 0; end -= others) text = whole.slice(Math.max(0, end - others), end) + separator + text;
    return text;
  };
  // A number without its sign, in the pattern of a locale.
  const fillPattern = ({ locale: { data }, style, symbol }, text, sign) => {
    const { percent, currency } = data.numbers;
    const isCode = style === 'currency' && /[^\p{S}]$/u.test(symbol) && /^\d/.test(text);
    const patterns = style === 'currency' ? currency[isCode ? 1 : 0] : [];
    const pattern = style === 'percent' ? percent : patterns[sign === '' ? 0 : 1] ?? '{s}{n}';
    const values = { s: sign, n: text, c: symbol };
    return pattern.replace(/\{([snc])\}/g, (_, name) => values[name]);
  };
  const THOUSANDS = ['', 'K', 'M', 'B', 'T'];
  const BRITISH_THOUSANDS = ['', 'k', 'm', 'bn', 'tn'];

  const formatNumber = (format, given) => {
    const isBig = typeof given === 'bigint';
    const { style, significant, fraction, locale: { data } } = format;
    const symbols = data ? data.numbers : ENGLISH;
    let text;
    let isNegative;
    let isZero = false;
    let suffix = '';
    if (isBig && significant === undefined && format.notation === 'standard') {
      isNegative = given < 0n;
      const size = (isNegative ? -given : given) * (style === 'percent' ? 100n : 1n);
      isZero = size === 0n;
      text = group(size.toString().padStart(format.minimumIntegerDigits, '0'), format.grouping, symbols) + (fraction[0] > 0 ? symbols.decimal + '0'.repeat(fraction[0]) : '');
    } else {
      const value = Number(given);
      isNegative = value < 0 || Object.is(value, -0);
      const size = Math.abs(value);
      if (value !== value) {
        text = symbols.nan;
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
        text = group(whole.padStart(format.minimumIntegerDigits, '0'), format.grouping, symbols) + (rest === '' ? '' : symbols.decimal + rest) + suffix;
      }
    }
    if (!data && style === 'percent') text += '%';
    if (style === 'unit') text += ' ' + format.unit + (text === '1' ? '' : 's');
    if (!data && style === 'currency') {
      const { symbol } = format;
      text = symbol + (/\p{L}$/u.test(symbol) && /^\d/.test(text) ? '\u00a0' : '') + text;
    }
    const { signDisplay } = format;
    const isNaN = text.includes(symbols.nan);
    const showsMinus = isNegative && !isNaN && signDisplay !== 'never' && !(isZero && (signDisplay === 'exceptZero' || signDisplay === 'negative'));
    const showsPlus = !showsMinus && (signDisplay === 'always' ? !isNegative || isNaN : signDisplay === 'exceptZero' && !isZero && !isNaN);
    const sign = showsMinus ? symbols.minus : showsPlus ? '+' : '';
    if (data) return fillPattern(format, text, sign);
    return showsMinus && style === 'currency' && format.currencySign === 'accounting' ? '(' + text + ')' : sign + text;
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
      const { locale, grouping, fraction, significant, symbol: _, ...others } = this.#format;
      return {
        locale: locale.locale, numberingSystem: 'latn', ...others, useGrouping: grouping,
        ...(fraction && { minimumFractionDigits: fraction[0], maximumFractionDigits: fraction[1] }),
        ...(significant && { minimumSignificantDigits: significant[0], maximumSignificantDigits: significant[1] }),
      };
    }
  }
  expose(NumberFormat);

  replace(Number.prototype, 'toLocaleString', () => ({
    toLocaleString(locales, options) { return formatNumber(readNumberFormat(locales, options), Number.prototype.valueOf.call(this)); },
  }).toLocaleString);
  replace(BigInt.prototype, 'toLocaleString', () => ({
    toLocaleString(locales, options) { return formatNumber(readNumberFormat(locales, options), BigInt.prototype.valueOf.call(this)); },
  }).toLocaleString);
})
