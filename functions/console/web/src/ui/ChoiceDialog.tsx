import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ErrorState } from "./ErrorState";
import { Pages } from "./Pages";
import { SearchField } from "./SearchField";

export interface Choice {
  id: string;
  name: string;
  /** What tells it from others of the same name. */
  note?: string | undefined;
  disabled?: boolean;
}

interface ChoiceDialogProps {
  title: string;
  text?: string;
  /** What is chosen, such as a person. */
  label: string;
  action: string;
  useChoices: (search: string) => UseInfiniteQueryResult<InfiniteData<{ data: Choice[]; meta: { total?: number; nextCursor?: string | null } }>>;
  excluded: readonly string[];
  /** Why some cannot be chosen. */
  disabledText?: string;
  /** What is shown if nothing can be chosen. */
  empty: string;
  /** A sentence about the choice that must be confirmed. */
  confirm?: (choice: Choice) => string;
  busy?: boolean;
  error?: unknown;
  children?: ReactNode;
  onChoose: (choice: Choice) => void;
  onClose: () => void;
}

/** Chooses one of any number of things: it searches, and shows more. */
export function ChoiceDialog(props: ChoiceDialogProps) {
  const { title, text, label, action, useChoices, excluded, disabledText, empty, confirm, busy = false, error, children, onChoose, onClose } = props;
  const { t } = useTexts();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [confirmed, setConfirmed] = useState(false);
  const choices = useChoices(search);
  const isReady = chosen !== null && (confirm === undefined || confirmed);
  const nothing = <p className="muted">{search ? t.choose.none : empty}</p>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !busy) onChoose(chosen);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {text && <p>{text}</p>}
        <SearchField value={search} onSearch={setSearch} />
        <div className="choice-list">
          <Pages query={choices} lines={3} empty={nothing}>
            {(all) => {
              const shown = all.filter(({ id }) => !excluded.includes(id));
              if (shown.length === 0) return nothing;
              return (
                <fieldset>
                  <legend className="sr-only">{label}</legend>
                  {shown.map((choice) => (
                    <label key={choice.id} className="check">
                      <input
                        type="radio"
                        name="choice"
                        checked={chosen?.id === choice.id}
                        disabled={choice.disabled}
                        onChange={() => {
                          setChosen(choice);
                          setConfirmed(false);
                        }}
                      />
                      <span>
                        {choice.name}
                        {choice.note && <span className="muted"> {choice.note}</span>}
                        {choice.disabled && <span className="muted"> ({disabledText})</span>}
                      </span>
                    </label>
                  ))}
                </fieldset>
              );
            }}
          </Pages>
        </div>
        {children}
        {chosen !== null && confirm !== undefined && (
          <label className="check">
            <input type="checkbox" checked={confirmed} onChange={(event) => setConfirmed(event.target.checked)} />
            {confirm(chosen)}
          </label>
        )}
        {error ? <ErrorState error={error} /> : null}
        <footer>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind={confirm === undefined ? "primary" : "danger"} disabled={!isReady} busy={busy}>{action}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
