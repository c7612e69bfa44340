import type { WorkflowGraph } from "../../api/types";

export interface PictureNode {
  id: string;
  name: string;
  x: number;
  y: number;
}

export const WIDTH = 236;
export const HEIGHT = 64;
const COLUMN = 290;
const ROW = 110;

/** The nodes where the editor shows them. Nodes without a position are placed in columns, in the order of their connections. */
export function placeNodes({ nodes = [], connections = [] }: WorkflowGraph): PictureNode[] {
  const isPlaced = nodes.every((node) => node.position);
  const columns = isPlaced ? new Map<string, number>() : findColumns(nodes.map(({ id }) => id), connections);
  const rows = new Map<number, number>();
  return nodes.map(({ id, name, position }) => {
    if (isPlaced && position) return { id, name: name || id, x: position.x, y: position.y };
    const column = columns.get(id) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { id, name: name || id, x: column * COLUMN, y: row * ROW };
  });
}

/** The column of a node is after those of all nodes before it. Loops are cut at the number of the nodes. */
function findColumns(ids: string[], connections: NonNullable<WorkflowGraph["connections"]>): Map<string, number> {
  const columns = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < ids.length; round++) {
    let changed = false;
    for (const { from, to } of connections) {
      const next = (columns.get(from.node) ?? 0) + 1;
      if (next > (columns.get(to.node) ?? 0) && next < ids.length) {
        columns.set(to.node, next);
        changed = true;
      }
    }
    if (!changed) break;
  }
  return columns;
}
