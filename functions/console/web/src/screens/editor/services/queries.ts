import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "../../../api/client";
import type { components } from "../../../api/generated/builder";

type B = components["schemas"];

export type ServiceSummary = B["ServiceSummaryOut"];
export type Service = B["ServiceOut"];
export type Operation = B["OperationOut"];
export type ServiceCategory = B["ServiceCategory"];
export type Authentication = B["Authentication"];
export type NodeArguments = B["ServiceNodeIn"];

/** The catalogue changes with a release of the platform only. */
const kept = { staleTime: Infinity, gcTime: Infinity };

/** The services, and the names of their operations. */
export function useServices() {
  return useQuery({
    queryKey: ["services"],
    ...kept,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/services")),
    select: ({ data }) => data,
  });
}

/** A service with the forms of its operations. */
export function useService(id: string) {
  const path = { service_id: id };
  return useQuery({
    queryKey: ["services", id],
    ...kept,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/services/{service_id}", { params: { path } })),
    select: ({ data }) => data,
  });
}

/** Makes an `http` node of an operation. Nothing is stored. */
export async function makeNode(service: Service, operation: Operation, body: NodeArguments) {
  const path = { service_id: service.id, operation_id: operation.id };
  const { data } = await answer(
    builder.POST("/builder/v1/workflows/services/{service_id}/operations/{operation_id}/node", { params: { path }, body }),
  );
  return data;
}
