import { asApiError } from "../api/errors";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";

/** What went wrong, in the API's own sentence, with what support needs to find it. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { t } = useTexts();
  const { isConnection, message, code, requestId } = asApiError(error);
  return (
    <div className="error-state" role="alert">
      <p className="sentence">{isConnection ? t.errors.connection : message}</p>
      <p className="facts">
        <span>{t.errors.code} <code>{code}</code></span>
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
