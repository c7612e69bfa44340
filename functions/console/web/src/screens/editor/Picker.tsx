import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useTexts } from "../../i18n";
import { matcher } from "../../lists/search";
import { Glyph } from "./Glyph";
import type { Category } from "./model/types";
import { WithCode } from "../../ui/WithCode";

export interface Choice {
  key: string;
  name: string;
  text: string;
  category: Category | undefined;
  /** Only a search shows it. */
  isDeep?: boolean;
}

export interface ChoiceGroup {
  title: string;
  choices: Choice[];
}

interface PickerProps {
  label: string;
  groups: readonly ChoiceGroup[];
  onPick: (key: string) => void;
}

/**
 * The choices that match. Those whose names match come first, so that Enter picks one of them. The others, whose texts or
 * groups match, follow under a title of their own.
 */
export function filterGroups(groups: readonly ChoiceGroup[], search: string, others: string): ChoiceGroup[] {
  const keep = (isKept: (choice: Choice, title: string) => boolean) =>
    groups
      .map(({ title, choices }) => ({ title, choices: choices.filter((choice) => isKept(choice, title)) }))
      .filter(({ choices }) => choices.length > 0);
  if (search.trim() === "") return keep(({ isDeep }) => isDeep !== true);
  const matches = matcher(search);
  const isNamed = ({ name, key }: Choice) => matches(`${name} ${key}`);
  const named = keep(isNamed);
  const described = keep((choice, title) => !isNamed(choice) && matches(`${choice.name} ${choice.text} ${choice.key} ${title}`));
  if (named.length === 0 || described.length === 0) return [...named, ...described];
  return [...named, { title: others, choices: described.flatMap(({ choices }) => choices) }];
}

/** A searchable list. The arrow keys choose, Enter picks. */
export function Picker({ label, groups, onPick }: PickerProps) {
  const { t } = useTexts();
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const shown = useMemo(() => filterGroups(groups, search, t.editor.otherMatches), [groups, search, t]);
  const flat = shown.flatMap(({ choices }) => choices);
  const current = flat[Math.min(active, flat.length - 1)];
  // One that replaces another in an open dialog.
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const optionId = (choice: Choice) => `${id}-${flat.indexOf(choice)}`;
  return (
    <div className="picker">
      <input
        ref={(element) => {
          field.current = element;
          element?.setAttribute("autofocus", "");
        }}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={current && optionId(current)}
        placeholder={t.search}
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (move !== undefined && flat.length > 0) {
            event.preventDefault();
            setActive((Math.min(active, flat.length - 1) + move + flat.length) % flat.length);
          } else if (event.key === "Enter" && current !== undefined) {
            event.preventDefault();
            onPick(current.key);
          }
        }}
      />
      {flat.length === 0 && <p className="muted" role="status">{t.editor.noMatch}</p>}
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className="choices" hidden={flat.length === 0}>
        {shown.map(({ title, choices }) => (
          <div key={title} role="group" aria-label={title}>
            <p className="group-title" aria-hidden="true">{title}</p>
            {choices.map((choice) => (
              <div
                key={choice.key}
                id={optionId(choice)}
                role="option"
                aria-selected={choice === current}
                className="choice"
                onPointerMove={() => setActive(flat.indexOf(choice))}
                onClick={() => onPick(choice.key)}
              >
                <Glyph category={choice.category} />
                <span className="choice-name">{choice.name}</span>
                <span className="choice-text"><WithCode text={choice.text} /></span>
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
