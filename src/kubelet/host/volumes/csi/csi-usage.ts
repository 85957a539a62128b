import type { CsiVolumeKey } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import type { VolumeSpace } from "../volume-plugin.ts";
import type { CsiParts } from "./csi-parts.ts";
import { nodeMethods } from "./wire/node-methods.ts";

/** What a driver says that a volume takes; undefined if it does not say, or fails. */
export async function csiUsage(
  { driver, handle }: CsiVolumeKey,
  path: string,
  { drivers, log }: CsiParts,
): Promise<VolumeSpace | undefined> {
  try {
    const client = drivers.client(driver);
    if (!(await client.capabilities()).has("GET_VOLUME_STATS")) return undefined;
    const { usage } = await client.call(nodeMethods.getVolumeStats, {
      ...{ volume_id: handle, volume_path: path },
    });
    const bytes = usage.find(({ unit }) => unit === "BYTES");
    const inodes = usage.find(({ unit }) => unit === "INODES");
    if (usage.length === 0) return undefined;
    return {
      usedBytes: Number(bytes?.used ?? 0),
      capacityBytes: Number(bytes?.total ?? 0),
      availableBytes: Number(bytes?.available ?? 0),
      inodesUsed: Number(inodes?.used ?? 0),
      inodes: Number(inodes?.total ?? 0),
      inodesFree: Number(inodes?.available ?? 0),
    };
  } catch (error) {
    log.warn("reading what a volume takes failed", { driver, handle, error });
    return undefined;
  }
}
