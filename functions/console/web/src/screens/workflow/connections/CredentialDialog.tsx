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
import { WithCode } from "../../../ui/WithCode";
import { providers } from "./providers";
import { useCreateCredential } from "./credentialQueries";

const httpTypes = ["bearer", "basic", "header", "query", "path", "oauth2_client_credentials", "oauth2_authorization_code"] as const satisfies readonly CredentialType[];

/** A type of credential that a service takes, and what is known of its fields. */
export interface CredentialPreset {
  type: CredentialType;
  values: Readonly<Record<string, string>>;
  /** Where the service has the key, or what to set up there. */
  about: string;
}

interface CredentialDialogProps {
  workflowId: string;
  /** Offers only these types. */
  presets?: readonly CredentialPreset[];
  /** The name, until the person writes another one. */
  suggestedName?: string;
  /** Offers the accounts of messaging services only. */
  only?: "messages";
  onCreated: (credential: Credential) => void;
  onClose: () => void;
}

/** Creates a credential, with the fields of its type. */
export function CredentialDialog({ workflowId, presets = [], suggestedName = "", only, onCreated, onClose }: CredentialDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const create = useCreateCredential(workflowId);
  const [name, setName] = useState(suggestedName);
  const [type, setType] = useState<CredentialType>(presets[0]?.type ?? (only === "messages" ? "slack" : "bearer"));
  const presetOf = (type: CredentialType) => presets.find((preset) => preset.type === type);
  const [values, setValues] = useState<Record<string, string>>({ ...presetOf(type)?.values });
  const preset = presetOf(type);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const body = { name: name.trim(), type, ...filledFields(type, withoutClient(values, preset)) } as NewCredential;
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
                const type = event.target.value as CredentialType;
                setType(type);
                setValues({ ...presetOf(type)?.values });
              }}
            >
              {presets.length > 0 ? (
                <Types label={t.connections.credentials.forHttp} types={presets.map(({ type }) => type)} />
              ) : (
                <>
                  {only === undefined && <Types label={t.connections.credentials.forHttp} types={httpTypes} />}
                  <Types label={t.connections.credentials.forMessages} types={providers} />
                </>
              )}
            </select>
          )}
        </Field>
        {preset !== undefined && <p className="muted"><WithCode text={preset.about} /></p>}
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

/** A service whose client the operator has configured has its own URLs. Those that were filled in are not sent, too. */
function withoutClient(values: Record<string, string>, preset: CredentialPreset | undefined): Record<string, string> {
  if (preset === undefined || !values["service"]) return values;
  const isFilledIn = (name: string) => name.endsWith("Url") && values[name] === preset.values[name];
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isFilledIn(name)));
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
