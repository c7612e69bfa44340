import { QueryClient } from "@tanstack/react-query";
import { asApiError } from "../api/errors";

/** Lists are shown from memory on the way back, and loaded again once they are this old. */
const FRESH_MS = 20_000;
const KEPT_MS = 15 * 60_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // The console finds out itself whether the platform can be reached. A browser that believes to be offline may be wrong.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
      refetchOnWindowFocus: true,
      retry: (count, error) => asApiError(error).status >= 500 && count < 1,
    },
  },
});
