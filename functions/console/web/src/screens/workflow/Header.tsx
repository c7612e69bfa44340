import { useState } from "react";
import type { WorkflowDetail, WorkflowProblem } from "../../api/types";
import { useTexts } from "../../i18n";
import { useApply } from "../../lists/useApply";
import { Link } from "../../router/Link";
import { includes } from "../../sharing/roles";
import { Badge, StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Owner } from "../../ui/Owner";
import { PageTitle } from "../../ui/PageTitle";
import { RelativeTime } from "../../ui/RelativeTime";
import { allowed, useChange } from "../workflows/queries";
import { WorkflowMenu } from "../workflows/WorkflowMenu";
import { DeleteDialog } from "./DeleteDialog";
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
          {access.role !== "owner" && <li>{t.workflow.yourRole} <strong>{t.sharing.roles[access.role]}</strong></li>}
          <li>
            {activeRelease === null ? (
              <span className="muted">{t.workflow.neverPublished}</span>
            ) : (
              <Link to="workflowReleases" params={params}>{t.runs.release(activeRelease.number)}</Link>
            )}
          </li>
          {workflow.tool && <li><Link to="workflowAssistants" params={params}>{t.assistants.tool}</Link></li>}
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
  const change = useChange();
  const apply = useApply(workflow, { change, done: t.workflows.done });
  const [open, setOpen] = useState<"run" | "delete" | null>(null);
  const { id, state, access, activeRelease } = workflow;
  const canEdit = includes(access.role, "editor");
  const canRun =
    includes(access.role, "operator") && activeRelease !== null && state !== "paused" && state !== "archived";
  return (
    <>
      {canEdit && state !== "archived" && (
        <Link to="editor" params={{ workflowId: id }} className="button">{t.workflow.edit}</Link>
      )}
      {canEdit &&
        (["resume", "restore"] as const)
          .filter((kind) => allowed[state].includes(kind))
          .map((kind) => <Button key={kind} busy={change.isPending} onClick={() => apply(kind)}>{t.workflows.changes[kind]}</Button>)}
      {canRun && <Button kind="primary" onClick={() => setOpen("run")}>{t.workflow.run}</Button>}
      <WorkflowMenu workflow={workflow} framed onDelete={() => setOpen("delete")} />
      {open === "run" && <RunDialog workflow={workflow} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteDialog workflow={workflow} onClose={() => setOpen(null)} />}
    </>
  );
}
