/** How a bar or a line is drawn. Each has a pattern or a shape of its own: colors alone do not tell them apart. */
export type Kind = "completed" | "failed" | "cancelled" | "open" | "amount" | "median" | "p95";

/** The pattern of bars of failures. */
export function Hatch({ id }: { id: string }) {
  return (
    <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect className="hatch-ground" width="5" height="5" />
      <rect className="hatch-line" width="1.6" height="5" />
    </pattern>
  );
}

/** The fill of a bar. The others are in the style sheet. */
export function fillOf(kind: Kind, hatch: string) {
  return kind === "failed" ? `url(#${hatch})` : undefined;
}

/** How a series is drawn, for the legend. */
export function Key({ kind, hatch }: { kind: Kind; hatch: string }) {
  const isLine = kind === "median" || kind === "p95";
  return (
    <svg className="key" viewBox="0 0 22 10" width={isLine ? 22 : 10} height="10" aria-hidden="true" preserveAspectRatio="xMinYMid slice">
      {isLine ? (
        <>
          <path className={`line ${kind}`} d="M0 5H22" />
          <Dot kind={kind} x={11} y={5} />
        </>
      ) : (
        <rect className={kind} fill={fillOf(kind, hatch)} x="0.5" y="0.5" width="9" height="9" />
      )}
    </svg>
  );
}

/** A round dot, or a square one. */
export function Dot({ kind, x, y }: { kind: Kind; x: number; y: number }) {
  if (kind === "p95") return <rect className={`dot ${kind}`} x={x - 3} y={y - 3} width="6" height="6" />;
  return <circle className={`dot ${kind}`} cx={x} cy={y} r="3" />;
}
