// What the sources expect of a browser, as far as the tests need it. It must be imported first.
const target = { addEventListener() {}, removeEventListener() {} };

class Storage {
  values = new Map();
  room = Number.POSITIVE_INFINITY;
  get length() { return this.values.size; }
  key(index) { return [...this.values.keys()][index] ?? null; }
  getItem(key) { return this.values.get(key) ?? null; }
  removeItem(key) { this.values.delete(key); }
  setItem(key, value) {
    const others = [...this.values].filter(([other]) => other !== key).reduce((sum, [, text]) => sum + text.length, 0);
    if (others + value.length > this.room) throw new Error("QuotaExceededError");
    this.values.set(key, String(value));
  }
  clear() {
    this.values.clear();
    this.room = Number.POSITIVE_INFINITY;
  }
}

const values = {
  window: { ...target, matchMedia: () => ({ matches: false, ...target }) },
  document: { ...target, documentElement: {} },
  // The address of the APIs is what is before `/console`.
  location: { pathname: "http://console.test/console" },
  navigator: { languages: ["en"] },
  localStorage: new Storage(),
  sessionStorage: new Storage(),
};
// Newer versions of Node have some of them, which cannot be assigned.
for (const [name, value] of Object.entries(values)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
