import { useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { type Draft, useDraft } from "./draft";
import { shortMessage } from "./form/context";
import type { Problem } from "./model/types";
import { useNames } from "./texts";
import { WithCode } from "../../ui/WithCode";

const PAGE = 60;

interface ProblemsProps {
  draft: Draft;
  onShow: (problem: Problem) => void;
}

/** All problems of the draft. A click leads to the node and its field. */
export function Problems({ draft, onShow }: ProblemsProps) {
  const { t } = useTexts();
  const names = useNames();
  const problems = useDraft(draft, (state) => state.problems);
  const graph = useDraft(draft, (state) => state.graph);
  const [shown, setShown] = useState(PAGE);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  return (
    <section className="draft-problems" aria-labelledby="problems-title">
      <h2 id="problems-title" tabIndex={-1}>{t.editor.problems}</h2>
      {problems.length === 0 && <p className="muted">{t.editor.noProblems}</p>}
      <ul>
        {problems.slice(0, shown).map((problem) => {
          const node = problem.nodeId === null ? undefined : byId.get(problem.nodeId);
          const mark = problem.severity === "error" ? "✕" : "!";
          const text = (
            <>
              <span className="problem-mark" data-severity={problem.severity} role="img" aria-label={t.editor.severity[problem.severity]}>{mark}</span>
              <span>
                {node !== undefined && <strong>{names.node(node)} </strong>}
                {problem.field !== null && <code>{problem.field.replace(/^config\./, "")} </code>}
                <WithCode text={shortMessage(problem)} />
              </span>
            </>
          );
          return (
            <li key={`${problem.nodeId} ${problem.field} ${problem.code} ${problem.message}`}>
              {node === undefined ? <p>{text}</p> : <button type="button" onClick={() => onShow(problem)}>{text}</button>}
            </li>
          );
        })}
      </ul>
      {problems.length > shown && <Button onClick={() => setShown(shown + PAGE)}>{t.more}</Button>}
    </section>
  );
}
