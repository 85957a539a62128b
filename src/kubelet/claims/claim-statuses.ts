import type { ResourceStatus } from "../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { DeviceHealths } from "./device-health.ts";
import type { NodeClaim, NodeClaims, PreparedDevice } from "./node-claim.ts";
import { claimOf, type PodClaim } from "./pod-claims.ts";

export interface ClaimStatusSources {
  readonly claims: NodeClaims;
  readonly healths: DeviceHealths;
  readonly now: number;
}

/** The health of the devices that a container has by claims, as its status tells it. */
export function claimStatuses(
  pod: Pod,
  containerName: string,
  sources: ClaimStatusSources,
): readonly ResourceStatus[] {
  const container = pod.spec.containers?.find(({ name }) => name === containerName);
  const statuses = new Map<string, ResourceStatus>();
  for (const { name, request = "" } of container?.resources?.claims ?? []) {
    const known = sources.claims.get(pod.metadata.namespace ?? "", nameOf(pod, name) ?? "");
    if (!known) continue;
    const text = request === "" ? `claim:${name}` : `claim:${name}/${request}`;
    const resources = healthOf(known, request, sources);
    if (resources.length > 0) statuses.set(text, { name: text, resources });
  }
  return [...statuses.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function healthOf(
  { drivers }: NodeClaim,
  request: string,
  { healths, now }: ClaimStatusSources,
): NonNullable<ResourceStatus["resources"]> {
  const [baseRequest = ""] = request.split("/");
  const found = new Map<string, NonNullable<ResourceStatus["resources"]>[number]>();
  for (const [driver, devices] of drivers)
    for (const device of devices) {
      const isOfRequest = device.requests.length === 0 || device.requests.includes(baseRequest);
      const resourceID = idOf(driver, device);
      if ((request !== "" && !isOfRequest) || found.has(resourceID)) continue;
      const { health, message } = healths.of(driver, device, now);
      found.set(resourceID, { resourceID, health, ...(message !== "" && { message }) });
    }
  return [...found.values()];
}

const idOf = (driver: string, { pool, device, cdiDevices }: PreparedDevice): string =>
  cdiDevices[0] ?? `${driver}/${pool}/${device}`;

/** The claim that a pod calls by a name, if it is known. */
function nameOf(pod: Pod, name: string): string | undefined {
  try {
    const claim: PodClaim | undefined = claimOf(pod, name);
    return claim?.name;
  } catch {
    return undefined;
  }
}
