import { type ReactNode, useId } from "react";

interface FieldProps {
  label: string;
  hint?: string | undefined;
  inline?: boolean;
  children: (ids: { id: string; "aria-describedby"?: string }) => ReactNode;
}

/** A labelled control. */
export function Field({ label, hint, inline = false, children }: FieldProps) {
  const id = useId();
  return (
    <div className={inline ? "field inline" : "field"}>
      <label htmlFor={id}>{label}</label>
      {children(hint ? { id, "aria-describedby": `${id}-hint` } : { id })}
      {hint && <p id={`${id}-hint`} className="hint">{hint}</p>}
    </div>
  );
}
