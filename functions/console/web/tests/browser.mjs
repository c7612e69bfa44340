// What the modules below expect of a browser.
const kept = new Map();
globalThis.localStorage ??= { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
globalThis.document ??= { documentElement: {} };
globalThis.navigator ??= { languages: ["en"] };
