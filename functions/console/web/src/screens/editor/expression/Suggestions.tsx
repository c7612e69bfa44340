import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useTexts } from "../../../i18n";
import { keyOf } from "./complete";
import { caretBox } from "./Highlight";
import type { CompletionList } from "./useCompletion";

interface SuggestionsProps {
  id: string;
  list: CompletionList;
  layer: RefObject<HTMLDivElement | null>;
}

const WIDTH = 440;
const HEIGHT = 300;
const MARGIN = 8;

/** Shows a list below the caret, or above it where more space is. */
function placeBelow(list: HTMLElement, caret: DOMRect) {
  if (!list.matches(":popover-open")) list.showPopover();
  const width = Math.min(WIDTH, innerWidth - 2 * MARGIN);
  const below = innerHeight - caret.bottom - 2 * MARGIN;
  const isBelow = below > Math.min(HEIGHT, list.scrollHeight) || below > caret.top;
  list.style.width = `${width}px`;
  list.style.left = `${Math.max(MARGIN, Math.min(caret.left, innerWidth - width - MARGIN))}px`;
  list.style.maxHeight = `${Math.min(HEIGHT, isBelow ? below : caret.top - 2 * MARGIN)}px`;
  list.style.top = isBelow ? `${caret.bottom + 4}px` : "auto";
  list.style.bottom = isBelow ? "auto" : `${innerHeight - caret.top + 4}px`;
}

/** The list at the caret. The focus stays in the text area. */
export function Suggestions({ id, list, layer }: SuggestionsProps) {
  const { t } = useTexts();
  const { entries, active, setActive, accept } = list;
  const box = useRef<HTMLDivElement>(null);
  const from = entries[0]?.from ?? 0;
  // The text may have grown, or may have been scrolled.
  const place = () => {
    if (box.current !== null && layer.current !== null) placeBelow(box.current, caretBox(layer.current, from));
  };
  useLayoutEffect(place);
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, entries.length]);
  useEffect(() => {
    const handle = (event: Event) => event.target !== box.current && place();
    addEventListener("scroll", handle, true);
    addEventListener("resize", handle);
    return () => {
      removeEventListener("scroll", handle, true);
      removeEventListener("resize", handle);
    };
  });
  const about: Record<string, string> = t.expression.about;
  return (
    <div ref={box} id={id} popover="manual" role="listbox" aria-label={t.expression.list} className="suggestions">
      {entries.map((entry, index) => (
        <div
          key={keyOf(entry)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          className="suggestion"
          data-kind={entry.kind}
          onPointerMove={() => index !== active && setActive(index)}
          // A click must not take the focus from the text.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(entry)}
        >
          <span className="suggestion-name" translate="no">{entry.label}<span className="muted">{entry.signature}</span></span>
          {entry.type !== null && <span className="suggestion-type">{t.expression.types[entry.type]}</span>}
          {entry.value !== null && <code className="suggestion-value">{entry.value}</code>}
          {(entry.node ?? entry.about) !== null && (
            <span className="suggestion-about">{entry.node ?? about[entry.about ?? ""]}</span>
          )}
        </div>
      ))}
    </div>
  );
}
