import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { csiKeyText } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { KubeletEvent } from "../../../kubelet-events.ts";
import {
  type MountedVolume,
  VolumeNotReady,
  type VolumeRequest,
  VolumeStepError,
} from "../volume-plugin.ts";
import { type PublishContext, readAttachment } from "./attachment.ts";
import type { CsiParts } from "./csi-parts.ts";
import { type CsiVolume, csiVolumeOf } from "./csi-volume.ts";
import { deviceRecord, mountRecord, type PodRecord } from "./pod-record.ts";
import { publishDevice, publishVolume } from "./publish-volume.ts";
import { stageVolume } from "./stage-volume.ts";

/** A volume and the pod that it is set up for. */
export interface CsiUse {
  readonly volume: CsiVolume;
  readonly request: VolumeRequest;
  readonly record: PodRecord;
}

/** The use of a volume by a pod. */
export function csiUse(request: VolumeRequest, parts: CsiParts): CsiUse {
  const { pod, folder } = request;
  const volume = csiVolumeOf(request.volume, pod);
  if (!volume) throw new Error("volume source not found in volume.Spec");
  const record = volume.isBlock
    ? deviceRecord(folder, volume, parts, pod.metadata.uid ?? "")
    : mountRecord(folder, volume, parts);
  return { volume, request, record };
}

/** Has the driver stage and publish a volume; resolves when containers can use it. */
export async function setUpCsi(use: CsiUse, parts: CsiParts): Promise<void> {
  const { volume, request, record } = use;
  const kind = volume.isBlock ? "MapVolume" : "MountVolume";
  const context = await atStep(`${kind}.WaitForAttach failed`, () => attached(use, parts));
  await parts.inTurn(csiKeyText(volume), async () => {
    const device = volume.isBlock ? "SetUpDevice" : "MountDevice";
    const { fsGroup } = request;
    const stagingPath =
      volume.lifecycle === "Ephemeral"
        ? undefined
        : await atStep(`${kind}.${device} failed`, () =>
            stageVolume(volume, { context, fsGroup, record }, parts),
          );
    const publishing = { ...request, context, stagingPath, record };
    if (volume.isBlock) {
      await atStep("MapVolume.MapPodDevice failed", () => publishDevice(volume, publishing, parts));
      parts.record(request.pod, mapped(use));
    } else await atStep("MountVolume.SetUp failed", () => publishVolume(volume, publishing, parts));
  });
}

const mapped = ({ volume, request }: CsiUse): KubeletEvent => ({
  ...{ type: "Normal", reason: "SuccessfulMountVolume" },
  message: `MapVolume.MapPodDevice succeeded for volume "${volume.name}" volumeMapPath "${dirname(request.folder)}"`,
});

/** Has the driver update the content of a volume. */
export async function publishAgain(use: CsiUse, parts: CsiParts): Promise<void> {
  const { volume, request, record } = use;
  const context = await attached(use, parts);
  const stagingPath = parts.staged.has(parts.folders.staging(volume))
    ? parts.folders.staging(volume)
    : undefined;
  await parts.inTurn(csiKeyText(volume), () =>
    publishVolume(volume, { ...request, context, stagingPath, record }, parts),
  );
}

/** What containers use. */
export async function mountedVolume({ volume, record }: CsiUse): Promise<MountedVolume> {
  const { readOnly, isBlock } = volume;
  const path = isBlock ? await realpath(record.target) : record.target;
  return { path, isReadOnly: readOnly, isManaged: !readOnly };
}

/** What the attacher says of a volume, which must be attached if its driver requires it. */
async function attached({ volume, request }: CsiUse, parts: CsiParts): Promise<PublishContext> {
  if (volume.lifecycle === "Ephemeral") return {};
  parts.inUse.hold(volume, request.pod.metadata.uid ?? "");
  const driver = await parts.driverObject(volume.driver);
  return driver?.spec.attachRequired === false ? {} : readAttachment(volume, parts);
}

async function atStep<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VolumeNotReady) throw error;
    throw new VolumeStepError(step, errorMessage(error));
  }
}
