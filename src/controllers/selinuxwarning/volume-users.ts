import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import { labelsConflict } from "./selinux-label.ts";

/** How a pod uses a volume. */
export interface VolumeUse {
  /** The label with which it mounts the volume; empty if files are relabelled, or none is asked for. */
  readonly label: string;
  readonly changePolicy: string;
}

/** A difference between two pods that use one volume, as one of them sees it. */
export interface Conflict {
  readonly property: "SELinuxChangePolicy" | "SELinuxLabel";
  readonly pod: ObjectKey;
  readonly value: string;
  readonly other: ObjectKey;
  readonly otherValue: string;
}

interface Used {
  readonly driver: string | undefined;
  readonly users: Map<string, { readonly pod: ObjectKey; readonly use: VolumeUse }>;
}

/** The volumes of all pods, and the pods that cannot use one at the same time. */
export class VolumeUsers {
  readonly #volumes = new Map<string, Used>();

  /** Adds a volume of a pod; returns the conflicts that are new. */
  add(
    { id, driver }: { readonly id: string; readonly driver: string | undefined },
    pod: ObjectKey,
    use: VolumeUse,
  ): readonly Conflict[] {
    const volume = this.#volumes.get(id) ?? { driver, users: new Map() };
    this.#volumes.set(id, volume);
    const key = formatKey(pod);
    const before = volume.users.get(key)?.use;
    volume.users.set(key, { pod, use });
    const isKnown = before?.label === use.label && before.changePolicy === use.changePolicy;
    return isKnown ? [] : conflictsOf(volume, key);
  }

  remove(pod: string): void {
    for (const [id, { users }] of this.#volumes)
      if (users.delete(pod) && users.size === 0) this.#volumes.delete(id);
  }

  /** The pods with volumes of a CSI driver. */
  podsOf(driver: string): readonly string[] {
    return [...this.#volumes.values()]
      .filter((volume) => volume.driver === driver)
      .flatMap(({ users }) => [...users.keys()]);
  }

  /** All conflicts, as each of both pods sees them. */
  conflicts(): readonly Conflict[] {
    return [...this.#volumes.values()].flatMap((volume) =>
      [...volume.users.keys()].flatMap((key) =>
        conflictsOf(volume, key).filter(({ pod }) => formatKey(pod) === key),
      ),
    );
  }
}

/** The conflicts of a pod with the other users of a volume, in both directions. */
function conflictsOf({ users }: Used, key: string): readonly Conflict[] {
  const own = users.get(key);
  if (!own) return [];
  return [...users].flatMap(([otherKey, other]) => {
    if (otherKey === key) return [];
    const properties: [Conflict["property"], string, string][] = [];
    if (other.use.changePolicy !== own.use.changePolicy)
      properties.push(["SELinuxChangePolicy", own.use.changePolicy, other.use.changePolicy]);
    if (labelsConflict(other.use.label, own.use.label))
      properties.push(["SELinuxLabel", own.use.label, other.use.label]);
    return properties.flatMap(([property, value, otherValue]) => [
      { property, pod: own.pod, value, other: other.pod, otherValue },
      { property, pod: other.pod, value: otherValue, other: own.pod, otherValue: value },
    ]);
  });
}

const oneOnly = "If both pods land on the same node, only one of them may access the volume.";

/** What an event says of a conflict; the other pod is named within a namespace only. */
export function conflictNote({ property, pod, value, other, otherValue }: Conflict): string {
  return pod.namespace === other.namespace
    ? `${property} "${value}" conflicts with pod ${other.name} that uses the same volume as this pod with ${property} "${otherValue}". ${oneOnly}`
    : `${property}"${value}" conflicts with another pod that uses the same volume as this pod with a different ${property}. ${oneOnly}`;
}
