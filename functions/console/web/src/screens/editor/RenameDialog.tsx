import { useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";

export function RenameDialog({ name, onRename, onClose }: { name: string; onRename: (name: string) => void; onClose: () => void }) {
  const { t } = useTexts();
  const [text, setText] = useState(name);
  const trimmed = text.trim();
  return (
    <Dialog title={t.editor.rename} onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (trimmed === "") return;
          onRename(trimmed);
          onClose();
        }}
      >
        <Field label={t.editor.name}>
          {(ids) => (
            <input {...ids} ref={(field) => field?.setAttribute("autofocus", "")} type="text" required maxLength={200} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
        <footer>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit">{t.editor.rename}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
