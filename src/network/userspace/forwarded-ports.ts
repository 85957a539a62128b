import type { Service } from "../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { proxiedService } from "../services/proxied-service.ts";

/** A port of a service that is forwarded from this machine. */
export interface ForwardedPort {
  /** The service, as `default/web`. */
  readonly service: string;
  readonly name: string;
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  /** Where it leads: what is ready, or else what still serves while it ends. */
  readonly backends: readonly Backend[];
}

export interface Backend {
  readonly address: string;
  readonly port: number;
  /** The pod that has the address; absent for endpoints that are no pods. */
  readonly pod?: PodName | undefined;
}

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** The ports of a service, each once for all families of addresses. */
export function forwardedPorts(
  service: Service,
  slices: readonly EndpointSlice[],
): readonly ForwardedPort[] {
  const pods = podsByAddress(slices);
  const found = new Map<string, ForwardedPort>();
  for (const [port, endpoints] of proxiedService(service, slices, nowhere).ports) {
    const { protocol, name } = port;
    if (protocol === "SCTP") continue;
    const ready = endpoints.filter(({ isReady }) => isReady);
    const used =
      ready.length > 0
        ? ready
        : endpoints.filter(({ isServing, isTerminating }) => isServing && isTerminating);
    const backends = used.map(({ address, port }) => ({ address, port, pod: pods.get(address) }));
    const key = `${protocol} ${port.port}`;
    const before = found.get(key)?.backends ?? [];
    found.set(key, {
      ...{ service: port.service, name, protocol, port: port.port },
      backends: [...before, ...backends],
    });
  }
  return [...found.values()];
}

/** This machine is no node, so that no endpoint is near. */
const nowhere = { name: "", zone: "" };

function podsByAddress(slices: readonly EndpointSlice[]): ReadonlyMap<string, PodName> {
  const pods = new Map<string, PodName>();
  for (const { endpoints, metadata } of slices)
    for (const { addresses, targetRef } of endpoints ?? []) {
      const [address] = addresses ?? [];
      if (address === undefined || targetRef?.kind !== "Pod" || !targetRef.name) continue;
      const namespace = targetRef.namespace || metadata.namespace || "";
      pods.set(address, { namespace, name: targetRef.name });
    }
  return pods;
}
