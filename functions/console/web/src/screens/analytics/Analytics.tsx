import { useState } from "react";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Field } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { PageTitle } from "../../ui/PageTitle";
import { Section } from "../../ui/Section";
import { Select } from "../../ui/Select";
import { DayChart } from "../workflow/DayChart";
import { Numbers } from "../workflow/Numbers";
import { CostChart, DurationChart } from "./charts";
import { Failures } from "./Failures";
import { type AnalyticsFilters, isPeriod, MOST_WORKFLOWS, periods, readFilters } from "./filters";
import { useAnalyticsOf, useOwnWorkflows } from "./queries";
import { WorkflowsDialog } from "./WorkflowsDialog";
import { WorkflowParts } from "./WorkflowParts";

/** What several workflows did in a period: by default those whose runs ended last. */
export function Analytics({ query }: { query: URLSearchParams }) {
  const { t, format } = useTexts();
  const filters = readFilters(query);
  const [chooses, setChooses] = useState(false);
  const own = useOwnWorkflows();
  const { workflows: chosen, from, to } = filters;
  const latest = (own.data ?? []).filter(({ lastFinishedAt }) => lastFinishedAt !== null);
  const workflowIds = chosen.length > 0 ? chosen : latest.slice(0, MOST_WORKFLOWS).map(({ workflowId }) => workflowId);
  const analytics = useAnalyticsOf({ workflowIds, from, to }, isPeriod(from, to));
  const isNew = own.data !== undefined && workflowIds.length === 0;
  return (
    <>
      <PageTitle title={t.analytics.title} />
      {isNew ? (
        <EmptyState title={t.analytics.none}>
          <p>{t.analytics.noneText}</p>
          <Link to="workflows" className="button">{t.nav.workflows}</Link>
        </EmptyState>
      ) : (
        <>
          <Filters filters={filters} isAll={latest.length <= MOST_WORKFLOWS} onChoose={() => setChooses(true)} />
          {chosen.length === 0 && latest.length > MOST_WORKFLOWS && (
            <p className="muted lead">
              {t.analytics.someOf(format.number(MOST_WORKFLOWS), format.number(latest.length))}
            </p>
          )}
          <Period filters={filters} own={own} analytics={analytics} />
        </>
      )}
      {chooses && own.data && (
        <WorkflowsDialog workflows={own.data} chosen={chosen} onClose={() => setChooses(false)} />
      )}
    </>
  );
}

function Filters({ filters, isAll, onChoose }: { filters: AnalyticsFilters; isAll: boolean; onChoose: () => void }) {
  const { t, format } = useTexts();
  const { workflows, period, from, to } = filters;
  const everything = isAll ? t.analytics.allOnes : t.analytics.lastOnes(format.number(MOST_WORKFLOWS));
  const which = workflows.length > 0 ? t.analytics.chosen(workflows.length) : everything;
  return (
    <div className="filters even">
      <Select
        label={t.analytics.period}
        value={period}
        options={periods.map((period) => [period, t.analytics.periods[period]] as const)}
        onChange={(period) => replaceQuery(period === "custom" ? { period, from, to } : { period, from: "", to: "" })}
      />
      {period === "custom" &&
        ([["from", from], ["to", to]] as const).map(([name, day]) => (
          <Field key={name} label={t.analytics[name]} inline>
            {(ids) => <input {...ids} type="date" value={day} onChange={(event) => replaceQuery({ [name]: event.target.value })} />}
          </Field>
        ))}
      <Field label={t.analytics.workflows} inline>
        {(ids) => (
          <div className="chosen-workflows">
            <Button {...ids} aria-label={`${t.analytics.workflows}: ${which}`} onClick={onChoose}>{which}</Button>
            {workflows.length > 0 && (
              <Button kind="quiet" onClick={() => replaceQuery({ workflows: "" })}>{t.analytics.showAll}</Button>
            )}
          </div>
        )}
      </Field>
    </div>
  );
}

interface PeriodProps {
  filters: AnalyticsFilters;
  own: ReturnType<typeof useOwnWorkflows>;
  analytics: ReturnType<typeof useAnalyticsOf>;
}

function Period({ filters, own, analytics: query }: PeriodProps) {
  const { t } = useTexts();
  const { from, to } = filters;
  if (!isPeriod(from, to)) return <p className="problem" role="alert">{t.analytics.badPeriod}</p>;
  if (own.data === undefined) return <Loaded query={own} lines={8}>{() => null}</Loaded>;
  return (
    <Loaded query={query} lines={8}>
      {(analytics) => (
        <div aria-busy={query.isPlaceholderData || undefined}>
          <div className="panel">
            <Numbers analytics={analytics} />
            {analytics.runs.total === 0 ? (
              <p className="calm">{t.analytics.emptyPeriod}</p>
            ) : (
              <>
                <DayChart days={analytics.days} />
                <div className="charts">
                  <DurationChart days={analytics.days} />
                  <CostChart days={analytics.days} />
                </div>
              </>
            )}
            <p className="chart-note muted">
              {t.analytics.zone(analytics.timezone)}. {analytics.timezone !== "UTC" && t.analytics.utcNote}
            </p>
          </div>
          {analytics.runs.total > 0 && (
            <>
              <Section title={t.analytics.byWorkflow}><WorkflowParts parts={analytics.workflows} /></Section>
              <Section title={t.analytics.failuresByNode}><Failures analytics={analytics} /></Section>
            </>
          )}
        </div>
      )}
    </Loaded>
  );
}
