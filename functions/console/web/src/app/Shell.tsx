import { Suspense, useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { usePlace, useScrollRestoration } from "../router/history";
import { Link } from "../router/Link";
import type { RouteName } from "../router/routes";
import { Skeleton } from "../ui/Loading";
import { ConnectionBanner } from "./ConnectionBanner";
import { Mark } from "./Mark";
import { preloadScreens, Screen } from "./Screen";
import { SessionDialog } from "./SessionDialog";
import { ShortcutsDialog, useShortcuts } from "./shortcuts";
import { UserMenu } from "./UserMenu";

/** The part of the navigation that a screen belongs to. */
const sections: Record<RouteName, "home" | "workflows" | "agents" | "runs" | "analytics"> = {
  home: "home",
  workflows: "workflows",
  workflow: "workflows",
  workflowRuns: "workflows",
  workflowReleases: "workflows",
  workflowMembers: "workflows",
  workflowChannels: "workflows",
  workflowWebhooks: "workflows",
  workflowCredentials: "workflows",
  workflowSchedules: "workflows",
  workflowAssistants: "workflows",
  editor: "workflows",
  run: "runs",
  agents: "agents",
  agent: "agents",
  agentTry: "agents",
  agentCalls: "agents",
  agentAssistants: "agents",
  agentMembers: "agents",
  runs: "runs",
  analytics: "analytics",
};

const PRELOAD_AFTER_MS = 1500;

export function Shell() {
  const { t } = useTexts();
  const place = usePlace();
  const [showsKeys, setShowsKeys] = useState(false);
  const showKeys = () => setShowsKeys(true);
  useShortcuts(showKeys);
  useScrollRestoration(place);
  useEffect(() => {
    const timer = setTimeout(preloadScreens, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const section = place === null ? undefined : sections[place.name];
  // On a narrow screen the navigation scrolls.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [section]);
  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        {t.nav.skip}
      </a>
      <header className="top">
        <div className="top-line">
          <Link to="home" className="brand"><Mark />Atelier</Link>
          <nav ref={nav} className="main-nav" aria-label={t.nav.label}>
            {(["home", "workflows", "agents", "runs", "analytics"] as const).map((to) => (
              <Link key={to} to={to} aria-current={section === to ? "page" : undefined}>{t.nav[to]}</Link>
            ))}
          </nav>
          <div className="top-end">
            <UserMenu onShowKeys={showKeys} />
          </div>
        </div>
      </header>
      <ConnectionBanner />
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Skeleton />}>
          <Screen place={place} />
        </Suspense>
      </main>
      <SessionDialog />
      {showsKeys && <ShortcutsDialog onClose={() => setShowsKeys(false)} />}
    </>
  );
}
