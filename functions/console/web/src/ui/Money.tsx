import { useTexts } from "../i18n";

/** An exact amount of US dollars. */
export function Money({ exact }: { exact: string }) {
  const { format } = useTexts();
  return <span className="numbers nowrap">{format.money(exact)}</span>;
}
