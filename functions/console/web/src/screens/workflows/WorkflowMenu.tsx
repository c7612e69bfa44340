import { useState } from "react";
import { asApiError } from "../../api/errors";
import type { Workflow } from "../../api/types";
import { useTexts } from "../../i18n";
import { Confirm } from "../../ui/Dialog";
import { Menu } from "../../ui/Menu";
import { useToast } from "../../ui/Toast";
import { allowed, type Change, changes, download, useChange, useClone } from "./queries";
import { StartDialog } from "./StartDialog";

export function WorkflowMenu({ workflow }: { workflow: Workflow }) {
  const { t } = useTexts();
  const toast = useToast();
  const change = useChange();
  const clone = useClone();
  const [starts, setStarts] = useState(false);
  const [confirms, setConfirms] = useState(false);
  const { id, name, state, access } = workflow;
  const canEdit = access.role === "owner" || access.role === "editor";
  const report = (error: unknown) => toast(asApiError(error).message);

  const apply = (kind: Change) =>
    change.mutate(
      { id, change: kind },
      {
        onSuccess: () => {
          setConfirms(false);
          toast(t.workflows.done[kind](name));
        },
        onError: (error) => kind !== "archive" && report(error),
      },
    );

  return (
    <>
      <Menu label={t.workflows.menu(name)} button={<Dots />}>
        {(close) => {
          const act = (action: () => void) => () => {
            close();
            action();
          };
          return (
            <>
              {state === "published" && access.role !== "viewer" && (
                <button type="button" onClick={act(() => setStarts(true))}>{t.start.action}…</button>
              )}
              {canEdit &&
                changes
                  .filter((kind) => kind !== "archive" && allowed[state].includes(kind))
                  .map((kind) => (
                    <button key={kind} type="button" onClick={act(() => apply(kind))}>{t.workflows.changes[kind]}</button>
                  ))}
              <button
                type="button"
                onClick={act(() => clone.mutate(id, { onSuccess: ({ data }) => toast(t.workflows.created(data.name)), onError: report }))}
              >
                {t.workflows.clone}
              </button>
              <button type="button" onClick={act(() => void download(id, name).catch(report))}>{t.workflows.export}</button>
              {canEdit && allowed[state].includes("archive") && (
                <button type="button" className="danger" onClick={act(() => setConfirms(true))}>
                  {t.workflows.changes.archive}…
                </button>
              )}
            </>
          );
        }}
      </Menu>
      {starts && <StartDialog workflow={workflow} onClose={() => setStarts(false)} />}
      {confirms && (
        <Confirm
          title={t.workflows.archiveTitle(name)}
          action={t.workflows.changes.archive}
          danger
          busy={change.isPending}
          error={change.error}
          onConfirm={() => apply("archive")}
          onClose={() => {
            change.reset();
            setConfirms(false);
          }}
        >
          <p>{t.workflows.archiveText}</p>
        </Confirm>
      )}
    </>
  );
}

function Dots() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="3" r="0.8" />
      <circle cx="8" cy="8" r="0.8" />
      <circle cx="8" cy="13" r="0.8" />
    </svg>
  );
}
