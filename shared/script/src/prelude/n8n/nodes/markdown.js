// n8n's Markdown node.
(function (n8n) {
  'use strict';

  const names = (text) => String(text).split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
  const pair = (group) => (group?.value === undefined ? undefined : [group.value.pattern ?? '', group.value.replacement ?? '']);
  // The patterns of the node are plain texts.
  const toMarkdownOptions = ({ ignore, blockElements, globalEscape, lineStartEscape, textReplace, ...options }) => ({
    ...options,
    ...(ignore && { ignore: names(ignore) }),
    ...(blockElements && { blockElements: names(blockElements) }),
    globalEscape: pair(globalEscape),
    lineStartEscape: pair(lineStartEscape),
    textReplace: (textReplace?.values ?? []).map(({ pattern = '', replacement = '' }) => [pattern, replacement]),
  });

  n8n.markdown = (parameters) =>
    n8n.eachItem(parameters, (read, item) => {
      const options = read('options', {});
      let value;
      if (read('mode', 'htmlToMarkdown') === 'markdownToHtml') {
        value = read('markdown', '');
        if (value && typeof value !== 'string') throw new Error('The Markdown is no text.');
        value = n8n.markdownToHtml(value, options);
      } else {
        const html = read('html', '');
        if (html === null || html === undefined) throw new Error('Cannot convert undefined or null to object');
        if (typeof html !== 'string') throw new Error('The HTML is no text.');
        value = n8n.htmlToMarkdown(html, toMarkdownOptions(options));
      }
      return { json: n8n.setPath(n8n.copy(item.json), read('destinationKey', 'data'), value) };
    });
})
