import { useTexts } from "../i18n";

export function Duration({ ms }: { ms: number | null | undefined }) {
  const { format } = useTexts();
  if (ms === null || ms === undefined) return <span className="muted">–</span>;
  return <span className="numbers nowrap">{format.duration(ms)}</span>;
}
