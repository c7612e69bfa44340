import type { WorkflowGraph } from "../api/types";

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
/** How far a line back to the left turns beside its nodes. */
const TURN = 40;

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

/** Where a connection is drawn, from the right of a node to the left of the next one. One back to the left runs below them. */
export function drawLine(from: PictureNode, to: PictureNode): string {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  if (x2 > x1) {
    const bend = Math.max(30, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  const below = Math.max(y1, y2) + HEIGHT * 0.8;
  return `M${x1} ${y1}C${x1 + TURN} ${y1} ${x1 + TURN} ${below} ${x1} ${below}H${x2}C${x2 - TURN} ${below} ${x2 - TURN} ${y2} ${x2} ${y2}`;
}

const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] } as const;

/** The next node in the direction of an arrow key. A node that is straight ahead is before one that is aside. */
export function findNeighbour(nodes: readonly PictureNode[], from: PictureNode, key: string): PictureNode | null {
  if (!(key in directions)) return null;
  const [dx, dy] = directions[key as keyof typeof directions];
  let nearest: PictureNode | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const node of nodes) {
    const [x, y] = [node.x - from.x, node.y - from.y];
    const ahead = x * dx + y * dy;
    if (ahead <= 0) continue;
    const distance = ahead + 3 * Math.abs(x * dy + y * dx);
    if (distance < least) [nearest, least] = [node, distance];
  }
  return nearest;
}
