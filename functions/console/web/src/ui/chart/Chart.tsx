import { type PointerEvent, useId, useState } from "react";
import { useTexts } from "../../i18n";
import { Table } from "../Table";
import { findLabels, linePath, useWidth } from "./layout";
import { Dot, fillOf, Hatch, Key, type Kind } from "./marks";
import { findTicks, type Unit } from "./ticks";

export interface Series<Row> {
  kind: Kind;
  name: string;
  value: (row: Row) => number | null;
  /** The exact value. */
  text: (row: Row) => string;
}

interface ChartProps<Row> {
  title: string;
  /** One for each day, oldest first. */
  rows: readonly Row[];
  dateOf: (row: Row) => string;
  /** Bars are stacked from the bottom, in the order of the series. */
  shape: "bars" | "lines";
  series: readonly Series<Row>[];
  unit: Unit;
  formatTick: (value: number) => string;
  /** What else the readout and the table have. */
  total?: { name: string; text: (row: Row) => string };
  /** Days of which there is nothing to say are left out of the table. */
  isEmpty: (row: Row) => boolean;
}

const HEIGHT = 170;
const TOP = 8;
const BOTTOM = 22;
const CHARACTER = 6.7;

/**
 * A chart of days, drawn in SVG so that the theme styles it. One day at a time is read out: with the mouse, a finger,
 * or the arrow keys, for which a hidden slider has the focus. The table below has the same values.
 */
export function Chart<Row>({ title, rows, dateOf, shape, series, unit, formatTick, total, isEmpty }: ChartProps<Row>) {
  const { t, language } = useTexts();
  const id = useId();
  const [box, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const nameOf = (row: Row) => day.format(new Date(`${dateOf(row)}T00:00:00Z`));
  const sizes = rows.map((row) => series.map(({ value }) => value(row) ?? 0));
  const most = Math.max(0, ...sizes.map((values) => (shape === "bars" ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values))));
  const ticks = findTicks(most, unit);
  const highest = ticks.at(-1) ?? 1;
  const left = Math.ceil(Math.max(...ticks.map((tick) => formatTick(tick).length)) * CHARACTER) + 10;
  const band = Math.max(1, width - left) / Math.max(1, rows.length);
  const middle = (index: number) => left + (index + 0.5) * band;
  const yOf = (value: number) => TOP + (1 - value / highest) * (HEIGHT - TOP - BOTTOM);
  const last = rows.length - 1;
  const shown = at === null ? null : Math.min(at, last);
  const describe = (row: Row) =>
    `${nameOf(row)} · ${[...(total ? [total] : []), ...series].map(({ name, text }) => `${name}: ${text(row)}`).join(" · ")}`;
  const readout = (index: number) => {
    const row = rows[index];
    return row === undefined ? "" : describe(row);
  };
  const point = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setAt(Math.max(0, Math.min(last, Math.floor((x - left) / band))));
  };
  return (
    <figure className="chart">
      <figcaption>
        <span>{title}</span>
        {series.length > 1 && (
          <span className="legend">
            {series.map(({ kind, name }) => (
              <span key={kind}><Key kind={kind} hatch={id} />{name}</span>
            ))}
          </span>
        )}
      </figcaption>
      <p className="readout" aria-hidden="true">{shown === null ? <span className="muted">{t.analytics.readoutHint}</span> : readout(shown)}</p>
      <div ref={box} className="plot" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setAt(null)}>
        <input
          type="range"
          aria-label={title}
          aria-valuetext={readout(shown ?? last)}
          min={0}
          max={Math.max(0, last)}
          value={shown ?? last}
          onChange={(event) => setAt(Number(event.target.value))}
          onFocus={() => setAt(shown ?? last)}
          onBlur={() => setAt(null)}
        />
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          <defs><Hatch id={id} /></defs>
          {ticks.map((tick) => (
            <g key={tick}>
              <path className={tick === 0 ? "base-line" : "grid-line"} d={`M${left} ${yOf(tick)}H${width}`} />
              <text x={left - 8} y={yOf(tick) + 4} textAnchor="end">{formatTick(tick)}</text>
            </g>
          ))}
          {shown !== null && <rect className="shown" x={left + shown * band} y={TOP} width={band} height={HEIGHT - TOP - BOTTOM} />}
          {shape === "bars"
            ? sizes.map((values, index) => {
                const bar = Math.max(1, Math.min(28, band * 0.7));
                let top = yOf(0);
                return (
                  <g key={index}>
                    {series.map(({ kind }, of) => {
                      const value = values[of] ?? 0;
                      if (value === 0) return null;
                      const height = Math.max(2, yOf(0) - yOf(value));
                      top -= height;
                      return <rect key={kind} className={kind} fill={fillOf(kind, id)} x={middle(index) - bar / 2} y={top} width={bar} height={height} />;
                    })}
                  </g>
                );
              })
            : series.map(({ kind, value }) => (
                <g key={kind}>
                  <path className={`line ${kind}`} d={linePath(rows.map(value), middle, yOf)} />
                  {rows.map(value).map((y, index, all) => {
                    // On a long axis, dots would hide the line. But a day alone has no line.
                    const isAlone = (all[index - 1] ?? null) === null && (all[index + 1] ?? null) === null;
                    if (y === null || (band < 8 && index !== shown && !isAlone)) return null;
                    return <Dot key={index} kind={kind} x={middle(index)} y={yOf(y)} />;
                  })}
                </g>
              ))}
          {findLabels(rows.length, width - left).map((index) => {
            const row = rows[index];
            const anchor = rows.length === 1 ? "middle" : index === 0 ? "start" : index === last ? "end" : "middle";
            const x = anchor === "start" ? left : anchor === "end" ? width : middle(index);
            return row !== undefined && <text key={index} x={x} y={HEIGHT - 4} textAnchor={anchor}>{nameOf(row)}</text>;
          })}
        </svg>
      </div>
      <details>
        <summary>{t.analytics.asTable}</summary>
        <Table
          caption={title}
          rows={rows.filter((row) => !isEmpty(row)).reverse()}
          rowKey={dateOf}
          columns={[
            { title: t.analytics.day, cell: nameOf },
            ...(total ? [{ title: total.name, numeric: true, cell: total.text }] : []),
            ...series.map(({ name, text }) => ({ title: name, numeric: true, cell: text })),
          ]}
        />
      </details>
    </figure>
  );
}
