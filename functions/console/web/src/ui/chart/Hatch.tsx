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
