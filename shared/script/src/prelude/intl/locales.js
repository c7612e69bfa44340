// The locales of `Intl`. English has all options, and other locales (`locales.jsonl`) those that are used most. What is missing is
// refused, because a text in the wrong format would be a mistake that nobody sees.
(function (host) {
  'use strict';

  const { Array, Object, RangeError, Reflect, String, Symbol, TypeError } = globalThis;
  const { hide, readLocale } = host;
  const { defineProperty } = Reflect;
  const parseJson = globalThis.JSON.parse;

  // `order` and `between` are those of dates in digits.
  const US = { locale: 'en-US', order: 'mdy', between: '/', isPadded: false, isAmerican: true, isBritish: false, am: 'AM', pm: 'PM', shortYear: '2-digit', weekdayBefore: ' ' };
  const LOCALES = {
    en: { ...US, locale: 'en' },
    'en-US': US,
    'en-GB': { ...US, locale: 'en-GB', order: 'dmy', isPadded: true, isAmerican: false, isBritish: true, am: 'am', pm: 'pm', shortYear: 'numeric', weekdayBefore: ', ' },
    'en-CA': { ...US, locale: 'en-CA', order: 'ymd', between: '-', isPadded: true, isAmerican: false, am: 'a.m.', pm: 'p.m.', shortYear: 'numeric' },
  };
  const listTags = (locales) => (locales === undefined ? [] : typeof locales === 'string' ? [locales] : Array.from(locales, String));
  // A locale that is not in this file has `data`.
  const load = (tag) => {
    const name = Object.keys(LOCALES).find((each) => each.toLowerCase() === tag.toLowerCase());
    if (name !== undefined) return LOCALES[name];
    const text = readLocale(tag);
    if (text === undefined) return undefined;
    const data = parseJson(text);
    const locale = data.names.find((each) => each.toLowerCase() === tag.toLowerCase());
    return (LOCALES[locale] = { locale, data });
  };
  const findLocale = (locales) => {
    const wanted = listTags(locales);
    const broken = wanted.some((tag) => !/^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(tag));
    if (broken) throw new RangeError('Incorrect locale information provided');
    const tags = wanted.filter((tag) => tag !== 'default');
    if (tags.length === 0) return US;
    for (const tag of tags) {
      const locale = load(tag);
      if (locale !== undefined) return locale;
    }
    throw new RangeError('The locale ' + tags[0] + ' is not available. Use another one, such as en-US, es-ES or fr-FR.');
  };
  const refuse = ({ locale }, what) => {
    throw new RangeError(what + ' is not available in the locale ' + locale + '. Use en-US, or other options.');
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

  // Adds a type to `Intl`, which also works without `new`.
  const Intl = {};
  defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
  hide(globalThis, 'Intl', Intl);
  const expose = (type) => {
    defineProperty(type.prototype, Symbol.toStringTag, { value: 'Intl.' + type.name, configurable: true });
    const callable = function (locales, options) { return new type(locales, options); };
    Object.defineProperties(callable, {
      name: { value: type.name }, length: { value: 0 }, prototype: { value: type.prototype },
      supportedLocalesOf: { value: (locales) => listTags(locales).filter((tag) => load(tag) !== undefined), configurable: true, writable: true },
    });
    hide(type.prototype, 'constructor', callable);
    hide(Intl, type.name, callable);
  };
  host.intl = { findLocale, refuse, choose, refuseOthers, toOptions, expose };
})
