import { usePeople } from "../api/people";
import { usePerson } from "../app/person";
import { useTexts } from "../i18n";

/** The name of a person. */
export function Owner({ id }: { id: string }) {
  const { t } = useTexts();
  const { user } = usePerson();
  const people = usePeople(id !== user.id);
  if (id === user.id) return t.you;
  return people.data?.get(id) ?? id;
}
