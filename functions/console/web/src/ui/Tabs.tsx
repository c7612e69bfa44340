import { useEffect, useRef } from "react";
import { Link } from "../router/Link";
import type { Target } from "../router/routes";

interface TabsProps {
  label: string;
  tabs: readonly (Target & { name: string })[];
  current: string;
}

/** The parts of a screen, each with a place of its own. */
export function Tabs({ label, tabs, current }: TabsProps) {
  // On a narrow screen the tabs scroll.
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = line.current?.querySelector<HTMLElement>("[aria-current]");
    if (tab && line.current) line.current.scrollLeft = tab.offsetLeft - line.current.offsetLeft - 40;
  }, [current]);
  return (
    <nav ref={line} className="tabs" aria-label={label}>
      {tabs.map(({ name, ...target }) => (
        <Link key={target.to} {...target} aria-current={current === target.to ? "page" : undefined}>{name}</Link>
      ))}
    </nav>
  );
}
