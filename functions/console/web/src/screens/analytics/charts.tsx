import { plainDecimal } from "../../api/money";
import type { ComparedDay } from "../../api/types";
import { useTexts } from "../../i18n";
import { Chart } from "../../ui/chart/Chart";

export function DurationChart({ days }: { days: readonly ComparedDay[] }) {
  const { t, format } = useTexts();
  return (
    <Chart
      title={t.analytics.durationByDay}
      rows={days}
      dateOf={({ date }) => date}
      shape="lines"
      unit="time"
      formatTick={format.duration}
      isEmpty={({ duration }) => duration === null}
      series={(["median", "p95"] as const).map((kind) => {
        const value = ({ duration }: ComparedDay) => duration?.[`${kind}Ms`] ?? null;
        const text = (day: ComparedDay) => {
          const ms = value(day);
          return ms === null ? "–" : format.duration(ms);
        };
        return { kind, name: t.analytics[kind], value, text };
      })}
    />
  );
}

export function CostChart({ days }: { days: readonly ComparedDay[] }) {
  const { t, format } = useTexts();
  return (
    <Chart
      title={t.analytics.costByDay}
      rows={days}
      dateOf={({ date }) => date}
      shape="bars"
      unit="money"
      formatTick={(value) => format.money(plainDecimal(String(value)))}
      isEmpty={({ usage }) => usage.cost === 0}
      series={[
        {
          kind: "amount",
          name: t.analytics.cost,
          // Only the height of the bar is rounded.
          value: ({ usage }) => usage.cost,
          text: ({ usage }) => format.money(usage.costExact),
        },
      ]}
    />
  );
}
