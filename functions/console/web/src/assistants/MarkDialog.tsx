import { type FormEvent, useState } from "react";
import { useTexts } from "../i18n";
import type { Kind } from "../sharing/queries";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorState } from "../ui/ErrorState";
import { Field } from "../ui/Field";
import { GrowingText } from "../ui/GrowingText";
import { useToast } from "../ui/Toast";
import { useWhenDone } from "../ui/useWhenDone";
import type { Subject } from "./Assistants";
import { NAME_PATTERN, suggestName } from "./name";
import { useMark } from "./queries";

/** Asks how assistants see a workflow or an agent, and offers it to them. */
export function MarkDialog({ kind, subject, onClose }: { kind: Kind; subject: Subject; onClose: () => void }) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const mark = useMark(kind, subject.id);
  const [name, setName] = useState(() => subject.tool?.name ?? suggestName(subject.name));
  const [description, setDescription] = useState(subject.tool?.description ?? "");
  const action = subject.tool ? t.unsaved.save : t.assistants.offer;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (mark.isPending) return;
    const text = description.trim();
    whenDone(mark.mutateAsync({ name, ...(text && { description: text }) }), () => {
      toast(t.assistants.done.offered(name));
      onClose();
    });
  };
  return (
    <Dialog title={t.assistants.offerTitle(subject.name)} onClose={() => !mark.isPending && onClose()}>
      <form className="stack" onSubmit={submit}>
        <p>{t.assistants.texts[kind].offer}</p>
        <Field label={t.assistants.name} hint={t.assistants.nameHint}>
          {(ids) => (
            <input
              {...ids}
              className="mono"
              required
              maxLength={64}
              pattern={NAME_PATTERN}
              title={t.assistants.nameHint}
              autoComplete="off"
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label={t.assistants.description} hint={t.assistants.texts[kind].descriptionHint}>
          {(ids) => (
            <GrowingText {...ids} rows={3} maxLength={1000} placeholder={subject.description ?? undefined} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        {mark.error ? <ErrorState error={mark.error} /> : null}
        <footer>
          <Button onClick={() => !mark.isPending && onClose()}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={mark.isPending}>{action}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
