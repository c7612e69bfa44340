// n8n's XML node.
(function (n8n) {
  'use strict';

  n8n.xml = (parameters) =>
    n8n.eachItem(parameters, (read, item) => {
      const name = read('dataPropertyName', 'data');
      const options = read('options', {});
      if (read('mode', 'xmlToJson') === 'jsonToxml') return { json: { [name]: n8n.writeXml(item.json, options) } };
      const text = item.json[name];
      if (text === undefined) throw new Error(`Item has no JSON property called "${name}"`);
      const value = n8n.readXml(String(text), options);
      return { json: n8n.isPlain(value) ? value : { data: value } };
    });
})
