import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { answer, gateway } from "../api/client";
import { setPerson } from "../api/personal";

export function useMe() {
  return useQuery({
    queryKey: ["me"],
    queryFn: loadMe,
    staleTime: Infinity,
  });
}

async function loadMe() {
  const me = await answer(gateway.GET("/gateway/v1/me"));
  // Someone else has signed in in another tab. Nothing of the first person may stay on the screen.
  if (!setPerson(me.org.id, me.user.id)) location.reload();
  return me;
}

export type Person = NonNullable<ReturnType<typeof useMe>["data"]>;

export const PersonContext = createContext<Person | null>(null);

/** The person who is signed in. */
export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (person === null) throw new Error("usePerson needs a signed-in person");
  return person;
}
