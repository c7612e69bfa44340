import type { Analytics } from "../../api/types";
import { useTexts } from "../../i18n";
import { Table } from "../../ui/Table";

type Day = Analytics["days"][number];

const HEIGHT = 96;
const STEP = 20;
const BAR = 14;

/** The runs of each day as bars, from the bottom: completed, cancelled, failed. */
export function DayChart({ days }: { days: Day[] }) {
  const { t, format, language } = useTexts();
  const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const nameOf = (day: Day) => date.format(new Date(`${day.date}T00:00:00Z`));
  const most = Math.max(1, ...days.map((day) => day.total));
  const first = days[0];
  const last = days.at(-1);
  const describe = (day: Day) =>
    `${nameOf(day)}: ${t.workflow.dayText(format.number(day.completed), format.number(day.failed), format.number(day.cancelled))}`;
  return (
    <figure className="day-chart">
      <figcaption>
        <span>{t.workflow.runsByDay}</span>
        <span className="legend">
          {(["completed", "failed", "cancelled"] as const).map((kind) => (
            <span key={kind}><span className={`key ${kind}`} aria-hidden="true" />{t.runCounts[kind]}</span>
          ))}
          <span>{t.workflow.most(format.number(most))}</span>
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, index) => {
          let top = HEIGHT;
          const x = index * STEP + (STEP - BAR) / 2;
          return (
            <g key={day.date}>
              <title>{describe(day)}</title>
              <rect className="ground" x={index * STEP} y="0" width={STEP} height={HEIGHT} />
              {(["completed", "cancelled", "failed"] as const).map((kind) => {
                if (day[kind] === 0) return null;
                const height = Math.max(2, (day[kind] / most) * (HEIGHT - 4));
                top -= height;
                return <rect key={kind} className={kind} x={x} y={top} width={BAR} height={height} />;
              })}
              <rect className="base" x={x} y={HEIGHT - 1} width={BAR} height="1" />
            </g>
          );
        })}
      </svg>
      <div className="axis" aria-hidden="true">
        <span>{first && nameOf(first)}</span>
        <span>{last && nameOf(last)}</span>
      </div>
      <details>
        <summary>{t.workflow.asTable}</summary>
        <Table
          caption={t.workflow.runsByDay}
          rows={days.filter((day) => day.total > 0).reverse()}
          rowKey={(day) => day.date}
          columns={[
            { title: t.workflow.day, cell: nameOf },
            { title: t.runs.title, numeric: true, cell: (day) => format.number(day.total) },
            { title: t.runCounts.completed, numeric: true, cell: (day) => format.number(day.completed) },
            { title: t.runCounts.failed, numeric: true, cell: (day) => format.number(day.failed) },
            { title: t.runCounts.cancelled, numeric: true, cell: (day) => format.number(day.cancelled) },
          ]}
        />
      </details>
    </figure>
  );
}
