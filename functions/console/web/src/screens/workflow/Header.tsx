import { useState } from "react";
import { asApiError } from "../../api/errors";
import type { WorkflowDetail, WorkflowProblem } from "../../api/types";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Link } from "../../router/Link";
import { Badge, StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Dialog";
import { Menu } from "../../ui/Menu";
import { Owner } from "../../ui/Owner";
import { PageTitle } from "../../ui/PageTitle";
import { RelativeTime } from "../../ui/RelativeTime";
import { useToast } from "../../ui/Toast";
import { allowed, type Change, changes, download, useChange, useClone } from "../workflows/queries";
import { DeleteDialog } from "./DeleteDialog";
import { includes } from "./roles";
import { RunDialog } from "./RunDialog";

export function Header({ workflow, tab }: { workflow: WorkflowDetail; tab: string }) {
  const { t } = useTexts();
  const { id, name, description, state, access, activeRelease, hasUnpublishedChanges, problems } = workflow;
  const params = { workflowId: id };
  return (
    <>
      <PageTitle
        title={name}
        documentTitle={`${tab} · ${name}`}
        above={<Link to="workflows" className="crumb">← {t.workflow.all}</Link>}
      >
        <Actions workflow={workflow} />
      </PageTitle>
      <div className="workflow-facts">
        {description && <p className="muted">{description}</p>}
        <ul>
          <li><StateBadge state={state} /></li>
          <li>{t.workflow.ownedBy} <strong><Owner id={access.owner} /></strong></li>
          {access.role !== "owner" && <li>{t.workflow.yourRole} <strong>{t.workflow.roles[access.role]}</strong></li>}
          <li>
            {activeRelease === null ? (
              <span className="muted">{t.workflow.neverPublished}</span>
            ) : (
              <Link to="workflowReleases" params={params}>{t.runs.release(activeRelease.number)}</Link>
            )}
          </li>
          {activeRelease !== null && hasUnpublishedChanges && (
            <li>
              <Link to="workflowReleases" params={params} query={{ from: activeRelease.id, to: "draft" }}>
                {t.workflow.unpublished}
              </Link>
            </li>
          )}
          <li className="muted">{t.workflow.changed} <RelativeTime time={workflow.updatedAt} /></li>
        </ul>
      </div>
      {problems.length > 0 && <Problems problems={problems} published={activeRelease !== null} />}
    </>
  );
}

/** What prevents the next publication or a run. */
function Problems({ problems, published }: { problems: WorkflowProblem[]; published: boolean }) {
  const { t } = useTexts();
  return (
    <section className="panel problems" aria-label={t.workflow.problems}>
      <p className="lead-line">{published ? t.workflow.problems : t.workflow.problemsOfDraft}</p>
      <ul>
        {problems.map((problem, index) => (
          <li key={index}>
            {"severity" in problem && problem.severity === "warning" ? (
              <Badge tone="neutral">{t.workflow.warning}</Badge>
            ) : (
              <Badge tone="warn">{t.workflow.problem}</Badge>
            )}{" "}
            <span>{problem.message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Actions({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const toast = useToast();
  const change = useChange();
  const clone = useClone();
  const [open, setOpen] = useState<"run" | "archive" | "delete" | null>(null);
  const { id, name, state, access, activeRelease } = workflow;
  const canEdit = includes(access.role, "editor");
  const canRun =
    includes(access.role, "operator") && activeRelease !== null && state !== "paused" && state !== "archived";
  const report = (error: unknown) => toast(asApiError(error).message);

  const apply = (kind: Change) =>
    change.mutate(
      { id, change: kind },
      {
        onSuccess: () => {
          setOpen(null);
          toast(t.workflows.done[kind](name));
        },
        onError: (error) => kind !== "archive" && report(error),
      },
    );
  const copy = () =>
    clone.mutate(id, {
      onSuccess: ({ data }) => {
        toast(t.workflows.created(data.name));
        navigate({ to: "workflow", params: { workflowId: data.id } });
      },
      onError: report,
    });

  return (
    <>
      {canEdit && state !== "archived" && (
        <Link to="editor" params={{ workflowId: id }} className="button">{t.workflow.edit}</Link>
      )}
      {canEdit && allowed[state].includes("resume") && (
        <Button busy={change.isPending} onClick={() => apply("resume")}>{t.workflows.changes.resume}</Button>
      )}
      {canEdit && allowed[state].includes("restore") && (
        <Button busy={change.isPending} onClick={() => apply("restore")}>{t.workflows.changes.restore}</Button>
      )}
      {canRun && <Button kind="primary" onClick={() => setOpen("run")}>{t.workflow.run}</Button>}
      <Menu label={t.workflows.menu(name)} button={<Dots />} className="framed">
        {(close) => {
          const act = (action: () => void) => () => {
            close();
            action();
          };
          return (
            <>
              {canEdit &&
                changes
                  .filter((kind) => kind === "pause" && allowed[state].includes(kind))
                  .map((kind) => (
                    <button key={kind} type="button" onClick={act(() => apply(kind))}>{t.workflows.changes[kind]}</button>
                  ))}
              <button type="button" onClick={act(copy)}>{t.workflows.clone}</button>
              <button type="button" onClick={act(() => void download(id, name).catch(report))}>{t.workflows.export}</button>
              {canEdit && allowed[state].includes("archive") && (
                <button type="button" className="danger" onClick={act(() => setOpen("archive"))}>
                  {t.workflows.changes.archive}…
                </button>
              )}
              {access.role === "owner" && (
                <button type="button" className="danger" onClick={act(() => setOpen("delete"))}>
                  {t.workflow.delete}…
                </button>
              )}
            </>
          );
        }}
      </Menu>
      {open === "run" && <RunDialog workflow={workflow} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteDialog workflow={workflow} onClose={() => setOpen(null)} />}
      {open === "archive" && (
        <Confirm
          title={t.workflows.archiveTitle(name)}
          action={t.workflows.changes.archive}
          danger
          busy={change.isPending}
          error={change.error}
          onConfirm={() => apply("archive")}
          onClose={() => {
            change.reset();
            setOpen(null);
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
      <circle cx="3" cy="8" r="0.8" />
      <circle cx="8" cy="8" r="0.8" />
      <circle cx="13" cy="8" r="0.8" />
    </svg>
  );
}
