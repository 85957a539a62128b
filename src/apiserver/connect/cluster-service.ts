import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { notFound, StatusError } from "../../api/meta/v1/status-error.ts";
import type { Random } from "../../base/random.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Reader } from "../objects/reader.ts";
import { startingAnywhere } from "./service-endpoint.ts";

/** A port of a service that this server connects to, for a webhook or an aggregated API. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The address of a service, or of one of its pods. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Whether to connect to a ready endpoint of a service: of none, of each (as upstream's flag
 * `enable-aggregator-routing` has it), or of those with a cluster IP, where this machine does not reach these.
 */
export type ToEndpoints = boolean | "of-cluster-ips";

/**
 * Finds the address of a service's port in the watch cache: its cluster IP or external name, or an endpoint. Errors
 * are upstream's.
 */
export function serviceAddress(
  reader: Pick<Reader, "getCached" | "listCached">,
  wanted: ServicePort,
  { toEndpoints, random }: { readonly toEndpoints: ToEndpoints; readonly random: Random },
): ServiceAddress {
  const { namespace, name, port } = wanted;
  const service = reader.getCached(Service, { namespace, name });
  if (!service) throw notFound({ group: "", resource: "service", name });
  const { type, clusterIP = "" } = service.spec;
  const hasClusterIp = type !== "ExternalName" && clusterIP !== "None";
  if (!toEndpoints || (toEndpoints !== true && !hasClusterIp)) return ownAddress(service, port);
  const slices = reader
    .listCached(EndpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === name);
  return readyEndpoint(service, slices, { port, random });
}

/** The address that the service itself has. */
function ownAddress({ metadata, spec }: Service, port: number): ServiceAddress {
  const { type = "", clusterIP = "", externalName = "" } = spec;
  if (type === "ExternalName") return { host: externalName, port };
  if (type === "ClusterIP" && clusterIP === "None")
    throw new Error('cannot route to service with ClusterIP "None"');
  checkType(type);
  checkPort(spec, { name: metadata.name ?? "", port });
  return { host: clusterIP, port };
}

/** A ready endpoint of the service; those of its first family of addresses are preferred. */
function readyEndpoint(
  { metadata, spec }: Service,
  slices: readonly EndpointSlice[],
  { port, random }: { readonly port: number; readonly random: Random },
): ServiceAddress {
  const name = metadata.name ?? "";
  checkType(spec.type ?? "");
  const { name: portName = "" } = checkPort(spec, { name, port });
  const [family] = spec.ipFamilies ?? [];
  const shuffled = startingAnywhere(slices, random);
  const preferred = [
    ...shuffled.filter(({ addressType }) => addressType === family),
    ...shuffled.filter(({ addressType }) => addressType !== family),
  ];
  for (const { ports = [], endpoints } of preferred) {
    const found = ports.find((own) => own.name === portName && own.port !== undefined);
    if (found?.port === undefined) continue;
    const ready = startingAnywhere(endpoints ?? [], random).find(
      ({ conditions }) => conditions?.ready ?? true,
    );
    const [host] = ready?.addresses ?? [];
    if (host !== undefined) return { host, port: found.port };
  }
  throw unavailable(`no endpoints available for service ${quote(name)}`);
}

function checkType(type: string): void {
  if (!["ClusterIP", "NodePort", "LoadBalancer"].includes(type))
    throw new Error(`unsupported service type ${quote(type)}`);
}

function checkPort(
  { ports = [] }: Service["spec"],
  { name, port }: { readonly name: string; readonly port: number },
) {
  const found = ports.find((own) => own.port === port);
  if (!found) throw unavailable(`no service port ${port} found for service ${quote(name)}`);
  return found;
}

const unavailable = (message: string): StatusError =>
  new StatusError("ServiceUnavailable", message);
