import { asApiError, OwnError, sentenceOf } from "../api/errors";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";

/** What went wrong, in the API's own sentence, with what support needs to find it. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { t } = useTexts();
  const failure = asApiError(error);
  const { code, requestId } = failure;
  return (
    <div className="error-state" role="alert">
      <p className="sentence">{sentenceOf(failure, t)}</p>
      <p className="facts">
        <span>{t.errors.code} <code>{code}</code></span>
        {failure instanceof OwnError && <span>{t.errors.details} <code>{failure.technical}</code></span>}
        {requestId !== null && (
          <span>
            {t.errors.requestId} <code>{requestId}</code>
            <CopyButton text={requestId} what={t.errors.requestId} />
          </span>
        )}
      </p>
      {onRetry && <Button onClick={onRetry}>{t.errors.retry}</Button>}
    </div>
  );
}
