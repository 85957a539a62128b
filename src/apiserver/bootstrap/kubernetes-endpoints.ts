import type { EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { sameValue } from "../../schema/language/validate.ts";

/** Where the servers of a cluster are reached. */
export interface ServerAddresses {
  /** In order. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether ports that are not so are put right, too. */
  readonly fixesPorts: boolean;
}

/** Keeps the controller away that makes slices of other endpoints. */
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
const serviceNameLabel = "kubernetes.io/service-name";

/** The endpoints as they should be; undefined where they are. */
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

function sameSet(given: readonly { readonly ip: string }[], wanted: readonly string[]): boolean {
  const ips = new Set(given.map(({ ip }) => ip));
  return given.length === wanted.length && wanted.every((ip) => ips.has(ip));
}

/** The slice that says the same as endpoints of one subset. */
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
  const isMeant = ({ ip }: (typeof all)[number]) => ip.includes(":") === isIpv6;
  return {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { name, namespace, labels: { [serviceNameLabel]: name } },
    addressType: isIpv6 ? "IPv6" : "IPv4",
    endpoints: [
      ...addresses.filter(isMeant).map(endpoint(true)),
      ...notReadyAddresses.filter(isMeant).map(endpoint(false)),
    ],
    ports: ports.map(({ name: portName = "", port, protocol = "TCP" }) => ({
      name: portName,
      port,
      protocol,
    })),
  };
}

/** What is to be done about a slice, so that it says what it should. */
export function sliceStep(
  current: EndpointSlice | undefined,
  wanted: EndpointSlice,
): "create" | "replace" | "update" | undefined {
  if (!current) return "create";
  // An address type never changes.
  if (current.addressType !== wanted.addressType) return "replace";
  const isSame =
    sameValue(current.endpoints ?? [], wanted.endpoints) &&
    sameValue(current.ports ?? [], wanted.ports) &&
    sameValue(current.metadata.labels, wanted.metadata.labels);
  return isSame ? undefined : "update";
}
