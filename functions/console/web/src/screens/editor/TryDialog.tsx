import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { asApiError } from "../../api/errors";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { useToast } from "../../ui/Toast";
import { type Draft, useDraft } from "./draft";
import { InputField, useInput } from "./InputField";
import { useLastRun, useLastValues } from "./lastValues";
import { type Plan, planPreview, type Scope } from "./model/partial";
import type { NodeType } from "./model/types";
import { tryDraft } from "./queries";
import { useNames } from "./texts";
import { useIsShown } from "./useIsShown";

interface TryDialogProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  scope: Scope;
  onClose: () => void;
}

/** Carries out the draft or a part of it. No run is stored. */
export function TryDialog({ draft, types, scope, onClose }: TryDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const isShown = useIsShown();
  const graph = useDraft(draft, (state) => state.graph);
  const pins = useDraft(draft, (state) => state.pins);
  const needsValues = scope.kind === "from";
  const { outputs } = useLastValues(draft, needsValues);
  const { isPending } = useLastRun(draft.id, needsValues);
  const input = useInput(draft);
  const plan = useMemo(() => planPreview(graph, types, scope, pins, outputs), [graph, types, scope, pins, outputs]);
  const isInputPinned = graph.nodes.some(({ id, type }) => types.get(type)?.category === "trigger" && plan.pinned.has(id));
  const attempt = useMutation({
    mutationFn: async () => {
      await draft.store();
      const value = isInputPinned ? undefined : input.read?.value;
      const { data } = await tryDraft(draft.id, value, plan);
      return { at: new Date().toISOString(), input: value, result: data };
    },
    // The person may have closed the dialog meanwhile.
    onSuccess: (tried) => draft.setTried(tried),
    onError: (error) => isShown.current || toast(asApiError(error).message),
  });
  const texts = { whole: [t.editor.tryDraft, t.editor.tryText], until: [t.preview.until, t.preview.untilText], from: [t.preview.from, t.preview.fromText] };
  const [title = "", text] = texts[scope.kind];
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="muted">{text}</p>
      <PlanText draft={draft} plan={plan} />
      {!isInputPinned && <InputField input={input} />}
      {attempt.error && <ErrorState error={attempt.error} />}
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button
          kind="primary"
          busy={attempt.isPending}
          disabled={isPending || (!isInputPinned && input.read === null)}
          onClick={() => attempt.mutate(undefined, { onSuccess: onClose })}
        >
          {attempt.isPending ? t.editor.working : title}
        </Button>
      </footer>
    </Dialog>
  );
}

const SHOWN = 12;

/** Which nodes are not carried out, and which are although they come before the first one. */
function PlanText({ draft, plan }: { draft: Draft; plan: Plan }) {
  const { t, format } = useTexts();
  const names = useNames();
  const pins = useDraft(draft, (state) => state.pins);
  const nodes = useDraft(draft, (state) => state.graph).nodes;
  const list = (isListed: (id: string) => boolean) => {
    const listed = nodes.filter(({ id }) => isListed(id)).map(names.node);
    return listed.length <= SHOWN ? listed : [...listed.slice(0, SHOWN - 1), t.preview.others(listed.length - SHOWN + 1)];
  };
  const pinned = list((id) => plan.pinned.has(id) && pins.has(id));
  const last = list((id) => plan.pinned.has(id) && !pins.has(id));
  const missing = list((id) => plan.missing.includes(id));
  return (
    <>
      {pinned.length > 0 && <p>{t.preview.keeps(format.list(pinned))}</p>}
      {last.length > 0 && <p>{t.preview.keepsLast(format.list(last))}</p>}
      {missing.length > 0 && <p className="warning-line">{t.preview.missing(format.list(missing))}</p>}
      {!plan.isReached && <p className="warning-line">{t.preview.notReached}</p>}
    </>
  );
}
