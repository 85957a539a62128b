import type { EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { sameValue } from "../../schema/language/validate.ts";

/** The addresses of the servers of a cluster. */
export interface ServerAddresses {
  /** Sorted. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether other ports are corrected, too. */
  readonly fixesPorts: boolean;
}

/** The label by which the controller that mirrors endpoints to slices skips these. */
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
const serviceNameLabel = "kubernetes.io/service-name";

/** The endpoints with the addresses of the servers; undefined if they need no change. */
export function plannedEndpoints(
  current: Endpoints,
  { addresses, port, fixesPorts }: ServerAddresses,
): Endpoints | undefined {
  const { labels } = current.metadata;
  const ports = [{ name: "https", port, protocol: "TCP" }];
  const [subset, ...others] = current.subsets ?? [];
  const isOne = subset !== undefined && others.length === 0;
  const hasAddresses = isOne && sameSet(subset.addresses ?? [], addresses);
  const hasPorts = isOne && (!fixesPorts || sameValue(subset.ports, ports));
  const isMarked = labels?.[skipMirrorLabel] === "true";
  if (isMarked && hasAddresses && hasPorts) return undefined;
  const next: EndpointSubset = {
    ...(isOne && subset),
    ...(!hasAddresses && { addresses: addresses.map((ip) => ({ ip })) }),
    ...(!hasPorts && { ports }),
  };
  const isEmpty = [next.addresses, next.notReadyAddresses].every((list) => !list?.length);
  return {
    ...current,
    metadata: { ...current.metadata, labels: { ...labels, [skipMirrorLabel]: "true" } },
    subsets: isEmpty ? [] : [next],
  };
}

/**
 * The addresses of so many servers, one of which is `own`. If there are too many, those that follow it in order go
 * first, so that all servers that are alive end with the same list.
 */
export function countedAddresses(
  published: readonly string[],
  own: string,
  count: number,
): readonly string[] {
  const all = [...new Set([...published, own])].sort();
  const at = all.indexOf(own);
  // The last ones that precede it, in a circle.
  const kept = [...all.slice(at + 1), ...all.slice(0, at + 1)].slice(-count);
  return kept.sort();
}

function sameSet(given: readonly { readonly ip: string }[], wanted: readonly string[]): boolean {
  const ips = new Set(given.map(({ ip }) => ip));
  return given.length === wanted.length && wanted.every((ip) => ips.has(ip));
}

/** The slice with the addresses and ports of endpoints with one subset. */
export function sliceOf({ metadata, subsets = [] }: Endpoints): EndpointSlice {
  const { name = "", namespace = "" } = metadata;
  const { addresses = [], notReadyAddresses = [], ports = [] } = subsets[0] ?? {};
  const all = [...addresses, ...notReadyAddresses];
  const isIpv6 = all.length > 0 && all.every(({ ip }) => ip.includes(":"));
  const endpoint =
    (ready: boolean) =>
    ({ ip, targetRef, nodeName }: (typeof all)[number]) => ({
      addresses: [ip],
      conditions: { ready },
      ...(targetRef && { targetRef }),
      ...(nodeName !== undefined && { nodeName }),
    });
  const isOfFamily = ({ ip }: (typeof all)[number]) => ip.includes(":") === isIpv6;
  return {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { name, namespace, labels: { [serviceNameLabel]: name } },
    addressType: isIpv6 ? "IPv6" : "IPv4",
    endpoints: [
      ...addresses.filter(isOfFamily).map(endpoint(true)),
      ...notReadyAddresses.filter(isOfFamily).map(endpoint(false)),
    ],
    ports: ports.map(({ name: portName = "", port, protocol = "TCP" }) => ({
      name: portName,
      port,
      protocol,
    })),
  };
}

/** The step that makes a slice match the wanted one; undefined if it does. */
export function sliceStep(
  current: EndpointSlice | undefined,
  wanted: EndpointSlice,
): "create" | "replace" | "update" | undefined {
  if (!current) return "create";
  // The address type of a slice is immutable.
  if (current.addressType !== wanted.addressType) return "replace";
  const isSame =
    sameValue(current.endpoints ?? [], wanted.endpoints) &&
    sameValue(current.ports ?? [], wanted.ports) &&
    sameValue(current.metadata.labels, wanted.metadata.labels);
  return isSame ? undefined : "update";
}
