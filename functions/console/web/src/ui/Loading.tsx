import { useTexts } from "../i18n";

/** Grey lines where a list will be. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const { t } = useTexts();
  return (
    <div className="skeleton" role="status" aria-busy="true">
      <span className="sr-only">{t.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  );
}
