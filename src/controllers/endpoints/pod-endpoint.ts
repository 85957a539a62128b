import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { ServicePort } from "../../api/core/v1/service/service-spec.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import { sameJson } from "../../schema/json/json-value.ts";

/** Whether a pod can receive traffic: it has an address and has not terminated. */
export function hasEndpoint(pod: Pod, options: { readonly evenTerminating: boolean }): boolean {
  const { podIP, podIPs = [] } = pod.status;
  if (hasEnded(pod) || (!podIP && podIPs.length === 0)) return false;
  return options.evenTerminating || !pod.metadata.deletionTimestamp;
}

/** Whether the endpoint of a pod has a hostname. */
export const isNamedBy = ({ metadata, spec }: Pod, service: Service): boolean =>
  !!spec.hostname &&
  spec.subdomain === service.metadata.name &&
  metadata.namespace === service.metadata.namespace;

/** The port of a pod for a port of a service; undefined if the pod has no port of that name. */
export function targetPortOf(
  { spec }: Pod,
  { targetPort, protocol = "TCP" }: Pick<ServicePort, "targetPort" | "protocol">,
): number | undefined {
  if (typeof targetPort !== "string") return targetPort ?? 0;
  const sidecars = (spec.initContainers ?? []).filter((one) => one.restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === targetPort && (port.protocol ?? "TCP") === protocol)
    ?.containerPort;
}

/**
 * Skips updates of pods that do not change endpoints, and pods that exist at the start, when all services
 * are reconciled anyway.
 */
export const endpointChanged: Predicate<Pod> = (event) => {
  if (event.type === "added") return !event.isInitial;
  if (event.type === "deleted") return true;
  const { object, old } = event;
  return !sameJson(endpointFacts(object), endpointFacts(old));
};

const endpointFacts = (pod: Pod) => ({
  labels: pod.metadata.labels ?? {},
  hostname: pod.spec.hostname ?? "",
  subdomain: pod.spec.subdomain ?? "",
  isTerminating: pod.metadata.deletionTimestamp !== undefined,
  hasEnded: hasEnded(pod),
  isReady: isPodReady(pod),
  addresses: (pod.status.podIPs ?? []).map(({ ip }) => ip),
});

const hasEnded = ({ status }: Pod): boolean =>
  status.phase === "Succeeded" || status.phase === "Failed";
