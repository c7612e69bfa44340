import { type ReactNode, useEffect, useRef } from "react";

interface MenuProps {
  label: string;
  button: ReactNode;
  className?: string | undefined;
  children: (close: () => void) => ReactNode;
}

/** A disclosure with actions or settings. It closes with Escape, with a click elsewhere, and when the focus leaves it. */
export function Menu({ label, button, className, children }: MenuProps) {
  const ref = useRef<HTMLDetailsElement>(null);
  const close = () => {
    const menu = ref.current;
    // The focus must not stay in what is hidden: a dialog gives it back to where it was.
    if (menu?.open && menu.contains(document.activeElement)) menu.querySelector("summary")?.focus();
    menu?.removeAttribute("open");
  };
  useEffect(() => {
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) close();
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, []);
  return (
    <details
      ref={ref}
      className={className ? `menu ${className}` : "menu"}
      onBlur={(event) => {
        if (event.relatedTarget instanceof Node && !event.currentTarget.contains(event.relatedTarget)) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !ref.current?.open) return;
        event.stopPropagation();
        event.preventDefault();
        close();
      }}
    >
      <summary aria-label={label} title={label}>{button}</summary>
      <div className="menu-body">{children(close)}</div>
    </details>
  );
}

export interface Action {
  name: string;
  danger?: boolean;
  act: () => void;
}

interface ActionMenuProps {
  label: string;
  /** With a frame, among buttons. Without, at the end of a row. */
  framed?: boolean;
  actions: readonly (Action | false)[];
}

/** What can be done with a thing. Actions that are not possible are left out. */
export function ActionMenu({ label, framed = false, actions }: ActionMenuProps) {
  return (
    <Menu label={label} button={<Dots across={framed} />} className={framed ? "framed" : undefined}>
      {(close) =>
        actions.map(
          (action) =>
            action && (
              <button
                key={action.name}
                type="button"
                className={action.danger ? "danger" : undefined}
                onClick={() => {
                  close();
                  action.act();
                }}
              >
                {action.name}
              </button>
            ),
        )
      }
    </Menu>
  );
}

function Dots({ across }: { across: boolean }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      {[3, 8, 13].map((place) => <circle key={place} cx={across ? place : 8} cy={across ? 8 : place} r="0.8" />)}
    </svg>
  );
}
