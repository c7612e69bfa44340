import { useId, useMemo, useRef, useState } from "react";
import { useTexts } from "../../../i18n";
import { shortMessage, useForm } from "../form/context";
import { useNames } from "../texts";
import { useScope } from "./context";
import { useEvaluation } from "./evaluate";
import "./expression.css";
import { Highlight } from "./Highlight";
import { findNeeds } from "./needs";
import { Result } from "./Result";
import { Suggestions } from "./Suggestions";
import type { ExpressionLanguage } from "./tokens";
import { useCompletion } from "./useCompletion";

interface ExpressionFieldProps {
  /** The attributes of the text area, such as its id and its label. */
  attributes: Record<string, string | boolean | undefined> & { "data-field": string };
  language: ExpressionLanguage;
  value: string;
  onChange: (value: string) => void;
}

/**
 * A text area for an expression or a template: with colors, with a list of what can be written, and with its result.
 *
 * It is the browser's own text area, and no editor of a library: input methods, undo, touch and screen readers work as
 * everywhere, and the page's security policy needs no exception for styles.
 */
export function ExpressionField({ attributes, language, value, onChange }: ExpressionFieldProps) {
  const { t } = useTexts();
  const { canEdit, node, problems } = useForm();
  const names = useNames();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  // The result stays after the field is left: what is below must not move.
  const [isUsed, setIsUsed] = useState(false);
  const scope = useScope(attributes["data-field"]);
  const needs = useMemo(
    () => (isUsed && isComputed(value, language) ? findNeeds(value, language, scope) : null),
    [isUsed, value, language, scope],
  );
  const canEvaluate = needs !== null && (scope.source !== null || !needs.usesVariables);
  const list = useCompletion(field, language, scope, (id) => {
    const before = scope.nodes.get(id)?.node;
    return before === undefined ? id : names.node(before);
  });
  const isOpen = list.entries.length > 0;
  const evaluation = useEvaluation(value, language, canEvaluate ? needs : null, list.isBegun);
  const known = problems
    .filter((problem) => problem.nodeId === node.id && problem.field === attributes["data-field"])
    .map(shortMessage);
  return (
    <div className="expression">
      <div className="expression-box" aria-disabled={!canEdit || undefined}>
        <div className="expression-text">
          <Highlight text={value} language={language} layer={layer} />
          <textarea
            {...attributes}
            ref={field}
            rows={1}
            className="mono"
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={isOpen ? `${id}-list` : undefined}
            aria-activedescendant={isOpen ? `${id}-list-${list.active}` : undefined}
            aria-describedby={[attributes["aria-describedby"], `${id}-result`].filter(Boolean).join(" ")}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            autoComplete="off"
            translate="no"
            disabled={!canEdit}
            value={value}
            onChange={(event) => {
              onChange(event.target.value);
              list.onInput();
            }}
            onFocus={() => setIsUsed(true)}
            onBlur={list.close}
            onSelect={list.onSelect}
            onKeyDown={list.onKeyDown}
          />
        </div>
      </div>
      {isOpen && <Suggestions id={`${id}-list`} list={list} layer={layer} />}
      <div id={`${id}-result`} role="status" className="expression-status">
        {needs !== null ? (
          <Result evaluation={evaluation} expression={value} needs={needs} source={scope.source} known={known} />
        ) : (
          isUsed && value === "" && (
            <button
              type="button"
              className="node-link expression-open"
              tabIndex={-1}
              onPointerDown={(event) => {
                // The focus stays in the text.
                event.preventDefault();
                field.current?.focus();
                list.open();
              }}
            >
              {t.expression.hint}
            </button>
          )
        )}
      </div>
    </div>
  );
}

/** Whether there is something to evaluate. A template without placeholders is its own result. */
const isComputed = (text: string, language: ExpressionLanguage) => (language === "jinja" ? /\{[{%]/.test(text) : text.trim() !== "");
