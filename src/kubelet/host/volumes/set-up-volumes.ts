import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Client } from "../../../client/client.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import { PodSetUpError } from "../../pod/pod-host.ts";
import type { PodMount } from "./container-mounts.ts";
import { resolveVolume } from "./resolve-volume.ts";
import { fsUserOf, type UsedVolume, usedVolumes } from "./used-volumes.ts";
import type { VolumeFolders } from "./volume-folders.ts";
import {
  VolumeNotReady,
  type VolumePlugin,
  type VolumeSpec,
  VolumeStepError,
} from "./volume-plugin.ts";

export interface SetUpParts {
  readonly folders: VolumeFolders;
  readonly plugins: readonly VolumePlugin[];
  readonly client: Client;
  /** Records an event of a pod. */
  readonly record: (pod: Pod, event: KubeletEvent) => void;
  /** Whether another pod uses a persistent volume. */
  readonly isUsedByOthers: (name: string) => boolean;
}

/**
 * Sets up the volumes that containers of a pod use, all at once, and adds them to those that are known. Rejects with a
 * `PodSetUpError` if one of them cannot be used; for each other one there is an event.
 */
export async function setUpVolumes(
  pod: Pod,
  volumes: Map<string, PodMount>,
  parts: SetUpParts,
): Promise<void> {
  const used = usedVolumes(pod);
  const outcomes = await Promise.allSettled(used.map((one) => setUpOne(one, pod, volumes, parts)));
  const all = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const errors = all.filter((error) => !(error instanceof VolumeNotReady));
  const [notReady] = all.filter((error) => error instanceof VolumeNotReady);
  if (notReady && errors.length === 0)
    throw new PodSetUpError("FailedMount", notReady.message, { isExpected: true });
  const failures = errors.filter((error) => error instanceof PodSetUpError);
  const unresolved = errors.filter((error) => !(error instanceof PodSetUpError));
  if (unresolved.length > 0) failures.push(unableToMount(used, volumes, unresolved));
  const last = failures.pop();
  if (!last) return;
  for (const { reason, message } of failures)
    parts.record(pod, { type: "Warning", reason, message });
  throw last;
}

async function setUpOne(
  used: UsedVolume,
  pod: Pod,
  volumes: Map<string, PodMount>,
  parts: SetUpParts,
): Promise<void> {
  const { name } = used.volume;
  const known = volumes.get(name);
  if (known && !known.plugin.followsObjects) return;
  const volume = known?.volume ?? (await resolveVolume(used, pod, parts.client));
  const plugin = known?.plugin ?? parts.plugins.find((one) => one.supports(volume));
  if (!plugin)
    throw new Error(
      `failed to get Plugin from volumeSpec for volume "${volume.name}" err=no volume plugin matched`,
    );
  const { uid = "" } = pod.metadata;
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  const isBlock = volume.mode === "Block";
  try {
    if (isForOnePod(volume) && parts.isUsedByOthers(volume.name))
      throw new Error(
        "volume uses the ReadWriteOncePod access mode and is already in use by another pod",
      );
    const mounted = await plugin.setUp({
      ...{ pod, volume, fsGroup, fsUser: fsUserOf(pod) },
      folder: isBlock
        ? parts.folders.device(uid, plugin.name, volume.name)
        : parts.folders.volume(uid, plugin.name, volume.name),
      onRootMismatch: fsGroupChangePolicy === "OnRootMismatch",
      before: known,
    });
    volumes.set(name, { ...mounted, volume, plugin });
    if (mounted.staleBecause === undefined) return;
    const { reason, message } = failureOf(volume, mounted.staleBecause);
    parts.record(pod, { type: "Warning", reason, message });
  } catch (error) {
    if (error instanceof VolumeNotReady) throw error;
    throw failureOf(volume, error);
  }
}

/** The event of a volume that could not be set up; plugins with several steps say which one failed. */
function failureOf({ name, mode }: VolumeSpec, error: unknown): PodSetUpError {
  const [reason, usual] =
    mode === "Block"
      ? ["FailedMapVolume", "MapVolume.SetUpDevice failed"]
      : ["FailedMount", "MountVolume.SetUp failed"];
  const step = error instanceof VolumeStepError ? error.step : usual;
  return new PodSetUpError(reason, `${step} for volume "${name}" : ${errorMessage(error)}`);
}

const isForOnePod = ({ persistentVolume }: VolumeSpec): boolean =>
  persistentVolume?.spec.accessModes?.includes("ReadWriteOncePod") ?? false;

/** Claims that cannot be used, and kinds of volumes that do not exist here, are in one event. */
function unableToMount(
  used: readonly UsedVolume[],
  volumes: ReadonlyMap<string, PodMount>,
  errors: readonly unknown[],
): PodSetUpError {
  const missing = used.map(({ volume }) => volume.name).filter((name) => !volumes.has(name));
  const list = `[${missing.sort().join(" ")}]`;
  return new PodSetUpError(
    "FailedMount",
    `Unable to attach or mount volumes: unmounted volumes=${list}, unattached volumes=[], failed to process volumes=${list}: ${errors.map(errorMessage).join("; ")}`,
  );
}
