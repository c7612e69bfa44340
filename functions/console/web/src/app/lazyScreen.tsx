import { type ComponentType, use, useState } from "react";
import { isReachable, reportConnection } from "../api/connection";
import { OwnError } from "../api/errors";
import { prefix } from "../api/place";

type Module<P> = Promise<{ default: ComponentType<P> }>;

/** What makes the screens that could not be loaded ready for another attempt. */
const resets = new Set<() => void>();

/** A screen in a file of its own. Unlike `lazy` of React, it is loaded again after `retryScreens`. */
export function lazyScreen<P extends object>(load: () => Module<P>) {
  let found: ComponentType<P> | undefined;
  let loading: Module<P> | undefined;
  let isRepeated = false;
  const start = () => {
    loading ??= load().then(
      (module) => {
        found = module.default;
        return module;
      },
      (error) => fail(error, isRepeated),
    );
    return loading;
  };
  const reset = () => {
    loading = undefined;
    isRepeated = true;
  };
  function Screen(props: P) {
    // One that was loaded before is shown at once.
    const [Found] = useState(() => found);
    return Found === undefined ? <Loading {...props} /> : <Found {...props} />;
  }
  function Loading(props: P) {
    const Found = use(start()).default;
    return <Found {...props} />;
  }
  /** Loads it before it is shown. A failure shows only if it fails again then. */
  const preload = () => void start().catch(() => {
    loading = undefined;
  });
  resets.add(() => found === undefined && reset());
  return Object.assign(Screen, { preload });
}

/**
 * A browser may remember that a file could not be loaded, and after a release of the platform the files no longer fit
 * together. So the second attempt that fails loads the whole page again, which keeps its address.
 */
async function fail(error: unknown, isRepeated: boolean): Promise<never> {
  const isBack = await isReachable();
  if (!isBack) reportConnection(true);
  if (isBack && isRepeated) return reload();
  throw new OwnError("screen_not_loaded", error);
}

/** Prepares another attempt, or loads the page again if the platform has another build of the console. */
export async function retryScreens(): Promise<void> {
  if (await isOutdated()) await reload();
  for (const reset of resets) reset();
}

function reload(): Promise<never> {
  location.reload();
  return new Promise(() => {});
}

const buildIn = (page: Document) => page.querySelector<HTMLMetaElement>("meta[name=build]")?.content;

async function isOutdated(): Promise<boolean> {
  try {
    const response = await fetch(`${prefix}/console`, { cache: "no-cache" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return response.ok && buildIn(page) !== buildIn(document);
  } catch {
    return false;
  }
}
