import { type ReactNode, useEffect, useState } from "react";

/** Fields that few nodes need. It is open if one is used, and stays open while the last one is written anew. */
export function Folded({ title, isUsed, children }: { title: string; isUsed: boolean; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(isUsed);
  useEffect(() => setIsOpen((isOpen) => isOpen || isUsed), [isUsed]);
  return (
    <details className="rare" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
