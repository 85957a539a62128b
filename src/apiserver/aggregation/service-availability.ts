import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Reader } from "../objects/reader.ts";
import type { Availability } from "./available-condition.ts";
import type { RemoteApi } from "./remote-api.ts";

/** Why the service of an API cannot be used, as far as its objects say; undefined if its server is to be called. */
export function serviceFault(
  reader: Pick<Reader, "getCached" | "listCached">,
  { service: { namespace, name, port } }: RemoteApi,
): Availability | undefined {
  const place = `service/${name} in ${quote(namespace)}`;
  const service = reader.getCached(Service, { namespace, name });
  if (!service) return unavailable("ServiceNotFound", `${place} is not present`);
  // Of other services nothing is known here: they may be outside of the cluster.
  if (service.spec.type !== "ClusterIP") return undefined;
  const found = (service.spec.ports ?? []).find((own) => own.port === port);
  if (!found) return unavailable("ServicePortError", `${place} is not listening on port ${port}`);
  const slices = reader
    .listCached(EndpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === name);
  if (slices.length === 0)
    return unavailable("EndpointsNotFound", `cannot find endpointslices for ${place}`);
  const portName = found.name ?? "";
  if (slices.some((slice) => hasEndpoint(slice, portName))) return undefined;
  return unavailable(
    "MissingEndpoints",
    `endpointslices for ${place} have no addresses with port name ${quote(portName)}`,
  );
}

const hasEndpoint = ({ endpoints, ports = [] }: EndpointSlice, portName: string): boolean =>
  (endpoints ?? []).some(({ conditions }) => conditions?.ready ?? true) &&
  ports.some(({ name, port }) => name === portName && port !== undefined);

const unavailable = (reason: string, message: string): Availability => ({
  status: "False",
  reason,
  message,
});
