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
  const close = () => ref.current?.removeAttribute("open");
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
        close();
        ref.current.querySelector("summary")?.focus();
      }}
    >
      <summary aria-label={label} title={label}>{button}</summary>
      <div className="menu-body">{children(close)}</div>
    </details>
  );
}
