import { useTexts } from "../../i18n";
import { CopyButton } from "../../ui/CopyButton";
import { ErrorState } from "../../ui/ErrorState";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { type RunId, useFormPages } from "./queries";

/** The pages of forms that the run waits for. Anyone with the link can fill them in. */
export function FormPages({ id }: { id: RunId }) {
  const { t } = useTexts();
  const { data: pages = [], error, refetch } = useFormPages(id);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (pages.length === 0) return null;
  return (
    <Section title={t.run.pages}>
      <ul className="waits">
        {pages.map(({ step, title, expiresAt, url }) => (
          <li key={step} className="panel">
            <h3 translate="no">{title}</h3>
            <p className="muted"><code>{step}</code> · {t.review.expires} <RelativeTime time={expiresAt} /></p>
            {url === null ? (
              <p>{t.run.pageWithoutLink}</p>
            ) : (
              <p className="actions">
                <a className="button" href={url} target="_blank" rel="noreferrer">{t.run.openPage}</a>
                <CopyButton text={url} what={t.run.pageLink} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
