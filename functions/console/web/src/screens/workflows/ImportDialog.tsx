import { useEffect, useRef } from "react";
import type { ImportReport } from "../../api/types";
import { useTexts } from "../../i18n";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { Skeleton } from "../../ui/Loading";
import { Table } from "../../ui/Table";
import { useImport } from "./queries";

interface ImportDialogProps {
  /** The file that was dropped, or that one is to be chosen. */
  file: File | "choose";
  onClose: () => void;
}

/** Imports a file, and shows what became of each node. */
export function ImportDialog({ file, onClose }: ImportDialogProps) {
  const { t } = useTexts();
  const { mutate, isPending, error, data } = useImport();
  const sent = useRef<File | null>(null);
  useEffect(() => {
    if (file === "choose" || sent.current === file) return;
    sent.current = file;
    mutate(file);
  }, [file, mutate]);
  return (
    <Dialog title={data === undefined ? t.workflows.import : t.imports.done(data.data.name)} onClose={onClose} wide={data !== undefined}>
      {isPending && <Skeleton />}
      {error !== null && !isPending && <ErrorState error={error} />}
      {data === undefined && !isPending && (
        <Field label={t.imports.file} hint={t.imports.kinds}>
          {(ids) => (
            <input
              {...ids}
              type="file"
              accept=".json,.yml,.yaml,application/json,application/yaml"
              onChange={(event) => {
                const chosen = event.target.files?.[0];
                if (chosen !== undefined) mutate(chosen);
              }}
            />
          )}
        </Field>
      )}
      {data !== undefined && <Report report={data.report} />}
      {data !== undefined && (
        <footer>
          <Button kind="primary" onClick={onClose}>{t.close}</Button>
        </footer>
      )}
    </Dialog>
  );
}

function Report({ report }: { report: ImportReport }) {
  const { t, format } = useTexts();
  const { nodes, reconnect } = report;
  const mapped = nodes.filter((node) => node.status === "mapped").length;
  return (
    <>
      <p className="muted">{t.imports.summary(format.number(mapped), format.number(nodes.length))}</p>
      <Table
        caption={t.imports.nodes}
        rows={nodes}
        rowKey={(node) => node.id}
        columns={[
          { title: t.imports.node, cell: (node) => <code>{node.id}</code> },
          { title: t.imports.status, cell: (node) => <StateBadge state={node.status} /> },
          { title: t.imports.why, wide: true, cell: (node) => node.why },
        ]}
      />
      {reconnect.length > 0 && (
        <div className="prose">
          <h3>{t.imports.reconnect}</h3>
          <ul>
            {reconnect.map(({ nodeId, what }) => (
              <li key={`${nodeId} ${what}`}><code>{nodeId}</code>: {what}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
