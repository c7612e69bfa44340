// The parameters of a node of n8n, as the importer writes them: expressions become functions.

const quote = (text) => text.replace(/[`\\]|\$(?=\{)/g, '\\$&');
export const evaluate = (source) => (0, eval)(source);

/** These fields are JSON with expressions inside. */
const JSON_FIELDS = new Set(['jsonOutput', 'objectValue']);

const toFunction = (text, name) => {
  const pieces = text.slice(1).split(/\{\{([^]*?)\}\}/);
  const isAlone = pieces.length === 3 && pieces[0] === '' && pieces[2] === '';
  const isJson = JSON_FIELDS.has(name);
  if (isAlone && !isJson) return evaluate(`() => $value(() => (${pieces[1]}))`);
  const tag = isJson ? 'n8n.jsonText' : '$text';
  return evaluate(`() => ${tag}\`${pieces.map((piece, i) => (i % 2 === 0 ? quote(piece) : `\${() => (${piece})}`)).join('')}\``);
};

export const withFunctions = (value, name) => {
  if (Array.isArray(value)) return value.map((each) => withFunctions(each));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFunctions(each, key)]));
  }
  return typeof value === 'string' && value.startsWith('=') ? toFunction(value, name) : value;
};
