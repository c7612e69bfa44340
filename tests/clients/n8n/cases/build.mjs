// Short ways to write the JSON of n8n's workflows.

import { createHash } from 'node:crypto';

/** A node of n8n's own package. `more` has the fields beside the parameters, such as `onError` or `disabled`. */
export function node(name, type, typeVersion, parameters = {}, more = {}) {
  return { name, type: type.includes('.') ? type : `n8n-nodes-base.${type}`, typeVersion, parameters, ...more };
}

/**
 * A workflow of nodes and edges. An edge is `['A', 'B']`, or has the output and the input: `['A', 1, 'B', 0]`, `['A', 1, 'B']`.
 * The nodes are laid out in a row unless they have a position: n8n starts the branches of a node from the top to the bottom.
 */
export function workflow(nodes, edges, more = {}) {
  const connections = {};
  for (const edge of edges) {
    const [from, output, to, index] = typeof edge[1] === 'number' ? edge : [edge[0], 0, edge[1], edge[2]];
    const outputs = ((connections[from] ??= { main: [] }).main);
    while (outputs.length <= output) outputs.push([]);
    outputs[output].push({ node: to, type: 'main', index: index ?? 0 });
  }
  return {
    id: 'oracle',
    name: 'Oracle',
    nodes: nodes.map((each, index) => ({
      id: identifier(each.name),
      position: [index * 200, 0],
      ...each,
    })),
    connections,
    settings: { executionOrder: 'v1' },
    ...more,
  };
}

/** An identifier in the form of n8n's, which depends only on the name. */
function identifier(name) {
  const hex = createHash('sha256').update(name).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
}

// ---- Nodes that most cases need ----

/** The trigger of a case. The items of the case are its output. */
export const start = (name = 'Start') => node(name, 'manualTrigger', 1);

export const noOp = (name, more) => node(name, 'noOp', 1, {}, more);

/** A Code node that runs once for all items. */
export const code = (name, jsCode, more) => node(name, 'code', 2, { jsCode }, more);

/** A Code node that runs once for each item. */
export const codeEach = (name, jsCode, more) => node(name, 'code', 2, { mode: 'runOnceForEachItem', jsCode }, more);

/**
 * A Set node, "Edit Fields", that keeps only its own fields. The type of a field follows its name: `{ 'total:number': '={{ $json.a }}' }`.
 * A field without a type is a text.
 */
export function set(name, fields, more, options = {}) {
  const assignments = Object.entries(fields).map(([field, value], index) => {
    const [, label, type] = /^(.*?)(?::(number|boolean|array|object|string))?$/.exec(field);
    return { id: `${index}`, name: label, type: type ?? 'string', value };
  });
  return node(name, 'set', 3.4, { assignments: { assignments }, options: {}, ...options }, more);
}

/** A Set node that keeps the fields of the item. */
export const add = (name, fields, more) => set(name, fields, more, { includeOtherFields: true });

/** A Set node whose item is the object of one JavaScript expression, so that values keep their types. */
export const show = (name, expression, more) =>
  node(name, 'set', 3.4, { mode: 'raw', jsonOutput: `={{ ${expression} }}`, options: {} }, more);

/** Conditions of an If, Filter or Switch node, all of which must hold: `[left, type, operation, right]`. */
export function conditions(rows, more = {}) {
  return {
    options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2, ...more },
    combinator: 'and',
    conditions: rows.map(([leftValue, type, operation, rightValue], index) => ({
      id: `${index}`,
      leftValue,
      rightValue: rightValue ?? '',
      operator: { type, operation, ...(rightValue === undefined && { singleValue: true }) },
    })),
  };
}

/** An If node: its output 0 is true, and 1 is false. */
export const when = (name, rows, more) => node(name, 'if', 2.2, { conditions: conditions(rows), options: {} }, more);

/** An HTTP Request node. */
export const http = (name, parameters, more = {}, version = 4.2) =>
  node(name, 'httpRequest', version, { options: {}, ...parameters }, more);

/** Parameters that are lists of names and values: of the query, the headers, or the body. */
export const pairs = (values) => ({ parameters: Object.entries(values).map(([name, value]) => ({ name, value })) });
