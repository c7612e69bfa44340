import { useTexts } from "../../../i18n";
import { changeLanguage, readExpression, writeExpression } from "../expression/language";
import { ExpressionField } from "../expression/ExpressionField";
import type { ExpressionLanguage } from "../expression/tokens";
import { useForm } from "./context";
import type { Schema } from "./schema";

const LANGUAGES: Record<ExpressionLanguage, string> = { cel: "CEL", jinja: "Jinja", javascript: "JavaScript", js: "JavaScript" };

const allowsJs = (schema: Schema) => Array.isArray(schema.type) && schema.type.includes("object");

interface LanguageProps {
  schema: Schema;
  ofField: ExpressionLanguage;
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

interface ControlProps {
  attributes: Parameters<typeof ExpressionField>[0]["attributes"];
  ofField: ExpressionLanguage;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** The text of an expression, in the language of the field or in JavaScript. */
export function ExpressionControl({ attributes, ofField, value, onChange }: ControlProps) {
  const { language, text } = readExpression(value, ofField);
  return <ExpressionField attributes={attributes} language={language} value={text} onChange={(text) => onChange(writeExpression({ language, text }))} />;
}

/** Shows the language, and changes it if the field allows JavaScript. */
export function LanguageChoice({ schema, ofField, label, value, onChange }: LanguageProps) {
  const { t } = useTexts();
  const { canEdit } = useForm();
  const { language, text } = readExpression(value, ofField);
  if (!canEdit || !allowsJs(schema)) return <span className="field-tag code">{LANGUAGES[language]}</span>;
  return (
    <select
      className="field-language"
      aria-label={t.editor.languageOf(label)}
      value={language}
      onChange={(event) => {
        const chosen = event.target.value as ExpressionLanguage;
        onChange(writeExpression({ language: chosen, text: changeLanguage(text, language, chosen) }));
      }}
    >
      {[ofField, "js" as const].map((each) => <option key={each} value={each}>{LANGUAGES[each]}</option>)}
    </select>
  );
}
