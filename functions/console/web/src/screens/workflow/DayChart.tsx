import type { Analytics } from "../../api/types";
import { useTexts } from "../../i18n";
import { Chart } from "../../ui/chart/Chart";

type Day = Analytics["days"][number];

/** The runs of each day as bars, from the bottom: completed, cancelled, failed. */
export function DayChart({ days }: { days: readonly Day[] }) {
  const { t, format } = useTexts();
  return (
    <Chart
      title={t.analytics.runsByDay}
      rows={days}
      dateOf={({ date }) => date}
      shape="bars"
      unit="count"
      formatTick={format.number}
      total={{ name: t.analytics.total, text: (day) => format.number(day.total) }}
      isEmpty={(day) => day.total === 0}
      series={(["completed", "cancelled", "failed"] as const).map((kind) => ({
        kind,
        name: t.runCounts[kind],
        value: (day: Day) => day[kind],
        text: (day: Day) => format.number(day[kind]),
      }))}
    />
  );
}
