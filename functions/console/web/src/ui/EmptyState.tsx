import type { ReactNode } from "react";

/** Nothing is here. The text says what to do first. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty-state">
      <p className="title">{title}</p>
      {children}
    </div>
  );
}
