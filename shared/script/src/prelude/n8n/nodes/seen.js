// Items that are new since earlier runs. A table of the workflow has a row for each item that was seen.
(function (n8n) {
  'use strict';

  const { isGiven, items, forEach, list } = n8n.helpers;

  /** The row that the first run adds. */
  const FIRST_RUN = 'first run';
  /** A step adds at most 1,000 rows. */
  const MAX_POLLED = 999;
  const MAX_ID_CHARS = 150;

  /** The id of the row of a key, which is a value or a list of values; undefined if the first one is missing. */
  const toId = (key) => {
    const parts = list(key);
    if (!isGiven(parts[0])) return undefined;
    const text = parts.map((part) => (n8n.isObject(part) ? n8n.identify(part) : String(part))).join(' ');
    return text.length <= MAX_ID_CHARS && !/\p{Cc}/u.test(text) ? text : n8n.texts.hash(text, 'sha256');
  };
  const idsOf = (keyOf) => forEach(() => toId(keyOf()));

  /** The rows of the items. In a poll, the last one marks that there was a run, after all others were added. */
  n8n.seenRows = (keyOf, isPoll) => {
    const ids = idsOf(keyOf).filter(isGiven);
    return (isPoll ? [...ids.slice(-MAX_POLLED), FIRST_RUN] : ids).map((id) => ({ id }));
  };

  /** The items whose rows were added. In the first poll, nothing is new. */
  n8n.newItems = (added, keyOf, isPoll) => {
    const ids = new Set(added.map(({ id }) => id));
    if (isPoll && ids.has(FIRST_RUN)) return [];
    const keys = idsOf(keyOf);
    const numbered = items().map((item, index) => ({ ...item, pairedItem: index }));
    return numbered.filter((_, index) => ids.delete(keys[index]));
  };
})
