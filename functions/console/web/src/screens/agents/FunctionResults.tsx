import { type FormEvent, useState } from "react";
import type { AgentAnswer } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { GrowingText } from "../../ui/GrowingText";

interface FunctionResultsProps {
  calls: AgentAnswer["functionCalls"];
  onGive: (results: { id: string; name: string; text: string }[]) => void;
}

/** The functions that the agent calls are executed by its caller: here, by the person. */
export function FunctionResults({ calls, onGive }: FunctionResultsProps) {
  const { t } = useTexts();
  const [texts, setTexts] = useState<Record<string, string>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onGive(calls.map(({ id, name }) => ({ id, name, text: texts[id] ?? "" })));
  };
  return (
    <form className="stack" onSubmit={submit}>
      {calls.map(({ id, name, arguments: given }) => (
        <Field key={id} label={t.agents.resultOf(name)} hint={<code>{JSON.stringify(given)}</code>}>
          {(ids) => <GrowingText {...ids} rows={2} value={texts[id] ?? ""} onChange={(event) => setTexts({ ...texts, [id]: event.target.value })} />}
        </Field>
      ))}
      <footer><Button type="submit" kind="primary">{t.agents.giveResults}</Button></footer>
    </form>
  );
}
