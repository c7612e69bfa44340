import { goToSignIn, useSignedOut } from "../api/session";
import { asApiError } from "../api/errors";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { ErrorState } from "../ui/ErrorState";
import { ConnectionBanner } from "./ConnectionBanner";
import { Mark } from "./Mark";
import { PersonContext, useMe } from "./person";
import { Shell } from "./Shell";

export function App() {
  const signedOut = useSignedOut();
  return signedOut ? <SignedOut /> : <SignedIn />;
}

function SignedIn() {
  const { t } = useTexts();
  const { data, error, refetch } = useMe();
  if (data !== undefined) {
    return (
      <PersonContext value={data}>
        <Shell />
      </PersonContext>
    );
  }
  if (error === null) return <main className="alone" aria-busy="true"><p className="sr-only">{t.loading}</p></main>;
  const refused = asApiError(error).status === 401;
  return (
    <>
      <ConnectionBanner />
      <main className="alone">
        <Mark />
        <h1>{refused ? t.signIn.refused : t.signIn.unavailable}</h1>
        <ErrorState error={error} onRetry={refused ? undefined : () => void refetch()} />
        {refused && <Button kind="primary" onClick={goToSignIn}>{t.signIn.action}</Button>}
      </main>
    </>
  );
}

function SignedOut() {
  const { t } = useTexts();
  return (
    <main className="alone">
      <Mark />
      <h1>{t.signIn.signedOut}</h1>
      <p className="muted">{t.signIn.signedOutText}</p>
      <Button kind="primary" onClick={goToSignIn}>{t.signIn.action}</Button>
    </main>
  );
}
