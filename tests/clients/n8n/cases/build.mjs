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
