import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { dictionaries, type Dictionary } from "./dictionaries";
import { createFormat, type Format } from "./format";
import { currentLanguage, type Language, storeLanguage } from "./language";

export type { Dictionary } from "./dictionaries";
export type { Language } from "./language";

interface Texts {
  language: Language;
  t: Dictionary;
  format: Format;
  setLanguage: (language: Language) => void;
}

const Context = createContext<Texts | null>(null);

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(currentLanguage);
  const texts = useMemo<Texts>(
    () => ({
      language,
      t: dictionaries[language],
      format: createFormat(language),
      setLanguage(chosen) {
        storeLanguage(chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <Context value={texts}>{children}</Context>;
}

export function useTexts(): Texts {
  const texts = useContext(Context);
  if (texts === null) throw new Error("useTexts needs a LanguageProvider");
  return texts;
}
