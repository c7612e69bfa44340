import { type FormEvent, useState } from "react";
import type { Credential, CredentialTest, CredentialTestResult } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Badge } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import { Dialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { Field } from "../../../ui/Field";
import { Select } from "../../../ui/Select";
import { providerOf } from "./providers";
import { useTestCredential } from "./credentialQueries";

type Method = NonNullable<CredentialTest["method"]>;
const methods = ["GET", "HEAD", "POST"] as const satisfies readonly Method[];

interface TestCredentialDialogProps {
  workflowId: string;
  credential: Credential;
  onClose: () => void;
}

/** Calls the other system with a credential. */
export function TestCredentialDialog({ workflowId, credential, onClose }: TestCredentialDialogProps) {
  const { t } = useTexts();
  const test = useTestCredential(workflowId, credential.id);
  const [url, setUrl] = useState("");
  const [method, setMethod] = useState<Method>("GET");
  const isAccount = providerOf(credential.type) !== undefined;
  const isToken = credential.type === "oauth2_client_credentials" || credential.type === "oauth2_authorization_code";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!test.isPending) test.mutate(url.trim() === "" ? {} : { url: url.trim(), method });
  };
  return (
    <Dialog title={t.connections.credentials.testTitle(credential.name)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="muted">
          {t.connections.credentials.testTexts[isAccount ? "messages" : "http"]}
          {isToken && ` ${t.connections.credentials.testTexts.token}`}
        </p>
        {!isAccount && (
          <>
            <Field label={isToken ? t.connections.credentials.testUrlOptional : t.connections.credentials.testUrl}>
              {(ids) => (
                <input
                  {...ids}
                  type="url"
                  className="mono"
                  required={!isToken}
                  maxLength={2000}
                  placeholder="https://api.example.com/me"
                  autoComplete="off"
                  spellCheck={false}
                  value={url}
                  onChange={(event) => setUrl(event.target.value)}
                />
              )}
            </Field>
            <Select
              label={t.connections.credentials.method}
              value={method}
              options={methods.map((method) => [method, method] as const)}
              onChange={setMethod}
            />
          </>
        )}
        <div aria-live="polite">
          {test.isPending && <p className="muted">{t.loading}</p>}
          {!test.isPending && test.data !== undefined && <Result result={test.data.data} />}
        </div>
        {test.error ? <ErrorState error={test.error} /> : null}
        <footer>
          <Button onClick={onClose}>{t.close}</Button>
          <Button type="submit" kind="primary" busy={test.isPending}>{t.connections.credentials.test}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Result({ result: { ok, status, error, durationMs } }: { result: CredentialTestResult }) {
  const { t, format } = useTexts();
  const reason = error === null ? t.connections.credentials.testRefused : (t.connections.credentials.testErrors[error.code] ?? error.message);
  return (
    <div className="panel test-result">
      <p className="facts">
        <Badge tone={ok ? "good" : "bad"}>{ok ? t.connections.credentials.testPassed : t.connections.credentials.testFailed}</Badge>{" "}
        <span className="muted">
          {status !== null && t.connections.credentials.testStatus(String(status))} {t.connections.credentials.testTook(format.duration(durationMs))}
        </span>
      </p>
      {!ok && <p>{reason} {error !== null && <code>{error.code}</code>}</p>}
    </div>
  );
}
