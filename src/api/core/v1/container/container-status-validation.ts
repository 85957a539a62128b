import type { At } from "../../../../schema/language/report.ts";
import { isValidGroupId, isValidUserId } from "../../../../schema/values/names.ts";
import type { Container } from "./container.ts";
import { allContainersCouldRestart, containerShouldRestart } from "./container-restart.ts";
import type {
  ContainerStatus,
  LinuxContainerUser,
  ResourceHealth,
  ResourceStatus,
} from "./container-status.ts";

type Statuses = readonly ContainerStatus[] | undefined;

/** What decides whether containers that ended may run again. */
export interface RestartContext {
  readonly old: Statuses;
  /** The pod's spec. */
  readonly spec: {
    readonly restartPolicy?: string | undefined;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[] | undefined;
  };
  /** Those that the statuses are of. */
  readonly containers: readonly Container[] | undefined;
}

/** Containers, or init containers, that ended run again only if they should. */
export function validateContainerStateTransition(
  statuses: Statuses,
  at: At,
  { old, spec, containers = [] }: RestartContext,
): void {
  if (allContainersCouldRestart(spec)) return;
  for (const [i, name, exitCode] of revived(statuses, old)) {
    const container = containers.find((one) => one.name === name);
    if (!container || !containerShouldRestart(container, spec, exitCode)) forbidRevival(at, i);
  }
}

/** Ephemeral containers that ended never run again. */
export function validateEphemeralContainerStateTransition(
  statuses: Statuses,
  at: At,
  old: Statuses,
): void {
  for (const [i, name] of ended(old))
    for (const status of statuses ?? [])
      if (status.name === name && !status.state.terminated) forbidRevival(at, i);
}

/** Users that containers were started as must be possible, and of the pod's operating system. */
export function validateContainerStatusUsers(
  statuses: Statuses,
  at: At,
  os: string | undefined,
): void {
  for (const [i, { user }] of (statuses ?? []).entries()) {
    if (!user?.linux) continue;
    const here = at.index(i).child("user");
    if (os === "windows") here.forbidden("linux", "cannot be set for a windows pod");
    else if (os === undefined || os === "linux") validateUser(user.linux, here.child("linux"));
  }
}

/** The health of resources is told of those that the container asks for. */
export function validateAllocatedResourcesStatus(
  statuses: Statuses,
  at: At,
  containers: readonly Container[] | undefined,
): void {
  for (const [i, { name, allocatedResourcesStatus = [] }] of (statuses ?? []).entries()) {
    const container = containers?.find((one) => one.name === name);
    for (const [j, resource] of allocatedResourcesStatus.entries()) {
      const here = at.index(i).child("allocatedResourcesStatus").index(j);
      if (container) validateAskedFor(resource.name, container, here);
      validateResourceHealth(resource, here.child("resources"));
    }
  }
}

/** Ephemeral containers get no resources. */
export function validateNoAllocatedResourcesStatus(statuses: Statuses, at: At): void {
  for (const [i, { allocatedResourcesStatus = [] }] of (statuses ?? []).entries())
    if (allocatedResourcesStatus.length > 0)
      at.index(i).forbidden(
        "allocatedResourcesStatus",
        "must not be specified in container status",
      );
}

type Ended = readonly [index: number, name: string, exitCode: number];

const ended = (statuses: Statuses): readonly Ended[] =>
  (statuses ?? []).flatMap(({ name, state }, i) =>
    state.terminated ? [[i, name, state.terminated.exitCode] as const] : [],
  );

/** Those that had ended, but for which the update has a status in which they have not. */
const revived = (statuses: Statuses, old: Statuses): readonly Ended[] =>
  ended(old).filter(([, name]) =>
    (statuses ?? []).some((status) => status.name === name && !status.state.terminated),
  );

const forbidRevival = (at: At, i: number): void =>
  at.index(i).forbidden("state", "may not be transitioned to non-terminated state");

function validateUser({ uid, gid, supplementalGroups = [] }: LinuxContainerUser, at: At): void {
  at.invalidEach("uid", uid, isValidUserId(uid));
  at.invalidEach("gid", gid, isValidGroupId(gid));
  for (const [i, group] of supplementalGroups.entries())
    at.child("supplementalGroups").index(i).invalidEach("", group, isValidGroupId(group));
}

function validateAskedFor(name: string, { resources }: Container, at: At): void {
  const { claims = [], requests = {} } = resources;
  if (!name.startsWith("claim:")) {
    if (!Object.hasOwn(requests, name))
      at.invalid("name", name, "must match one of the container's resource requests");
    return;
  }
  const claimed = claims.map(({ name: claim, request }) =>
    request ? `claim:${claim}/${request}` : `claim:${claim}`,
  );
  if (!claimed.includes(name))
    at.invalid(
      "name",
      name,
      "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
    );
}

const healths = ["Healthy", "Unhealthy", "Unknown"];
const maxMessage = 1024;
const encoder = new TextEncoder();

function validateResourceHealth({ resources = [] }: ResourceStatus, at: At): void {
  const seen = new Set<string>();
  for (const [i, resource] of resources.entries()) {
    validateHealth(resource, at.index(i));
    if (seen.has(resource.resourceID)) at.index(i).duplicate("resourceID", resource.resourceID);
    seen.add(resource.resourceID);
  }
}

function validateHealth({ health = "", message }: ResourceHealth, at: At): void {
  if (!healths.includes(health)) at.notSupported("health", health, healths);
  if (message === "") at.required("message", "must be non-empty if specified");
  else if (message !== undefined && encoder.encode(message).length > maxMessage)
    at.tooLong("message", maxMessage);
}
