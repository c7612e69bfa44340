import { useState } from "react";
import type { InvocationEntry } from "../../api/types";
import { useTexts } from "../../i18n";
import { closeOpened } from "../../router/history";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Duration } from "../../ui/Duration";
import { EmptyState } from "../../ui/EmptyState";
import { Money } from "../../ui/Money";
import { Owner } from "../../ui/Owner";
import { Pages } from "../../ui/Pages";
import { Select } from "../../ui/Select";
import { Table } from "../../ui/Table";
import { InvocationDialog } from "./InvocationDialog";
import { useInvocations } from "./queries";

const states = ["running", "completed", "failed", "cancelled", "interrupted"] as const satisfies readonly InvocationEntry["state"][];

/** The direct calls of an agent, newest first. One of them can be open. */
export function Invocations({ agent, call }: { agent: string; call: string | null }) {
  const { t, format } = useTexts();
  const [state, setState] = useState<InvocationEntry["state"] | "">("");
  const invocations = useInvocations(agent, state);
  const hasCalls = state !== "" || invocations.data?.pages.some((page) => page.data.length > 0);
  const empty = (
    <EmptyState title={state === "" ? t.agents.noCalls : t.agents.noCallsMatch}>
      {state === "" && (
        <>
          <p>{t.agents.noCallsText}</p>
          <Link to="agentTry" params={{ agentId: agent }} className="button">{t.agents.tabs.agentTry}</Link>
        </>
      )}
    </EmptyState>
  );
  return (
    <>
      {hasCalls && (
        <div className="filters even">
          <Select
            label={t.runs.state}
            value={state}
            options={[["", t.runs.allStates], ...states.map((state) => [state, t.callStates[state]] as const)]}
            onChange={setState}
          />
        </div>
      )}
      <Pages query={invocations} empty={empty}>
        {(calls) => (
        <Table<InvocationEntry>
          caption={t.agents.calls}
          rows={calls}
          rowKey={(call) => call.id}
          columns={[
            {
              title: t.runs.started,
              cell: (call) => (
                <Link to="agentCalls" params={{ agentId: agent }} query={{ call: call.id }} className="name">
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
      </Pages>
      {call !== null && <InvocationDialog agent={agent} id={call} onClose={() => closeOpened({ call: "" })} />}
    </>
  );
}
