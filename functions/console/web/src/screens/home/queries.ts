import { useQuery } from "@tanstack/react-query";
import { answer, builder, gateway } from "../../api/client";
import { parseExact } from "../../api/money";
import type { Balance } from "../../api/types";

const SHOWN = 6;

export function useOpenReviews() {
  return useQuery({
    queryKey: ["reviews"],
    queryFn: () => answer(builder.GET("/builder/v1/reviews", { params: { query: { limit: SHOWN } } })),
  });
}

export function useFailedRuns() {
  return useQuery({
    queryKey: ["runs", "failed"],
    queryFn: () => answer(builder.GET("/builder/v1/runs", { params: { query: { state: ["failed"], limit: SHOWN } } })),
  });
}

export function useWorkflowsToFix() {
  return useQuery({
    queryKey: ["workflows", "to-fix"],
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows", {
          params: { query: { state: ["needs_attention"], ownership: "all", perPage: SHOWN } },
        }),
      ),
  });
}

export function useBalance() {
  return useQuery({
    queryKey: ["balance"],
    queryFn: async () => {
      const text = await answer<string>(gateway.GET("/gateway/v1/billing/balance", { parseAs: "text" }));
      return parseExact<Balance>(text);
    },
  });
}
