import { useId } from "react";
import { fillOf, Hatch, type Kind } from "./marks";

export interface Sparkbar {
  parts: readonly { kind: Kind; size: number }[];
}

interface SparkbarsProps {
  /** The same for those who do not see it. */
  label: string;
  bars: readonly Sparkbar[];
}

const HEIGHT = 28;
const TOP = 7;
const STEP = 9;
const BAR = 6;

/** Small bars in a line of a list. A cross is above those that are nothing but a failure. */
export function Sparkbars({ label, bars }: SparkbarsProps) {
  const hatch = useId();
  const sizeOf = ({ parts }: Sparkbar) => parts.reduce((sum, { size }) => sum + size, 0);
  const most = Math.max(...bars.map(sizeOf)) || 1;
  const width = bars.length * STEP;
  return (
    <svg className="sparkbars" role="img" aria-label={label} viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
      <defs><Hatch id={hatch} /></defs>
      {bars.map(({ parts }, index) => {
        const x = index * STEP + (STEP - BAR) / 2;
        let bottom = HEIGHT - 1;
        return (
          <g key={index}>
            <rect className="base" x={x} y={HEIGHT - 1} width={BAR} height="1" />
            {parts.map(({ kind, size }) => {
              const height = Math.max(3, (size / most) * (HEIGHT - 1 - TOP));
              bottom -= height;
              return <rect key={kind} className={kind} fill={fillOf(kind, hatch)} x={x} y={bottom} width={BAR} height={height} />;
            })}
            {parts.length === 1 && parts[0]?.kind === "failed" && (
              <path className="cross" d={`M${x + 1} ${bottom - 5.5}l4 4m0 -4l-4 4`} />
            )}
          </g>
        );
      })}
    </svg>
  );
}
