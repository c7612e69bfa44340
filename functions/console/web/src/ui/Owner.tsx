import { shortId, usePeople } from "../api/people";
import { usePerson } from "../app/person";
import { useTexts } from "../i18n";

/** The name of a person. */
export function Owner({ id }: { id: string }) {
  const { t } = useTexts();
  const { user } = usePerson();
  const isSelf = id === user.id;
  const name = usePeople(isSelf ? [] : [id]).get(id);
  if (isSelf) return t.you;
  return name ?? <code title={id}>{shortId(id)}</code>;
}
