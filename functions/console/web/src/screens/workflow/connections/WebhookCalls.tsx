import { useState } from "react";
import type { Webhook, WebhookCall, WebhookOutcome } from "../../../api/types";
import { Value } from "../../../graph/Changes";
import { useTexts } from "../../../i18n";
import { replaceQuery } from "../../../router/history";
import { Link } from "../../../router/Link";
import { Badge, type Tone } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import { CopyButton } from "../../../ui/CopyButton";
import { Dialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { Loaded } from "../../../ui/Loaded";
import { Skeleton } from "../../../ui/Loading";
import { retryPages, ShowMore } from "../../../ui/Pages";
import { Select } from "../../../ui/Select";
import { Table } from "../../../ui/Table";
import { useCall, useCalls } from "./queries";

const outcomes = ["accepted", "repeated", "refused"] as const satisfies readonly WebhookOutcome[];
const tones: Record<WebhookOutcome, Tone> = { accepted: "good", repeated: "neutral", refused: "bad" };

interface WebhookCallsProps {
  workflowId: string;
  webhook: Webhook;
  query: URLSearchParams;
}

/** The calls of the last thirty days, newest first. */
export function WebhookCalls({ workflowId, webhook, query }: WebhookCallsProps) {
  const { t, format } = useTexts();
  const outcome = outcomes.find((outcome) => outcome === query.get("outcome")) ?? "";
  const pages = useCalls(workflowId, webhook.id, outcome);
  const { data, error, refetch, hasNextPage, isFetching } = pages;
  const [open, setOpen] = useState<WebhookCall | null>(null);
  const calls = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <div className="stack calls">
      <div className="calls-head">
        <Select
          label={t.workflow.outcome}
          value={outcome}
          options={[["", t.all], ...outcomes.map((outcome) => [outcome, t.workflow.callOutcomes[outcome]] as const)]}
          onChange={(outcome) => replaceQuery({ outcome })}
        />
        <Button busy={isFetching} onClick={() => void refetch()}>{t.workflow.reload}</Button>
      </div>
      {data === undefined && error === null && <Skeleton lines={3} />}
      {error !== null && <ErrorState error={error} onRetry={retryPages(pages)} />}
      {data !== undefined && calls.length === 0 && !hasNextPage && <p className="muted">{t.workflow.noCalls}</p>}
      {calls.length > 0 && (
        <Table
          caption={t.workflow.callsOf(webhook.name)}
          rows={calls}
          rowKey={(call) => call.id}
          columns={[
            {
              title: t.workflow.received,
              cell: (call) => (
                <button type="button" className="link name" onClick={() => setOpen(call)}>{format.dateTime(call.receivedAt)}</button>
              ),
            },
            {
              title: t.workflow.outcome,
              cell: (call) => <Badge tone={tones[call.outcome]}>{t.workflow.callOutcomes[call.outcome]}</Badge>,
            },
            {
              title: t.workflow.status,
              cell: (call) => (
                <span>
                  <span className="numbers">{call.status}</span>
                  {call.errorCode && <> <code>{call.errorCode}</code></>}
                </span>
              ),
            },
            { title: t.workflow.size, numeric: true, cell: (call) => format.size(call.bodyBytes) },
            {
              title: t.workflow.startedRun,
              cell: (call) =>
                call.runId === null ? (
                  <span className="muted">–</span>
                ) : (
                  <Link to="run" params={{ workflowId, runId: call.runId }} aria-label={`${t.review.openRun}, ${format.dateTime(call.receivedAt)}`}>
                    {t.review.openRun}
                  </Link>
                ),
            },
          ]}
        />
      )}
      {hasNextPage && error === null && (
        <div className="more">
          <ShowMore query={pages} />
        </div>
      )}
      {open !== null && <CallDialog workflowId={workflowId} webhookId={webhook.id} call={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

interface CallDialogProps {
  workflowId: string;
  webhookId: string;
  call: WebhookCall;
  onClose: () => void;
}

/** The headers and the body of a call. */
function CallDialog({ workflowId, webhookId, call, onClose }: CallDialogProps) {
  const { t, format } = useTexts();
  const detail = useCall(workflowId, webhookId, call.id);
  return (
    <Dialog title={t.workflow.callAt(format.dateTime(call.receivedAt))} onClose={onClose} wide>
      <Loaded query={detail} lines={4}>
        {({ headers, body }) => (
          <div className="stack">
            <h3>{t.workflow.body} {body !== "" && <CopyButton text={body} what={t.workflow.body} />}</h3>
            <Value value={readable(body)} />
            <h3>{t.workflow.headers}</h3>
            <dl className="headers">
              {Object.entries(headers).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

/** JSON is indented. Other texts stay as they are. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
