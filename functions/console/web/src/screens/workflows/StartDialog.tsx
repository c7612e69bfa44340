import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, builder } from "../../api/client";
import type { Workflow } from "../../api/types";
import { useWorkflow } from "../../api/workflow";
import { randomKey } from "../../api/random";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";

/** Starts a run by hand, with an input that the person can change. */
export function StartDialog({ workflow, onClose }: { workflow: Pick<Workflow, "id" | "name">; onClose: () => void }) {
  const { t } = useTexts();
  const query = useWorkflow(workflow.id);
  return (
    <Dialog title={t.start.title(workflow.name)} onClose={onClose}>
      <Loaded query={query}>
        {({ graph }) => {
          const entry = graph.nodes?.find((node) => node.type === "input");
          return <Form id={workflow.id} example={entry?.config?.["example"] ?? {}} onClose={onClose} />;
        }}
      </Loaded>
    </Dialog>
  );
}

function Form({ id, example, onClose }: { id: string; example: unknown; onClose: () => void }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(example, null, 2));
  const [isInvalid, setIsInvalid] = useState(false);
  // One key for as long as the input stays the same: a second click starts no second run.
  const [key, setKey] = useState(() => randomKey());
  const start = useMutation({
    mutationFn: (input: unknown) =>
      answer(
        builder.POST("/builder/v1/workflows/{id}/runs", {
          params: { path: { id } },
          body: { input, idempotencyKey: key },
        }),
      ),
    onSuccess: ({ data }) => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      navigate({ to: "run", params: { workflowId: data.workflowId, runId: data.id } });
    },
  });
  const submit = () => {
    let input: unknown;
    try {
      input = JSON.parse(text);
    } catch {
      return setIsInvalid(true);
    }
    setIsInvalid(false);
    start.mutate(input);
  };
  return (
    <>
      <Field label={t.start.input} hint={t.start.hint}>
        {(ids) => (
          <textarea
            {...ids}
            className="mono"
            rows={Math.min(16, Math.max(5, text.split("\n").length))}
            spellCheck={false}
            value={text}
            aria-invalid={isInvalid || undefined}
            onChange={(event) => {
              setText(event.target.value);
              setKey(randomKey());
            }}
          />
        )}
      </Field>
      {isInvalid && <p className="problem" role="alert">{t.review.notJson(t.start.input)}</p>}
      {start.error && <ErrorState error={start.error} />}
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button kind="primary" busy={start.isPending} onClick={submit}>{t.start.action}</Button>
      </footer>
    </>
  );
}
