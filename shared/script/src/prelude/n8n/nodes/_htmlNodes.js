// Reading the tree of an HTML document, without recursion, because it may be deep.
(function (n8n) {
  'use strict';

  const { VOID, words } = n8n.htmlNames;

  /** Calls `enter` and `leave` for the node and all nodes in it. `enter` may return false to skip the contents. */
  n8n.walkHtml = (root, enter, leave = () => {}) => {
    const stack = [root];
    const places = [0];
    if (enter(root) === false) return;
    while (stack.length > 0) {
      const node = stack.at(-1);
      const index = places[places.length - 1]++;
      if (node.children === undefined || index >= node.children.length) {
        leave(node);
        stack.pop();
        places.pop();
      } else {
        const child = node.children[index];
        if (child.children === undefined || child.children.length === 0) {
          if (enter(child) !== false) leave(child);
        } else if (enter(child) !== false) {
          stack.push(child);
          places.push(0);
        }
      }
    }
  };

  const escape = (text) => text.replace(/&/g, '&amp;').replace(/\xa0/g, '&nbsp;');
  const RAW_PARENTS = words('style script xmp iframe noembed noframes plaintext noscript');
  /** The HTML in an element. */
  n8n.innerHtml = (element) => {
    let html = '';
    n8n.walkHtml(element, (node) => {
      if (node === element) return true;
      if (node.type === 'text') {
        html += RAW_PARENTS.has(node.parent.name) ? node.data : escape(node.data).replace(/</g, '&lt;').replace(/>/g, '&gt;');
      } else if (node.type === 'comment') {
        html += `<!--${node.data}-->`;
      } else if (node.type === 'doctype') {
        html += '<!DOCTYPE html>';
      } else {
        html += '<' + node.name;
        for (const key of Object.keys(node.attributes)) html += ` ${key}="${escape(node.attributes[key]).replace(/"/g, '&quot;')}"`;
        html += '>';
        return !VOID.has(node.name);
      }
      return true;
    }, (node) => {
      if (node !== element && node.type === 'element') html += `</${node.name}>`;
    });
    return html;
  };
})
