import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, gateway } from "../../api/client";
import { type Exact, parseExact } from "../../api/money";
import type { GatewayCall, GatewayCalls, Span } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Duration } from "../../ui/Duration";
import { ErrorState } from "../../ui/ErrorState";
import { Loaded } from "../../ui/Loaded";
import { Money } from "../../ui/Money";
import { Table } from "../../ui/Table";
import { ValueView } from "../../values/ValueView";
import type { RunId } from "./queries";

/** The gateway lists calls by their time, not by their run. So many of its pages are searched at once. */
const PAGES = 10;
/** A call may be recorded a moment after the step ended. */
const LATER_MS = 5_000;

/** The calls of models of a step, as the gateway has recorded and charged them. */
export function Calls({ run, span, requests }: { run: RunId; span: Span; requests: number }) {
  const { t } = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="calls" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t.run.calls}</summary>
      {isOpen && <CallRows run={run} span={span} requests={requests} />}
    </details>
  );
}

function CallRows({ run, span, requests }: { run: RunId; span: Span; requests: number }) {
  const { t, format } = useTexts();
  const [receipt, setReceipt] = useState<string | null>(null);
  const calls = useInfiniteQuery({
    queryKey: ["run", run.runId, "calls", span.step],
    initialPageParam: "",
    queryFn: ({ pageParam }) => findCalls(run.runId, span, requests, pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ found }) => found),
  });
  return (
    <Loaded query={calls} lines={2}>
      {(found) => (
        <>
          {found.length > 0 && (
            <Table
              caption={t.run.calls}
              rows={found}
              rowKey={(call) => call.id}
              columns={[
                {
                  title: t.run.request,
                  cell: (call) => (
                    <>
                      <code className="break">{call.request_id}</code> <CopyButton text={call.request_id} what={t.run.request} />
                    </>
                  ),
                },
                {
                  title: t.run.model,
                  cell: ({ model, deployment, status, error_code }) => (
                    <>
                      {model}
                      {deployment !== null && <div className="sub">{deployment}</div>}
                      {status !== "completed" && <div className="sub">{t.callStates[status]} {error_code && <code>{error_code}</code>}</div>}
                    </>
                  ),
                },
                { title: t.run.tokensIn, numeric: true, cell: ({ tokens }) => format.number(tokens.input) },
                { title: t.run.tokensOut, numeric: true, cell: ({ tokens }) => format.number(tokens.output) },
                { title: t.runs.duration, numeric: true, cell: (call) => <Duration ms={call.duration_ms} /> },
                { title: t.runs.cost, numeric: true, cell: (call) => <Money exact={call.cost} /> },
                { title: t.run.charged, numeric: true, cell: (call) => <Money exact={call.charged} /> },
                {
                  title: t.run.receipt,
                  silent: true,
                  cell: (call) => (
                    <Button aria-expanded={receipt === call.id} onClick={() => setReceipt(receipt === call.id ? null : call.id)}>
                      {t.run.receipt}
                    </Button>
                  ),
                },
              ]}
            />
          )}
          {found.length < requests && (
            <div className="omitted">
              <p className="muted">{t.run.callsMissing(format.number(found.length), format.number(requests))}</p>
              <Button busy={calls.isFetching} onClick={() => void (calls.hasNextPage ? calls.fetchNextPage() : calls.refetch())}>
                {calls.hasNextPage ? t.run.searchFurther : t.errors.retry}
              </Button>
            </div>
          )}
          {receipt !== null && <Receipt key={receipt} id={receipt} />}
        </>
      )}
    </Loaded>
  );
}

/** The signed receipt. Its cost has all decimals. */
function Receipt({ id }: { id: string }) {
  const { t } = useTexts();
  const receipt = useQuery({
    queryKey: ["receipt", id],
    staleTime: Infinity,
    queryFn: () => answer(gateway.GET("/gateway/v1/billing/receipts/{request_id}", { params: { path: { request_id: id } } })),
  });
  if (receipt.error) return <ErrorState error={receipt.error} onRetry={() => void receipt.refetch()} />;
  return (
    <Loaded query={receipt} lines={4}>
      {(signed) => (
        <div className="receipt">
          <p>{t.run.receiptText} <strong><Money exact={signed.receipt.cost} /></strong></p>
          <ValueView name={t.run.receipt} value={signed} />
        </div>
      )}
    </Loaded>
  );
}

interface FoundCalls {
  found: Exact<GatewayCall>[];
  /** Where to search further. */
  next: string | null;
}

/** Searches the calls from the time of a step for those that the step made. */
async function findCalls(runId: string, span: Span, requests: number, after: string): Promise<FoundCalls> {
  const found: Exact<GatewayCall>[] = [];
  const from = span.startedAt;
  const to = new Date((span.endedAt === null ? Date.now() : Date.parse(span.endedAt)) + LATER_MS).toISOString();
  let next: string | null = after;
  for (let page = 0; page < PAGES && next !== null && found.length < requests; page++) {
    const query: { from: string; to: string; limit: number; cursor?: string } = { from, to, limit: 100, ...(next && { cursor: next }) };
    const text: string = await answer<string>(gateway.GET("/gateway/v1/billing/calls", { params: { query }, parseAs: "text" }));
    const calls = parseExact<GatewayCalls>(text);
    found.push(...calls.data.filter(({ run }) => run?.run === runId && run.step === span.step));
    next = calls.next_cursor;
  }
  return { found, next };
}
