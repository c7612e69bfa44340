import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { answer, gateway } from "../api/client";

export function useMe() {
  return useQuery({
    queryKey: ["me"],
    queryFn: () => answer(gateway.GET("/gateway/v1/me")),
    staleTime: Infinity,
  });
}

export type Person = NonNullable<ReturnType<typeof useMe>["data"]>;

export const PersonContext = createContext<Person | null>(null);

/** The person who is signed in. */
export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (person === null) throw new Error("usePerson needs a signed-in person");
  return person;
}
