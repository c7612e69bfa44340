import { type FormEvent, useState } from "react";
import type { Credential, CredentialType, NewCredential } from "../../../api/types";
import { CredentialFields } from "../../../credentials/CredentialFields";
import { filledFields } from "../../../credentials/fields";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { Dialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { Field } from "../../../ui/Field";
import { useToast } from "../../../ui/Toast";
import { useWhenDone } from "../../../ui/useWhenDone";
import { providers } from "./providers";
import { useCreateCredential } from "./queries";

const httpTypes = ["bearer", "basic", "header", "query", "oauth2_client_credentials", "oauth2_authorization_code"] as const satisfies readonly CredentialType[];

interface CredentialDialogProps {
  workflowId: string;
  /** Offers the accounts of messaging services only. */
  only?: "messages";
  onCreated: (credential: Credential) => void;
  onClose: () => void;
}

/** Creates a credential, with the fields of its type. */
export function CredentialDialog({ workflowId, only, onCreated, onClose }: CredentialDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const create = useCreateCredential(workflowId);
  const [name, setName] = useState("");
  const [type, setType] = useState<CredentialType>(only === "messages" ? "slack" : "bearer");
  const [values, setValues] = useState<Record<string, string>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const body = { name: name.trim(), type, ...filledFields(type, values) } as NewCredential;
    whenDone(create.mutateAsync(body), ({ data }) => {
      toast(t.connections.credentials.created(data.name));
      onCreated(data);
    });
  };
  // What was written is a secret that the person may not have elsewhere.
  const leave = () => !create.isPending && onClose();
  return (
    <Dialog title={t.connections.credentials.new} onClose={leave}>
      <form className="stack" onSubmit={submit} autoComplete="off">
        <Field label={t.connections.credentials.name}>
          {(ids) => <input {...ids} required maxLength={200} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label={t.connections.credentials.type} hint={t.connections.credentials.typeTexts[type]}>
          {(ids) => (
            <select
              {...ids}
              value={type}
              onChange={(event) => {
                setType(event.target.value as CredentialType);
                setValues({});
              }}
            >
              {only === undefined && <Types label={t.connections.credentials.forHttp} types={httpTypes} />}
              <Types label={t.connections.credentials.forMessages} types={providers} />
            </select>
          )}
        </Field>
        <CredentialFields type={type} values={values} onChange={setValues} />
        {create.error ? <ErrorState error={create.error} /> : null}
        <footer>
          <Button onClick={leave}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={create.isPending}>{t.connections.credentials.create}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Types({ label, types }: { label: string; types: readonly CredentialType[] }) {
  const { t } = useTexts();
  return (
    <optgroup label={label}>
      {types.map((type) => (
        <option key={type} value={type}>{t.connections.credentials.types[type]}</option>
      ))}
    </optgroup>
  );
}
