// Runs a script that works on items: once, or once for each value that becomes items.
(function (n8n) {
  'use strict';

  n8n.run = async (view, script) => {
    n8n.install(view);
    n8n.showTimers(globalThis);
    if (!view.outputs) return script();
    const results = [];
    for (const { index, output } of view.outputs) {
      globalThis.output = output;
      results.push(await n8n.withItem(index, script));
    }
    return results;
  };
})
