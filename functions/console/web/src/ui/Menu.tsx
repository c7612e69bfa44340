import { type ReactNode, useEffect, useRef } from "react";

interface MenuProps {
  label: string;
  button: ReactNode;
  className?: string;
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
