import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { badRequest, notFound, StatusError } from "../../api/meta/v1/status-error.ts";
import { hostPort } from "../../base/network.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { allowedAddress } from "./allowed-address.ts";
import { type Connections, kubeletOf } from "./kubelet-connection.ts";
import { encodeQuery, type Location } from "./location.ts";
import { containerOf, firstPort, podAddress } from "./pod-location.ts";
import { type ProxiedName, proxiedName } from "./proxied-name.ts";
import { pickEndpoint } from "./service-endpoint.ts";

/** A request to a kubelet about a pod. */
export interface PodStream {
  readonly path: string;
  /** Absent where it is about the whole pod; empty for the only container. */
  readonly container?: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

/** The location of such a request; undefined while the pod is on no node. */
export async function kubeletLocation(
  request: ResourceRequest,
  { path, container, values }: PodStream,
  connections: Connections,
): Promise<Location | undefined> {
  const pod = await get<Pod>(request, "pods", request.path.name);
  const { namespace, name } = pod.metadata;
  const of = container === undefined ? "" : `/${containerOf(pod, container)}`;
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") return undefined;
  const kubelet = kubeletOf(await get<Node>(request, "nodes", nodeName), connections.kubelet);
  return { ...kubelet, path: `/${path}/${namespace}/${name}${of}`, query: encodeQuery(values) };
}

/** The same; throws while the pod is on no node. */
export async function podStream(
  request: ResourceRequest,
  stream: PodStream,
  connections: Connections,
): Promise<Location> {
  const location = await kubeletLocation(request, stream, connections);
  if (!location) throw badRequest(`pod ${request.path.name} does not have a host assigned`);
  return location;
}

/** The location of a pod's port. */
export async function podProxy(request: ResourceRequest): Promise<Location> {
  const { scheme, name, port } = nameIn(request, "pod");
  const pod = await get<Pod>(request, "pods", name);
  const address = podAddress(pod);
  allowedAddress(address);
  return located(scheme, address, port || firstPort(pod));
}

/** The location of a port of one of a service's pods. */
export async function serviceProxy(request: ResourceRequest): Promise<Location> {
  const asked = nameIn(request, "service");
  const port = await servicePort(request, asked);
  const { subsets = [] } = await get<Endpoints>(request, "endpoints", asked.name);
  const none = (what: string): StatusError =>
    new StatusError("ServiceUnavailable", `no endpoints available for service "${what}"`);
  if (subsets.length === 0) throw none(asked.name);
  const found = await pickEndpoint(subsets, port, {
    random: request.parts.environment.random,
    isPod: (address) => isPod(request, address),
  });
  if (!found) throw none(request.path.name);
  return located(asked.scheme, found.ip, String(found.port));
}

/** The location of a node's port: its kubelet's, unless the request names another. */
export async function nodeProxy(
  request: ResourceRequest,
  { kubelet, network }: Connections,
): Promise<Location> {
  const { scheme, name, port } = nameIn(request, "node");
  const location = kubeletOf(await get<Node>(request, "nodes", name), kubelet);
  const [, host = "", own = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(location.host) ?? [];
  const addresses = await network.lookup(host).catch((cause: unknown) => {
    throw badRequest((cause as Error).message);
  });
  if (addresses.length === 0) throw badRequest("no addresses for hostname");
  for (const address of addresses) allowedAddress(address);
  return port === "" || port === own ? location : located(scheme, host, port);
}

function nameIn({ path }: ResourceRequest, what: string): ProxiedName {
  const asked = proxiedName(path.name);
  if (!asked) throw badRequest(`invalid ${what} request "${path.name}"`);
  return asked;
}

/** The certificate of a pod is not verified: no CA is known for it. */
function located(scheme: ProxiedName["scheme"], address: string, port: string): Location {
  const host = port === "" && !address.includes(":") ? address : hostPort(address, port);
  if (!/^\d*$/.test(port))
    throw badRequest(`parse "${scheme || "http"}://${host}": invalid port ":${port}" after host`);
  const bare = port === "" ? host.replace(/:$/, "") : host;
  return { scheme: scheme || "http", host: bare, path: "", query: "", tls: { insecure: true } };
}

/** The name of a service's port, where its number is given. */
async function servicePort(request: ResourceRequest, { name, port }: ProxiedName): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const { spec } = await get<Service>(request, "services", name);
  const found = spec.ports?.find((declared) => declared.port === Number(port));
  if (found) return found.name ?? "";
  throw new StatusError(
    "ServiceUnavailable",
    `no service port ${Number(port)} found for service "${name}"`,
  );
}

async function isPod(
  request: ResourceRequest,
  { ip, targetRef }: Parameters<Parameters<typeof pickEndpoint>[2]["isPod"]>[0],
): Promise<boolean> {
  if (targetRef?.namespace !== request.path.namespace) return false;
  const pod = await lookUp<Pod>(request, "pods", targetRef.name ?? "");
  return pod?.status.podIPs?.some((own) => own.ip === ip) ?? false;
}

/** An object that a connection needs; the error for a missing one names the object of the request. */
async function get<T>(request: ResourceRequest, plural: string, name: string): Promise<T> {
  const found = await lookUp<T>(request, plural, name);
  if (!found) throw notFound({ group: "", resource: request.path.resource, name });
  return found;
}

async function lookUp<T>(
  { parts, resources, path }: ResourceRequest,
  plural: string,
  name: string,
): Promise<T | undefined> {
  const kind = resources.find("", "v1", plural);
  const namespace = kind?.scope === "Namespaced" ? path.namespace : "";
  const stored = kind && (await parts.reader.find({ kind, namespace, name }));
  return stored?.object as T | undefined;
}
