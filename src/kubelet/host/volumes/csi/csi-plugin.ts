import { csiPluginName } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import { type VolumePlugin, type VolumeRequest, VolumeStepError } from "../volume-plugin.ts";
import type { CsiParts } from "./csi-parts.ts";
import { csiUsage } from "./csi-usage.ts";
import { csiVolumeOf } from "./csi-volume.ts";
import { canGrow, expandVolume, noSizes } from "./expand-volume.ts";
import { type CsiUse, csiUse, mountedVolume, publishAgain, setUpCsi } from "./set-up-csi.ts";
import { tearDownCsi } from "./tear-down-csi.ts";
import type { Unstaging } from "./unstaging.ts";

export interface CsiPluginOptions extends CsiParts {
  readonly unstaging: Unstaging;
  /** Called for a pod that waited for a driver or for the node. */
  readonly changed: (podUid: string) => void;
}

/** Volumes that CSI drivers provide. */
export interface CsiPlugin extends VolumePlugin {
  /** Has pods that wait be set up again, because a driver or the status of the node has changed. */
  wake(): void;
}

export function csiPlugin(parts: CsiPluginOptions): CsiPlugin {
  const { clock, random, inUse, unstaging } = parts;
  /** When volumes that this process has published are due again, by pod and target. */
  const published = new Map<string, Map<string, number>>();
  /** When it is due to look whether volumes have grown. */
  const growth = new Map<string, Map<string, number>>();
  const sizes = noSizes();
  const waiting = new Set<string>();

  const nextAt = (): number => clock.now() + periodMs * (1 + jitter * random.next());
  const due = (times: typeof published, podUid: string): Map<string, number> => {
    const targets = times.get(podUid) ?? new Map<string, number>();
    times.set(podUid, targets);
    return targets;
  };
  const isDue = (at: number): boolean =>
    // The clock may have been set back since.
    clock.now() >= at || at - clock.now() > longestPeriodMs;
  /** Grows a volume that is larger than it is here; returns when to look again. */
  const grow = async (use: CsiUse, isSettingUp: boolean): Promise<number | undefined> => {
    if (!(await canGrow(use, parts))) return undefined;
    const { volume, request, record } = use;
    const targets = due(growth, request.pod.metadata.uid ?? "");
    const at = targets.get(record.target);
    if (!isSettingUp && at !== undefined && !isDue(at)) return at;
    const next = nextAt();
    targets.set(record.target, next);
    try {
      await expandVolume(use, { isSettingUp }, { ...parts, sizes });
    } catch (error) {
      const why = errorMessage(error);
      if (isSettingUp) throw new VolumeStepError(volume.isBlock ? mapStep : mountStep, why);
      const message = `NodeExpandVolume.NodeExpandVolume failed for volume "${volume.name}" : ${why}`;
      parts.record(request.pod, { type: "Warning", reason: "VolumeResizeFailed", message });
    }
    return next;
  };
  const setUp = async (request: VolumeRequest) => {
    const use = csiUse(request, parts);
    const { volume, record } = use;
    const targets = due(published, request.pod.metadata.uid ?? "");
    const at = targets.get(record.target);
    if (at === undefined) {
      await setUpCsi(use, parts);
      await grow(use, true);
      targets.set(record.target, nextAt());
    }
    const growAt = await grow(use, false);
    const mounted = { ...(await mountedVolume(use)), renewAt: growAt };
    const driver = await parts.driverObject(volume.driver);
    if (!driver?.spec.requiresRepublish || volume.isBlock) return mounted;
    let staleBecause: unknown;
    if (at !== undefined && isDue(at)) {
      targets.set(record.target, nextAt());
      await publishAgain(use, parts).catch((error: unknown) => {
        staleBecause = error;
      });
    }
    const renewAt = Math.min(targets.get(record.target) ?? Infinity, growAt ?? Infinity);
    return { ...mounted, staleBecause, renewAt };
  };
  return {
    name: csiPluginName,
    supports: ({ source, persistentVolume }) =>
      source.csi !== undefined || persistentVolume?.spec.csi !== undefined,
    followsObjects: true,
    async setUp(request) {
      const { uid = "" } = request.pod.metadata;
      try {
        return await setUp(request);
      } catch (error) {
        waiting.add(uid);
        throw error;
      }
    },
    async tearDown(volume) {
      published.delete(volume.podUid);
      growth.delete(volume.podUid);
      try {
        const found = await tearDownCsi(volume, parts);
        if (found && !found.isEphemeral) unstaging.request(found);
      } catch (error) {
        waiting.add(volume.podUid);
        throw error;
      }
    },
    async usage({ volume, podUid, path }) {
      const found = csiVolumeOf(volume, { metadata: { uid: podUid } });
      return found && csiUsage(found, path, parts);
    },
    forget(podUid) {
      waiting.delete(podUid);
      published.delete(podUid);
      growth.delete(podUid);
      inUse.releaseAll(podUid);
      parts.tokens.forget(podUid);
    },
    wake() {
      const pods = [...waiting];
      waiting.clear();
      for (const podUid of pods) parts.changed(podUid);
    },
  };
}

const mountStep = "MountVolume.Setup failed while expanding volume";
const mapStep = "MapVolume.MarkVolumeAsMounted failed while expanding volume";
/** As often as upstream syncs a pod that does not change. */
const periodMs = 60_000;
const jitter = 0.5;
const longestPeriodMs = periodMs * (1 + jitter);
