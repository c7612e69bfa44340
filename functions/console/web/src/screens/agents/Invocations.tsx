import { useState } from "react";
import type { InvocationEntry } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Duration } from "../../ui/Duration";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { Money } from "../../ui/Money";
import { Owner } from "../../ui/Owner";
import { Select } from "../../ui/Select";
import { Table } from "../../ui/Table";
import { useInvocations } from "./queries";

const states = ["running", "completed", "failed", "cancelled", "interrupted"] as const satisfies readonly InvocationEntry["state"][];

/** The direct calls of an agent, newest first. */
export function Invocations({ agent }: { agent: string }) {
  const { t, format } = useTexts();
  const [state, setState] = useState<InvocationEntry["state"] | "">("");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInvocations(agent, state);
  const calls = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      {(calls.length > 0 || state !== "") && (
        <div className="filters even">
          <Select
            label={t.runs.state}
            value={state}
            options={[["", t.runs.allStates], ...states.map((state) => [state, t.callStates[state]] as const)]}
            onChange={setState}
          />
        </div>
      )}
      {data === undefined && error === null && <Skeleton />}
      {error !== null && <ErrorState error={error} onRetry={() => void (data ? fetchNextPage() : refetch())} />}
      {data !== undefined && calls.length === 0 && !hasNextPage && (
        <EmptyState title={state === "" ? t.agents.noCalls : t.agents.noCallsMatch}>
          {state === "" && <p>{t.agents.noCallsText}</p>}
        </EmptyState>
      )}
      {calls.length > 0 && (
        <Table<InvocationEntry>
          caption={t.agents.calls}
          rows={calls}
          rowKey={(call) => call.id}
          columns={[
            {
              title: t.runs.started,
              cell: (call) => (
                <Link to="agent" params={{ agentId: agent }} query={{ call: call.id }} className="name">
                  {format.dateTime(call.startedAt)}
                </Link>
              ),
            },
            { title: t.runs.state, cell: (call) => <StateBadge state={call.state} of="call" /> },
            { title: t.agents.calledBy, cell: (call) => <Owner id={call.invokedBy} /> },
            { title: t.runs.duration, numeric: true, cell: (call) => <Duration ms={call.durationMs} /> },
            { title: t.runs.cost, numeric: true, cell: (call) => <Money exact={call.usage.costExact} /> },
            {
              title: t.runs.tokens,
              numeric: true,
              cell: (call) => format.number(call.usage.inputTokens + call.usage.outputTokens),
            },
            {
              title: t.agents.error,
              cell: (call) =>
                call.error ? <code>{call.error.code}</code> : <span className="muted">{call.erasedAt ? t.agents.erased : "–"}</span>,
            },
          ]}
        />
      )}
      {hasNextPage && error === null && (
        <div className="more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? t.loading : t.more}
          </Button>
        </div>
      )}
    </>
  );
}
