import { csiKeyText } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import {
  formatQuantity,
  type Quantity,
  quantityValue,
} from "../../../../schema/values/quantity.ts";
import { DriverError } from "./csi-driver-client.ts";
import { type CsiParts, readDriverSecret } from "./csi-parts.ts";
import { type Expansion, planExpansion, storageOf } from "./plan-expansion.ts";
import { noteResize } from "./resized-claim.ts";
import type { CsiUse } from "./set-up-csi.ts";
import { capabilityOf } from "./volume-capability.ts";
import { nodeMethods } from "./wire/node-methods.ts";

/** The sizes that volumes have on this node. */
export interface VolumeSizes {
  /** By the key of the volume. */
  readonly known: Map<string, Quantity>;
  /** Volumes whose driver cannot grow them while they are in use. */
  readonly busy: Set<string>;
  /** Volumes that could not be grown. */
  readonly failed: Set<string>;
}

export const noSizes = (): VolumeSizes => ({
  known: new Map(),
  busy: new Set(),
  failed: new Set(),
});

/** Whether the driver of a volume grows volumes on the node. */
export async function canGrow({ volume }: CsiUse, { drivers }: CsiParts): Promise<boolean> {
  if (volume.lifecycle !== "Persistent") return false;
  return (await (await drivers.client(volume.driver)).capabilities()).has("EXPAND_VOLUME");
}

/**
 * Has the driver grow a published volume that is larger than it is on this node. A volume that is set up has the size
 * that its claim records; later it has the size to which it was grown last. Rejects if the driver or the claim fails.
 */
export async function expandVolume(
  use: CsiUse,
  { isSettingUp }: { readonly isSettingUp: boolean },
  parts: CsiParts & { readonly sizes: VolumeSizes },
): Promise<void> {
  const { volume, request } = use;
  const { client, sizes } = parts;
  const key = csiKeyText(volume);
  if (isSettingUp) sizes.busy.delete(key);
  if (sizes.busy.has(key)) return;
  const persistentVolume = isSettingUp
    ? request.volume.persistentVolume
    : await client.get(PersistentVolume, { name: volume.name });
  const { namespace = "", name = "" } = persistentVolume?.spec.claimRef ?? {};
  if (!persistentVolume) return;
  const known = isSettingUp ? undefined : sizes.known.get(key);
  if (known && planSkips(persistentVolume, known)) return;
  const claim = await client
    .get(PersistentVolumeClaim, { namespace, name })
    .catch((error: unknown) => {
      throw new Error(`mountVolume.NodeExpandVolume get PVC failed : ${errorMessage(error)}`);
    });
  const current = known ?? storageOf(claim.status.capacity);
  const plan = planExpansion({
    ...{ claim, persistentVolume, current, readOnly: volume.readOnly },
    hasFailed: sizes.failed.has(key),
  });
  sizes.known.set(key, current);
  if (plan.type === "wait") return;
  if (plan.type === "refuse") {
    const message = `MountVolume.NodeExpandVolume failed for volume "${volume.name}" requested read-only file system`;
    tell(use, claim, { type: "Warning", reason: "FileSystemResizeFailed", message }, parts);
  }
  if (plan.type !== "expand") {
    sizes.known.set(key, plan.size);
    return;
  }
  await parts.inTurn(key, () => expand(use, claim, plan, parts));
}

const planSkips = ({ spec }: PersistentVolume, known: Quantity): boolean =>
  quantityValue(storageOf(spec.capacity)) <= quantityValue(known);

async function expand(
  use: CsiUse,
  found: PersistentVolumeClaim,
  plan: Expansion,
  parts: CsiParts & { readonly sizes: VolumeSizes },
): Promise<void> {
  const { volume, request } = use;
  const { client, clock, sizes } = parts;
  const key = csiKeyText(volume);
  const { size, isTracked, isRecorded } = plan;
  const noting = { client, now: clock.now() };
  let claim = found;
  if (isTracked && !isRecorded) claim = await noteResize(claim, { type: "begun" }, noting);
  try {
    await callDriver(use, size, parts);
  } catch (error) {
    const why = failureText(error);
    const isInUse = error instanceof DriverError && error.code === "FailedPrecondition";
    if (isTracked && isFinal(error)) {
      sizes.failed.add(key);
      const isInfeasible = plan.isLastTry || isInfeasibleError(error);
      await noteResize(claim, { type: "failed", why, isInfeasible }, noting).catch(
        (cause: unknown) => parts.log.warn("noting a failed expansion failed", { error: cause }),
      );
    }
    if (!isInUse) throw new Error(why);
    sizes.busy.add(key);
    parts.log.warn("the driver cannot grow a volume that is in use", {
      volume: volume.name,
      error,
    });
    return;
  }
  sizes.known.set(key, size);
  sizes.failed.delete(key);
  const message = `MountVolume.NodeExpandVolume succeeded for volume "${volume.name}" ${request.pod.spec.nodeName ?? ""}`;
  tell(use, claim, { type: "Normal", reason: "FileSystemResizeSuccessful", message }, parts);
  if (isRecorded) return;
  await noteResize(claim, { type: "finished", size: formatQuantity(size) }, noting).catch(
    (error: unknown) => {
      // The driver is called again, and does nothing then.
      sizes.known.delete(key);
      throw new Error(
        `mountVolume.NodeExpandVolume update pvc status failed: ${errorMessage(error)}`,
      );
    },
  );
}

async function callDriver(
  { volume, record }: CsiUse,
  size: Quantity,
  parts: CsiParts,
): Promise<void> {
  const { folders } = parts;
  const client = await parts.drivers.client(volume.driver);
  const secrets = await readDriverSecret(
    parts,
    volume.expandSecret,
    (place, why) =>
      new Error(`expander.NodeExpand failed to get NodeExpandSecretRef ${place}: ${why}`),
  );
  await client.call(nodeMethods.expandVolume, {
    ...{ volume_id: volume.handle, volume_path: record.target, secrets },
    capacity_range: { required_bytes: BigInt(quantityValue(size)) },
    staging_target_path: volume.isBlock
      ? folders.deviceStaging(volume.name)
      : folders.staging(volume),
    volume_capability: capabilityOf(volume, { capabilities: await client.capabilities() }),
  });
}

/** Whether the driver has certainly ended: what happened before it was called is no failure of its own. */
const isFinal = (error: unknown): boolean => !(error instanceof DriverError) || error.isFinal;

const isInfeasibleError = (error: unknown): boolean =>
  error instanceof DriverError && infeasible.has(error.code);

const infeasible: ReadonlySet<string> = new Set(["InvalidArgument", "OutOfRange", "NotFound"]);

function failureText(error: unknown): string {
  const text = errorMessage(error);
  if (!(error instanceof DriverError)) return text;
  const said = "Expander.NodeExpand failed to expand the volume";
  return infeasible.has(error.code) ? `${said} ${text}` : `${said} : ${text}`;
}

/** Records an event of the pod and of its claim. */
function tell(
  { request }: CsiUse,
  claim: PersistentVolumeClaim,
  event: Parameters<CsiParts["record"]>[1],
  { record, recordClaim }: CsiParts,
): void {
  record(request.pod, event);
  recordClaim(claim, event);
}
