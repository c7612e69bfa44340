// `Intl.ListFormat`.
(function (host) {
  'use strict';

  const { Array, String } = globalThis;
  const { findLocale, refuse, choose, toOptions, expose } = host.intl;

  class ListFormat {
    #word;
    #isNarrow;
    #comma;
    constructor(locales, options) {
      const locale = findLocale(locales);
      const { isAmerican } = locale;
      if (locale.data) refuse(locale, 'Intl.ListFormat');
      const given = toOptions(options);
      const type = choose(given, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
      const style = choose(given, 'style', ['long', 'short', 'narrow'], 'long');
      this.#isNarrow = style === 'narrow';
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
  expose(ListFormat);
})
