import { useState } from "react";
import type { Release, WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { includes } from "../../sharing/roles";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Dialog";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { Owner } from "../../ui/Owner";
import { retryPages, ShowMore } from "../../ui/Pages";
import { RelativeTime } from "../../ui/RelativeTime";
import { Table } from "../../ui/Table";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { Comparison } from "./Comparison";
import { useActivate, useReleases } from "./queries";
import { Rehearsal } from "./Rehearsal";

/** The releases, their differences, and what the latest runs would do in one of them. */
export function Releases({ workflow, query }: { workflow: WorkflowDetail; query: URLSearchParams }) {
  const { t } = useTexts();
  const pages = useReleases(workflow.id);
  const { data, error, hasNextPage } = pages;
  if (data === undefined) {
    return error === null ? <Skeleton lines={5} /> : <ErrorState error={error} onRetry={retryPages(pages)} />;
  }
  const releases = data.pages.flatMap((page) => page.data);
  if (releases.length === 0) {
    return (
      <EmptyState title={t.workflow.noReleases}>
        <p>{t.workflow.noReleasesText}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ReleasesTable workflow={workflow} releases={releases} />
      {error !== null && <ErrorState error={error} onRetry={retryPages(pages)} />}
      {hasNextPage && (
        <div className="more">
          <ShowMore query={pages} />
        </div>
      )}
      <Rehearsal workflow={workflow} releases={releases} query={query} />
      <Comparison workflow={workflow} releases={releases} query={query} />
    </>
  );
}

/** The draft, if it differs from the active release, is the first row. */
type Row = Release | "draft";

/** Moves to the part of the screen that the person has filled by a button. */
function focusPart(id: string) {
  requestAnimationFrame(() => {
    const part = document.getElementById(id);
    part?.scrollIntoView({ block: "start" });
    part?.focus({ preventScroll: true });
  });
}

function ReleasesTable({ workflow, releases }: { workflow: WorkflowDetail; releases: Release[] }) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const activate = useActivate(workflow.id);
  const [chosen, setChosen] = useState<Release | null>(null);
  const canActivate = includes(workflow.access.role, "editor") && workflow.state !== "archived";
  const active = workflow.activeRelease;
  const rows: Row[] = [...(workflow.hasUnpublishedChanges ? (["draft"] as const) : []), ...releases];
  const nameOf = (row: Row) => (row === "draft" ? t.workflow.draft : t.runs.release(row.number));
  const compare = (row: Row) => {
    if (active === null) return;
    replaceQuery(row === "draft" ? { from: active.id, to: "draft" } : { from: row.id, to: active.id });
    focusPart("compare");
  };
  const rehearse = (row: Row) => {
    replaceQuery({ rehearse: row === "draft" ? "draft" : row.id });
    focusPart("rehearse");
  };
  return (
    <>
      <Table
        caption={t.workflow.tabs.workflowReleases}
        rows={rows}
        rowKey={(row) => (row === "draft" ? row : row.id)}
        columns={[
          {
            title: t.workflows.release,
            cell: (row) => (
              <>
                <span className="name">{nameOf(row)}</span>
                <p className="sub notes">{row === "draft" ? t.workflow.unpublished : row.notes}</p>
              </>
            ),
          },
          {
            title: t.workflows.state,
            cell: (row) =>
              row !== "draft" && row.active ? <Badge tone="good">{t.workflow.active}</Badge> : <span className="muted">–</span>,
          },
          { title: t.workflow.publishedBy, cell: (row) => (row === "draft" ? <span className="muted">–</span> : <Owner id={row.createdBy} />) },
          {
            title: t.workflow.publishedAt,
            cell: (row) => <span className="nowrap"><RelativeTime time={row === "draft" ? workflow.updatedAt : row.createdAt} /></span>,
          },
          {
            title: t.actions,
            cell: (row) => (
              <div className="row-actions">
                {active !== null && (row === "draft" || row.id !== active.id) && (
                  <Button kind="quiet" aria-label={t.workflow.compareNamed(nameOf(row))} onClick={() => compare(row)}>
                    {t.workflow.compare}
                  </Button>
                )}
                <Button kind="quiet" aria-label={t.workflow.rehearseNamed(nameOf(row))} onClick={() => rehearse(row)}>
                  {t.workflow.rehearse}
                </Button>
                {canActivate && row !== "draft" && !row.active && (
                  <Button kind="quiet" aria-label={t.workflow.activateNamed(nameOf(row))} onClick={() => setChosen(row)}>
                    {t.workflow.activate}
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      {chosen !== null && (
        <Confirm
          title={t.workflow.activateTitle(chosen.number)}
          action={t.workflow.activate}
          busy={activate.isPending}
          error={activate.error}
          onClose={() => {
            activate.reset();
            setChosen(null);
          }}
          onConfirm={() =>
            whenDone(activate.mutateAsync(chosen.id), () => {
              toast(t.workflow.activated(chosen.number));
              setChosen(null);
            })
          }
        >
          <p>{t.workflow.activateText}</p>
        </Confirm>
      )}
    </>
  );
}
