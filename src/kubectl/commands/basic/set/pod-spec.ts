import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { goType } from "../../shared/pods/workload-pods.ts";

/** What these commands read of a container; all else is kept as it is. */
export interface Container extends ReadonlyJsonMap {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly EnvVariable[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
}

export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: ReadonlyJsonMap;
}

export interface PodSpec extends ReadonlyJsonMap {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** An object with another spec of its pods; throws if it is no pod and has no pod template. */
export function withPodSpec(
  object: DynamicObject,
  change: (spec: PodSpec) => PodSpec,
): DynamicObject {
  const path = paths.get(object.kind);
  if (!path)
    throw new Error(`the object is not a pod or does not have a pod template: ${goType(object)}`);
  return changedAt(object, path, change) as DynamicObject;
}

const template = ["spec", "template", "spec"];

const paths: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pod", ["spec"]],
  ["ReplicationController", template],
  ["Deployment", template],
  ["DaemonSet", template],
  ["ReplicaSet", template],
  ["StatefulSet", template],
  ["Job", template],
  ["CronJob", ["spec", "jobTemplate", ...template]],
]);

function changedAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (spec: PodSpec) => PodSpec,
): unknown {
  const map = isMap(value) ? value : {};
  if (name === undefined) return change(map);
  return { ...map, [name]: changedAt(map[name], rest, change) };
}

/** Changes the containers whose names match, regular ones first; undefined if no container matches. */
export function withContainers(
  spec: PodSpec,
  pattern: string,
  change: (container: Container) => Container,
): PodSpec | undefined {
  let isFound = false;
  const changed = (containers: readonly Container[] | undefined) =>
    containers?.map((container) => {
      if (!nameMatches(container.name, pattern)) return container;
      isFound = true;
      return change(container);
    });
  const containers = changed(spec.containers);
  const initContainers = changed(spec.initContainers);
  if (!isFound) return undefined;
  return { ...spec, ...(containers && { containers }), ...(initContainers && { initContainers }) };
}

/**
 * Whether a name matches a pattern with `*`. Parts are searched as the original searches them, which is not what a
 * shell does: each part is compared with where the one before began.
 */
function nameMatches(name: string, pattern: string): boolean {
  if (pattern === "*") return true;
  if (!pattern.includes("*")) return name === pattern;
  let position = 0;
  const parts = pattern.split("*");
  for (const [at, part] of parts.entries()) {
    if (part === "") continue;
    const next = name.slice(position).indexOf(part);
    if (next < position) return false;
    if (at === 0 && position !== 0) return false;
    if (at === parts.length - 1 && name.length !== part.length + next) return false;
    position = next;
  }
  return true;
}
