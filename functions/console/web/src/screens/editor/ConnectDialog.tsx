import { useMemo, useState } from "react";
import { useTexts } from "../../i18n";
import { Dialog } from "../../ui/Dialog";
import { EmptyState } from "../../ui/EmptyState";
import { Select } from "../../ui/Select";
import { connectionKey } from "./model/merge";
import { inputNames, outputNames } from "./model/ports";
import type { Connection, Graph, GraphNode, NodeType } from "./model/types";
import { Picker } from "./Picker";
import { useNames } from "./texts";

interface ConnectDialogProps {
  graph: Graph;
  node: GraphNode;
  types: ReadonlyMap<string, NodeType>;
  onConnect: (connection: Connection) => void;
  onClose: () => void;
}

/** Connects a node without a pointer. */
export function ConnectDialog({ graph, node, types, onConnect, onClose }: ConnectDialogProps) {
  const { t } = useTexts();
  const names = useNames();
  const ports = outputNames(node, types.get(node.type));
  const isUsed = (name: string) => graph.connections.some(({ from }) => from.node === node.id && from.port === name);
  const [chosen, setChosen] = useState(() => ports.find((name) => !isUsed(name)) ?? ports[0] ?? "");
  const { groups, ends } = useMemo(() => {
    const ends = new Map<string, Connection>();
    const taken = new Set(graph.connections.map(connectionKey));
    const choices = graph.nodes.flatMap((target) => {
      const type = types.get(target.type);
      const inputs = target.id === node.id ? [] : inputNames(target, type);
      return inputs.flatMap((port) => {
        const connection = { from: { node: node.id, port: chosen }, to: { node: target.id, port } };
        const key = connectionKey(connection);
        if (taken.has(key)) return [];
        ends.set(key, connection);
        const text = inputs.length > 1 ? `${target.id} · ${port}` : target.id;
        return [{ key, name: names.node(target), text, category: type?.category }];
      });
    });
    return { groups: [{ title: t.editor.nodes, choices }], ends };
  }, [graph, node, types, chosen, t]);
  return (
    <Dialog title={t.editor.connectFrom(names.node(node))} onClose={onClose} wide>
      {ports.length > 1 && (
        <Select label={t.editor.outputPort} value={chosen} options={ports.map((name) => [name, name] as const)} onChange={setChosen} />
      )}
      {chosen === "" || ends.size === 0 ? (
        <EmptyState title={t.editor.nothingToConnect} />
      ) : (
        <Picker
          label={t.editor.connectTo}
          groups={groups}
          onPick={(key) => {
            const connection = ends.get(key);
            if (connection !== undefined) onConnect(connection);
          }}
        />
      )}
    </Dialog>
  );
}
