import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
} from "../../api/core/v1/service/endpoint-subset.ts";
import { sortedPorts, sortedSubsets } from "./endpoint-order.ts";

/**
 * The same addresses and ports in canonical form: addresses with the same ports are in one subset. An
 * address that is not ready for a port in any subset is not ready for it.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  /** The addresses of a port, and whether they are ready. */
  const byPort = new Map<string, { port: EndpointPort | undefined; hosts: Map<string, boolean> }>();
  const note = (port: EndpointPort | undefined, address: EndpointAddress, isReady: boolean) => {
    const key = addressKey(address);
    if (!addresses.has(key)) addresses.set(key, address);
    const entry = entryOf(byPort, portKey(port), () => ({ port, hosts: new Map() }));
    entry.hosts.set(key, isReady && (entry.hosts.get(key) ?? true));
  };
  for (const { addresses: ready = [], notReadyAddresses = [], ports = [] } of subsets)
    for (const port of ports.length > 0 ? ports : [undefined]) {
      for (const address of ready) note(port, address, true);
      for (const address of notReadyAddresses) note(port, address, false);
    }

  const byHosts = new Map<string, { hosts: Map<string, boolean>; ports: EndpointPort[] }>();
  for (const { port, hosts } of byPort.values()) {
    const key = JSON.stringify([...hosts].sort());
    const group = entryOf(byHosts, key, () => ({ hosts, ports: [] }));
    if (port) group.ports.push(port);
  }
  return sortedSubsets(
    Array.from(byHosts.values(), ({ hosts, ports }) => {
      const all = [...hosts].map(([key, isReady]) => ({
        address: addresses.get(key) as EndpointAddress,
        isReady,
      }));
      const ready = all.filter(({ isReady }) => isReady).map(({ address }) => address);
      const waiting = all.filter(({ isReady }) => !isReady).map(({ address }) => address);
      return {
        ...(ready.length > 0 && { addresses: ready.sort(compareAddresses) }),
        ...(waiting.length > 0 && { notReadyAddresses: waiting.sort(compareAddresses) }),
        ...(ports.length > 0 && { ports: sortedPorts(ports) }),
      };
    }),
  );
}

/** Pods in the host network share an address: they are distinguished by uid. */
const addressKey = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ""}`;

const portKey = (port: EndpointPort | undefined): string =>
  port ? JSON.stringify([port.name ?? "", port.port, port.protocol, port.appProtocol ?? null]) : "";

function compareAddresses(a: EndpointAddress, b: EndpointAddress): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  const [uidA, uidB] = [a.targetRef?.uid ?? "", b.targetRef?.uid ?? ""];
  return uidA < uidB ? -1 : uidA > uidB ? 1 : 0;
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
