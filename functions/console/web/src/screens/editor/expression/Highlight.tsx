import { memo, type RefObject } from "react";
import { type ExpressionLanguage, tokenize } from "./tokens";

/** Longer texts are shown without colors, so that each letter is drawn at once. */
const MOST = 20_000;

/** The colored text behind a text area. It has the same text, letter by letter, so that it also gives the field its height. */
export const Highlight = memo(function Highlight({ text, language, layer }: { text: string; language: ExpressionLanguage; layer: RefObject<HTMLDivElement | null> }) {
  const parts = [];
  let at = 0;
  for (const { kind, start, end } of text.length > MOST ? [] : tokenize(text, language)) {
    if (start > at) parts.push(text.slice(at, start));
    parts.push(<span key={start} className={`token-${kind}`}>{text.slice(start, end)}</span>);
    at = end;
  }
  // A last line break needs something after it, or it has no line.
  return <div ref={layer} className="expression-layer" aria-hidden="true">{parts}{text.slice(at)}{"\u200b"}</div>;
});

/** The box of the caret, as the layer draws the text. */
export function caretBox(layer: HTMLElement, caret: number): DOMRect {
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  let left = caret;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { length } = node.textContent ?? "";
    if (left <= length) {
      const range = document.createRange();
      range.setStart(node, left);
      range.collapse(true);
      return range.getClientRects()[0] ?? range.getBoundingClientRect();
    }
    left -= length;
  }
  return layer.getBoundingClientRect();
}
