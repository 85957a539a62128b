import { setMember } from "../../../../schema/json/strict-json.ts";
import type { Draft, InferInput } from "../../../../schema/language/struct.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import type { Container } from "./container.ts";
import type { ContainerStatus } from "./container-status.ts";

type ContainerDraft = Draft<InferInput<typeof Container>>;

/** Requests that are absent equal the limits: in pods, but not in pod templates. */
export function setRequestsFromLimits(container: ContainerDraft): void {
  const limits = container.resources?.limits;
  if (!container.resources || !limits) return;
  const given = container.resources.requests ?? {};
  const requests: Record<string, string | number> = {};
  for (const name of sortedKeys({ ...limits, ...given }))
    setMember(requests, name, Object.hasOwn(given, name) ? given[name] : limits[name]);
  container.resources.requests = requests;
}

/** In the network of the node, ports of containers are ports of the node. */
export function setHostPorts(container: ContainerDraft): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}

/** Removes what only a feature that is switched off would use, unless the old pod uses it. */
export function dropStopSignals(
  containers: readonly ContainerDraft[],
  old: readonly Pick<Container, "lifecycle">[],
): void {
  if (old.some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)) return;
  for (const container of containers) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}

/** The same for statuses: which image a volume holds is not told yet. */
export function dropVolumeStatuses(
  statuses: readonly Draft<ContainerStatus>[],
  old: readonly ContainerStatus[],
): void {
  if (old.some((status) => status.volumeMounts?.some((mount) => mount.volumeStatus?.image))) return;
  for (const { volumeMounts = [] } of statuses)
    for (const mount of volumeMounts) delete mount.volumeStatus;
}
