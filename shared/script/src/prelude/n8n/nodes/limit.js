// n8n's nodes "Limit" and "No Operation".
(function (n8n) {
  'use strict';

  n8n.limit = (parameters) => {
    const items = n8n.received();
    const { maxItems = 1, keep = 'firstItems' } = n8n.read(parameters, 0);
    if (maxItems >= items.length) return items;
    return keep === 'firstItems' ? items.slice(0, maxItems) : items.slice(items.length - maxItems);
  };

  n8n.noOp = () => n8n.received();
})
