import type { VolumePlugin, VolumeRequest } from "../volume-plugin.ts";
import type { CsiParts } from "./csi-parts.ts";
import { csiUsage } from "./csi-usage.ts";
import { csiVolumeOf, pluginName } from "./csi-volume.ts";
import { csiUse, mountedVolume, publishAgain, setUpCsi } from "./set-up-csi.ts";
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
  const waiting = new Set<string>();

  const nextAt = (): number => clock.now() + periodMs * (1 + jitter * random.next());
  const due = (podUid: string): Map<string, number> => {
    const targets = published.get(podUid) ?? new Map<string, number>();
    published.set(podUid, targets);
    return targets;
  };
  const setUp = async (request: VolumeRequest) => {
    const use = csiUse(request, parts);
    const { volume, record } = use;
    const targets = due(request.pod.metadata.uid ?? "");
    const at = targets.get(record.target);
    if (at === undefined) {
      await setUpCsi(use, parts);
      targets.set(record.target, nextAt());
    }
    const mounted = await mountedVolume(use);
    const driver = await parts.driverObject(volume.driver);
    if (!driver?.spec.requiresRepublish || volume.isBlock) return mounted;
    let staleBecause: unknown;
    if (at !== undefined && clock.now() >= at) {
      targets.set(record.target, nextAt());
      await publishAgain(use, parts).catch((error: unknown) => {
        staleBecause = error;
      });
    }
    return { ...mounted, staleBecause, renewAt: targets.get(record.target) };
  };
  return {
    name: pluginName,
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

/** As often as upstream syncs a pod that does not change. */
const periodMs = 60_000;
const jitter = 0.5;
