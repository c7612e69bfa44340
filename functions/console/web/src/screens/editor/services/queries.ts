import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "../../../api/client";
import type { components } from "../../../api/generated/builder";

type B = components["schemas"];

export type Service = B["ServiceOut"];
export type Operation = B["OperationOut"];
export type ServiceCategory = B["ServiceCategory"];
export type Authentication = B["Authentication"];
export type NodeArguments = B["ServiceNodeIn"];

/** The number of requests for services in flight at once. */
const IN_PARALLEL = 4;

/** The catalogue of services with their operations. It changes with a release of the platform only. */
export function useServices() {
  return useQuery({ queryKey: ["services"], staleTime: Infinity, gcTime: Infinity, queryFn: loadServices });
}

/** The list of the API has no operations, which the search needs: each service is read. */
async function loadServices(): Promise<Service[]> {
  const { data: list } = await answer(builder.GET("/builder/v1/workflows/services"));
  const services: Service[] = [];
  const left = [...list.entries()];
  const load = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { id }] = next;
      const { data } = await answer(builder.GET("/builder/v1/workflows/services/{service_id}", { params: { path: { service_id: id } } }));
      services[index] = data;
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, load));
  return services;
}

/** Makes an `http` node of an operation. Nothing is stored. */
export async function makeNode(service: Service, operation: Operation, body: NodeArguments) {
  const path = { service_id: service.id, operation_id: operation.id };
  const { data } = await answer(
    builder.POST("/builder/v1/workflows/services/{service_id}/operations/{operation_id}/node", { params: { path }, body }),
  );
  return data;
}
