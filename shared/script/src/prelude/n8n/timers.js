// The timers of scripts. They do not wait: when nothing else can happen, the host ends the timer that is due next.
(function (n8n) {
  'use strict';

  const { defineProperty } = Reflect;
  let timers = [];
  let last = 0;
  let now = 0;

  const setTimeout = (run, wait, ...given) => {
    if (typeof run !== 'function') throw new TypeError('The first argument of setTimeout must be a function');
    timers.push({ id: ++last, at: now + Math.max(Number(wait) || 0, 0), run: () => run(...given) });
    return last;
  };
  const clearTimeout = (id) => {
    timers = timers.filter((timer) => timer.id !== id);
  };

  /** Ends the next timer. False if there is none. */
  n8n.endTimer = () => {
    if (timers.length === 0) return false;
    const next = timers.reduce((first, timer) => (timer.at < first.at ? timer : first));
    clearTimeout(next.id);
    now = next.at;
    next.run();
    return true;
  };

  n8n.showTimers = (root) => {
    for (const [name, value] of Object.entries({ setTimeout, clearTimeout })) {
      defineProperty(root, name, { value, writable: true, enumerable: false, configurable: true });
    }
  };
})
