import { type FormEvent, useState } from "react";
import type { ToolCredential } from "../../api/types";
import { CredentialFields } from "../../credentials/CredentialFields";
import { filledFields } from "../../credentials/fields";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import type { CalledTool } from "./edits";
import { useSetCredential } from "./queries";

/** Stores the credential of a tool. Nobody can read it afterwards. */
export function CredentialDialog({ agent, tool, onClose }: { agent: string; tool: CalledTool; onClose: () => void }) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const store = useSetCredential(agent);
  const [values, setValues] = useState<Record<string, string>>({});
  const type = tool.auth as ToolCredential["type"];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (store.isPending) return;
    const body = { type, ...filledFields(type, values) } as ToolCredential;
    whenDone(store.mutateAsync({ tool: tool.name, body }), () => {
      toast(t.agents.credentialDone(tool.name));
      onClose();
    });
  };
  // What was written is a secret that the person may not have elsewhere.
  const leave = () => !store.isPending && onClose();
  return (
    <Dialog title={t.agents.credentialTitle(tool.name)} onClose={leave}>
      <form className="stack" onSubmit={submit} autoComplete="off">
        <p>{t.agents.credentialText}</p>
        <CredentialFields type={type} values={values} onChange={setValues} />
        {store.error && <ErrorState error={store.error} />}
        <footer>
          <Button onClick={leave}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={store.isPending}>{t.agents.storeCredential}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
