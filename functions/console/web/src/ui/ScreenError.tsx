import { useTexts } from "../i18n";
import { ErrorState } from "./ErrorState";
import { PageTitle } from "./PageTitle";

/** A screen of which nothing can be shown. */
export function ScreenError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTexts();
  return (
    <>
      <PageTitle title={t.errors.failed} />
      <ErrorState error={error} onRetry={onRetry} />
    </>
  );
}
