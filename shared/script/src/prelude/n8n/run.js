// Runs a script that works on items: once, or once for each value that becomes items.
(function (n8n) {
  'use strict';

  // Where the node goes on after an error of an item, the item has the error: its message, or the fields that it names.
  const attempt = (view, script) => async () => {
    try {
      return await script();
    } catch (error) {
      if (!view.keepsErrors) throw error;
      return { json: {}, error: error?.fields ?? n8n.describeError(error) };
    }
  };

  n8n.run = async (view, script) => {
    n8n.install(view);
    n8n.showTimers(globalThis);
    if (!view.outputs) return script();
    const results = [];
    for (const { index, output } of view.outputs) {
      globalThis.output = output;
      results.push(await n8n.withItem(index, attempt(view, script)));
    }
    return results;
  };
})
