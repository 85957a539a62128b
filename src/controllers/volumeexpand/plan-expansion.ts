import { migratedPluginOf } from "../../api/core/v1/volume/migrated-plugins.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { compareQuantities, parseQuantity } from "../../schema/values/quantity.ts";

/** The annotation of a volume with the size of its claim before the volume grew. */
export const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

export type ExpansionPlan =
  | { readonly type: "nothing" }
  /** Another program expands the volume: that of a driver that took over from a plugin, or an unknown one. */
  | { readonly type: "external"; readonly plugin?: string; readonly driver?: string }
  /** The node is done, and the volume need not remember the former size. */
  | { readonly type: "forget former size" }
  /** Only the node is to do something. */
  | { readonly type: "wait for node" }
  /** Nothing but the node has to know: the controller only writes the new size. */
  | { readonly type: "expand"; readonly size: string; readonly resizer: string };

/** What to do about the size that a bound claim requests. */
export function planExpansion(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): ExpansionPlan {
  const { requests } = claim.spec.resources ?? {};
  const requested = requests?.storage ?? "0";
  const recorded = claim.status.capacity?.storage ?? "0";
  const remembers = volume.metadata.annotations?.[preResizeCapacity] !== undefined;
  if (!isLess(recorded, requested) && !remembers) return { type: "nothing" };
  const migrated = migratedPluginOf(volume.spec);
  if (migrated) return { type: "external", plugin: migrated.plugin, driver: migrated.driver };
  if (!volume.spec.flexVolume) return { type: "external" };
  const offered = volume.spec.capacity?.storage ?? "0";
  const isDone = !isLess(recorded, requested) && !isLess(recorded, offered);
  if (isDone && remembers) return { type: "forget former size" };
  const progress = claim.status.allocatedResourceStatuses?.storage ?? "";
  const allocated = claim.status.allocatedResources?.storage;
  const resizer = volume.spec.flexVolume.driver;
  if (isLess(offered, requested)) {
    const size = begun.has(progress) ? (allocated ?? requested) : requested;
    return { type: "expand", size, resizer };
  }
  if (progress === "NodeResizeInProgress" || progress === "NodeResizePending")
    return { type: "nothing" };
  if (progress === "NodeResizeInfeasible") return { type: "wait for node" };
  // Either not all of an expansion was recorded, or the claim requests less by now: it is completed first.
  return { type: "expand", size: allocated ?? requested, resizer };
}

/** The states in which a volume may already have another size than the requested one. */
const begun: ReadonlySet<string> = new Set([
  "ControllerResizeInProgress",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
]);

const isLess = (a: string, b: string): boolean =>
  compareQuantities(parseQuantity(a), parseQuantity(b)) < 0;
