import { en } from "./en";
import { es } from "./es";
import { currentLanguage, type Language } from "./language";

export type Dictionary = typeof en;

export const dictionaries: Record<Language, Dictionary> = { en, es };

/** The texts in the language of the moment. Components use `useTexts`, which follows a change. */
export const currentTexts = (): Dictionary => dictionaries[currentLanguage()];
