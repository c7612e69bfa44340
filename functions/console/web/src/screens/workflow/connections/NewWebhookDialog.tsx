import { type FormEvent, useState } from "react";
import type { Webhook } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { Dialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { Field } from "../../../ui/Field";
import { Select } from "../../../ui/Select";
import { useWhenDone } from "../../../ui/useWhenDone";
import { useCreateWebhook } from "./queries";

interface NewWebhookDialogProps {
  workflowId: string;
  onCreated: (webhook: Webhook) => void;
  onClose: () => void;
}

export function NewWebhookDialog({ workflowId, onCreated, onClose }: NewWebhookDialogProps) {
  const { t } = useTexts();
  const create = useCreateWebhook(workflowId);
  const whenDone = useWhenDone();
  const [name, setName] = useState("Webhook");
  const [mode, setMode] = useState<Webhook["mode"]>("sync");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending || name.trim() === "") return;
    whenDone(create.mutateAsync({ name: name.trim(), mode }), ({ data }) => onCreated(data));
  };
  // The token is shown only once.
  const leave = () => !create.isPending && onClose();
  return (
    <Dialog title={t.workflow.newWebhook} onClose={leave}>
      <form className="stack" onSubmit={submit}>
        <Field label={t.workflows.name}>
          {(ids) => <input {...ids} required maxLength={200} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Select
          label={t.workflow.answers}
          value={mode}
          options={[["sync", t.workflow.modes.sync], ["async", t.workflow.modes.async]]}
          onChange={setMode}
        />
        <p className="muted">{t.workflow.modeTexts[mode]}</p>
        {create.error ? <ErrorState error={create.error} /> : null}
        <footer>
          <Button onClick={leave}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={create.isPending}>{t.workflow.create}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
