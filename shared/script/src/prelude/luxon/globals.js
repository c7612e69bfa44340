// `DateTime`, `Duration` and `Interval` of luxon. It is loaded when a script first uses one of them.
(function (host) {
  'use strict';

  const { defineProperty } = Reflect;
  const { hide, loadLuxon } = host;
  const NAMES = ['DateTime', 'Duration', 'Interval'];
  for (const name of NAMES) {
    defineProperty(globalThis, name, {
      get() {
        const luxon = loadLuxon();
        for (const each of NAMES) hide(globalThis, each, luxon[each]);
        return luxon[name];
      },
      set(value) {
        hide(globalThis, name, value);
      },
      enumerable: false,
      configurable: true,
    });
  }
})
