import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
} from "../../api/core/v1/service/endpoint-subset.ts";
import type { EndpointPort as SlicePort } from "../../api/discovery/v1/endpoint.ts";
import { fnv128a } from "../../base/hashes/fnv128a.ts";

// Upstream orders ports and subsets by hashes of their dump by Go's `spew`, and clients see that order. A
// pointer is dumped as its type and its target.

/** Ports of a slice in upstream's order. */
export const sortedSlicePorts = (ports: readonly SlicePort[]): readonly SlicePort[] =>
  byHash(
    ports,
    ({ name, protocol, port, appProtocol }) =>
      `(v1.EndpointPort){Name:${pointer("string", name)} Protocol:${pointer("v1.Protocol", protocol)} Port:${pointer("int32", port)} AppProtocol:${pointer("string", appProtocol)}}`,
  );

/** Ports of a subset in upstream's order. */
export const sortedPorts = (ports: readonly EndpointPort[]): readonly EndpointPort[] =>
  byHash(ports, (port) => `(v1.EndpointPort)${portText(port)}`);

/** Subsets in upstream's order; their content is sorted already. */
export const sortedSubsets = (subsets: readonly EndpointSubset[]): readonly EndpointSubset[] =>
  byHash(
    subsets,
    ({ addresses, notReadyAddresses, ports }) =>
      `(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)${list(addresses, addressText)} NotReadyAddresses:([]v1.EndpointAddress)${list(notReadyAddresses, addressText)} Ports:([]v1.EndpointPort)${list(ports, portText)}}`,
  );

function byHash<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  return items
    .map((item) => ({ item, hash: fnv128a(textOf(item)) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
    .map(({ item }) => item);
}

const portText = ({ name = "", port, protocol = "", appProtocol }: EndpointPort): string =>
  `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:${pointer("string", appProtocol)}}`;

const addressText = ({ ip, hostname = "", nodeName, targetRef }: EndpointAddress): string =>
  `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer("string", nodeName)} TargetRef:${referenceText(targetRef)}}`;

function referenceText(reference: EndpointAddress["targetRef"]): string {
  if (reference === undefined) return pointer("v1.ObjectReference", undefined);
  const { kind = "", namespace = "", name = "", uid = "" } = reference;
  const { apiVersion = "", resourceVersion = "", fieldPath = "" } = reference;
  return pointer(
    "v1.ObjectReference",
    `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`,
  );
}

const pointer = (type: string, value: string | number | undefined): string =>
  `(*${type})${value ?? "<nil>"}`;

/** An empty list is nil here. */
const list = <T>(items: readonly T[] | undefined, textOf: (item: T) => string): string =>
  items === undefined || items.length === 0 ? "<nil>" : `[${items.map(textOf).join(" ")}]`;
