export type Language = "en" | "es";

const STORED = "console.language";

function initial(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === "en" || stored === "es") return stored;
  for (const tag of navigator.languages) {
    const [language] = tag.toLowerCase().split("-");
    if (language === "en" || language === "es") return language;
  }
  return "en";
}

let language = initial();
document.documentElement.lang = language;

export function currentLanguage(): Language {
  return language;
}

export function storeLanguage(chosen: Language) {
  language = chosen;
  localStorage.setItem(STORED, chosen);
  document.documentElement.lang = chosen;
}
