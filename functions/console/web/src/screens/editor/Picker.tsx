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

/** The choices that match. If names match, choices whose texts match alone are left out. */
function filterGroups(groups: readonly ChoiceGroup[], search: string): ChoiceGroup[] {
  const matches = matcher(search);
  const matching = (textOf: (choice: Choice) => string) =>
    groups
      .map(({ title, choices }) => ({
        title,
        choices: choices.filter((choice) => matches(textOf(choice))),
      }))
      .filter(({ choices }) => choices.length > 0);
  const named = matching(({ name, key }) => `${name} ${key}`);
  return named.length > 0 ? named : matching(({ name, text, key }) => `${name} ${text} ${key}`);
}

/** A searchable list. The arrow keys choose, Enter picks. */
export function Picker({ label, groups, onPick }: PickerProps) {
  const { t } = useTexts();
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const shown = useMemo(() => filterGroups(groups, search), [groups, search]);
  const flat = shown.flatMap(({ choices }) => choices);
  const current = flat[Math.min(active, flat.length - 1)];
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const optionId = (choice: Choice) => `${id}-${flat.indexOf(choice)}`;
  return (
    <div className="picker">
      <input
        ref={(field) => field?.setAttribute("autofocus", "")}
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
