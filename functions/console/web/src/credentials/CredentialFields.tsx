import { useState } from "react";
import type { CredentialType } from "../api/types";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Field } from "../ui/Field";
import { type CredentialField, credentialFields } from "./fields";

interface CredentialFieldsProps {
  type: CredentialType;
  values: Readonly<Record<string, string>>;
  onChange: (values: Record<string, string>) => void;
}

/** The fields of a type of credential, of a workflow or of the tool of an agent. */
export function CredentialFields({ type, values, onChange }: CredentialFieldsProps) {
  const fields: readonly CredentialField[] = credentialFields[type];
  return fields.map((field) => (
    <CredentialInput
      key={`${type} ${field.name}`}
      field={field}
      value={values[field.name] ?? ""}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  ));
}

interface CredentialInputProps {
  field: CredentialField;
  value: string;
  onChange: (value: string) => void;
}

function CredentialInput({ field, value, onChange }: CredentialInputProps) {
  const { t } = useTexts();
  const [generated, setGenerated] = useState("");
  const { name, isSecret = false, isOptional = false, isUrl = false, maxLength, pattern, generate } = field;
  const label = t.connections.credentials.fields[name];
  const isGenerated = generated !== "" && value === generated;
  return (
    <Field label={label} hint={isGenerated ? t.connections.credentials.generatedText : t.connections.credentials.hints[name]}>
      {(ids) => (
        <div className="with-button">
          {/* A generated secret is readable, because it is entered at the other service. */}
          <input
            {...ids}
            type={isSecret && !isGenerated ? "password" : isUrl ? "url" : "text"}
            className={isSecret || isUrl ? "mono" : undefined}
            required={!isOptional}
            maxLength={maxLength}
            pattern={pattern}
            autoComplete={isSecret ? "new-password" : "off"}
            autoCapitalize="none"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          {isGenerated && <CopyButton text={value} what={label} />}
          {generate !== undefined && (
            <Button
              aria-label={t.connections.credentials.generateNamed(label)}
              onClick={() => {
                const made = generate();
                setGenerated(made);
                onChange(made);
              }}
            >
              {t.connections.credentials.generate}
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}
