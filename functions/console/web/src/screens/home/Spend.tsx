import { useTexts } from "../../i18n";
import { Loaded } from "../../ui/Loaded";
import { Money } from "../../ui/Money";
import { Section } from "../../ui/Section";
import type { useBalance } from "./queries";

export function Spend({ query }: { query: ReturnType<typeof useBalance> }) {
  const { t, format } = useTexts();
  return (
    <Section title={t.home.spend}>
      <Loaded query={query}>
        {({ usage_this_month: usage, credits_remaining, spending_caps }) => (
          <div className="panel spend">
            <dl>
              <div className="big">
                <dt>{t.home.spent}</dt>
                <dd><Money exact={usage.cost} /></dd>
              </div>
              <div>
                <dt>{t.home.remaining}</dt>
                <dd>{credits_remaining === null ? t.home.unlimited : <Money exact={credits_remaining} />}</dd>
              </div>
              <div>
                <dt>{t.home.calls}</dt>
                <dd className="numbers">{format.number(usage.requests)}</dd>
              </div>
              <div>
                <dt>{t.home.tokens}</dt>
                <dd className="numbers">{format.number(usage.tokens_in)} / {format.number(usage.tokens_out)}</dd>
              </div>
              {Number(usage.uncollected) > 0 && (
                <div>
                  <dt>{t.home.uncollected}</dt>
                  <dd><Money exact={usage.uncollected} /></dd>
                </div>
              )}
              {spending_caps.map((cap) => (
                <div key={cap.scope + cap.id} className="cap">
                  <dt>{(t.home.cap as Record<string, string>)[cap.scope] ?? cap.scope}</dt>
                  <dd>
                    {t.home.capUsed(format.money(cap.used), format.money(cap.limit))}
                    <progress value={Number(cap.used)} max={Number(cap.limit)} aria-hidden="true" />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        )}
      </Loaded>
    </Section>
  );
}
