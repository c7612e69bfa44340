import type { TextareaHTMLAttributes } from "react";

/** A text of several lines that grows with what is written. */
export function GrowingText({ rows = 2, value, className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement> & { value: string }) {
  return (
    <textarea
      {...rest}
      value={value}
      style={{ minHeight: `${rows * 1.45 + 1}em` }}
      // Browsers without `field-sizing` count the lines only.
      rows={Math.min(24, Math.max(rows, value.split("\n").length))}
      className={className ? `growing ${className}` : "growing"}
    />
  );
}
