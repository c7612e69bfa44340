import { type ReactNode, useId } from "react";
import { WithCode } from "./WithCode";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** Why the value is wrong. */
  problem?: string | undefined;
  inline?: boolean;
  children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}

/** A labelled control. */
export function Field({ label, hint, problem, inline = false, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className={inline ? "field inline" : "field"}>
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(described && { "aria-describedby": described }), ...(problem && { "aria-invalid": true }) })}
      {problem && <p id={`${id}-problem`} className="field-problem"><WithCode text={problem} /></p>}
      {hint && <p id={`${id}-hint`} className="hint">{hint}</p>}
    </div>
  );
}
