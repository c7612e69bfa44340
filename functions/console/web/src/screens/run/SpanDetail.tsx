import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Span } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { ErrorState } from "../../ui/ErrorState";
import { ConsoleLines } from "../../values/ConsoleLines";
import { ValueView } from "../../values/ValueView";
import { Calls } from "./Calls";
import { loadStep, type RunId } from "./queries";
import { keyOf } from "./timeline";

/** What a step received and returned, why it failed, and what its models cost. */
export function SpanDetail({ id, span, run, called }: { id: string; span: Span; run: RunId; called: unknown }) {
  const { t, format } = useTexts();
  const [isWanted, setIsWanted] = useState(false);
  const loaded = useQuery({
    // A step that goes on has other values at its end.
    queryKey: ["run", run.runId, "step", keyOf(span), span.state],
    enabled: isWanted,
    queryFn: () => loadStep(run, span.step),
    select: (spans) => spans.find((found) => keyOf(found) === keyOf(span)) ?? null,
  });
  const shown = loaded.data ?? span;
  const omitted = (["input", "output"] as const).filter((value) => shown.omitted.includes(value));
  const { usage } = span;
  return (
    <div className="span-detail" id={id}>
      <p className="span-facts">
        <span><code>{span.step}</code> <CopyButton text={span.step} what={t.run.path} /></span>
        <span>{format.dateTime(span.startedAt)}</span>
        {span.port !== null && <span>{t.run.port} <code>{span.port}</code></span>}
        {span.repeats > 0 && <span>{t.run.repeats(span.repeats)}</span>}
        {usage !== null && (
          <span>
            {t.run.usage(format.number(usage.requests), format.number(usage.inputTokens), format.number(usage.outputTokens))} ·{" "}
            {format.money(usage.costExact)}
          </span>
        )}
        {span.runId !== null && <span>{t.run.startedRun} <StartedRun workflow={called} id={span.runId} /> <CopyButton text={span.runId} what={t.run.id} /></span>}
      </p>
      {span.error !== null && (
        <div className="error-state">
          <p className="sentence">{span.error.message}</p>
          <p className="facts"><span>{t.errors.code} <code>{span.error.code}</code></span></p>
        </div>
      )}
      {usage !== null && usage.requests > 0 && <Calls run={run} span={span} requests={usage.requests} />}
      <div className="value-pair">
        {!omitted.includes("input") && span.state !== "skipped" && <ValueView name={t.run.input} value={shown.input} />}
        {!omitted.includes("output") && span.state === "completed" && <ValueView name={t.run.output} value={shown.output} />}
      </div>
      <ConsoleLines lines={shown.console} />
      {omitted.length > 0 && (
        <div className="omitted">
          <p className="muted">
            {t.run.leftOut(format.list(omitted.map((value) => t.run[value])))} {isWanted && loaded.isSuccess && t.run.tooLarge}
          </p>
          {!isWanted && <Button onClick={() => setIsWanted(true)}>{t.values.load}</Button>}
        </div>
      )}
      {loaded.error && <ErrorState error={loaded.error} onRetry={() => void loaded.refetch()} />}
    </div>
  );
}

/** The run of another workflow. It is a link where the node says which workflow it calls. */
function StartedRun({ workflow, id }: { workflow: unknown; id: string }) {
  if (typeof workflow !== "string") return <code>{id}</code>;
  return <Link to="run" params={{ workflowId: workflow, runId: id }}><code>{id}</code></Link>;
}
