import { type FormEvent, useState } from "react";
import type { ToolCredential } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { useToast } from "../../ui/Toast";
import { useSetCredential } from "./queries";
import type { HttpTool } from "./ToolCredentialState";

type Auth = Exclude<NonNullable<HttpTool["auth"]>, "none">;
type FieldOf<A extends Auth> = Exclude<keyof Extract<ToolCredential, { type: A }>, "type">;
type CredentialField = { [A in Auth]: FieldOf<A> }[Auth];

/** The fields of each type of credential. */
const fields: { [A in Auth]: readonly FieldOf<A>[] } = {
  bearer: ["token"],
  basic: ["username", "password"],
  header: ["header", "value"],
  query: ["parameter", "value"],
  oauth2_client_credentials: ["tokenUrl", "clientId", "clientSecret", "scope"],
};
const secrets: ReadonlySet<CredentialField> = new Set(["token", "password", "value", "clientSecret"]);
const optional: ReadonlySet<CredentialField> = new Set(["scope", "password"]);

/** Stores the credential of a tool. Nobody can read it afterwards. */
export function CredentialDialog({ agent, tool, onClose }: { agent: string; tool: HttpTool; onClose: () => void }) {
  const { t } = useTexts();
  const toast = useToast();
  const store = useSetCredential(agent);
  const [values, setValues] = useState<Partial<Record<CredentialField, string>>>({});
  const auth = tool.auth as Auth;
  const names: readonly CredentialField[] = fields[auth];
  const isComplete = names.every((name) => optional.has(name) || values[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isComplete || store.isPending) return;
    const given = Object.fromEntries(names.map((name) => [name, values[name] ?? (name === "password" ? "" : undefined)]));
    store.mutate(
      { tool: tool.name, body: { type: auth, ...given } as ToolCredential },
      {
        onSuccess: () => {
          toast(t.agents.credentialDone(tool.name));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title={t.agents.credentialTitle(tool.name)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>{t.agents.credentialText}</p>
        {names.map((name) => (
          <Field key={name} label={t.agents.credentialFields[name]} hint={name === "scope" ? t.agents.optional : undefined}>
            {(ids) => (
              <input
                {...ids}
                type={secrets.has(name) ? "password" : "text"}
                autoComplete={secrets.has(name) ? "new-password" : "off"}
                spellCheck={false}
                value={values[name] ?? ""}
                onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
        {store.error && <ErrorState error={store.error} />}
        <footer>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind="primary" disabled={!isComplete} busy={store.isPending}>{t.agents.storeCredential}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
