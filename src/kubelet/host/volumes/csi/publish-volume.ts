import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errorMessage } from "../../../../base/error-message.ts";
import type { MessageOf, Sent } from "../../../../base/protobuf-message.ts";
import { changeOwnership } from "../change-ownership.ts";
import type { VolumeRequest } from "../volume-plugin.ts";
import type { PublishContext } from "./attachment.ts";
import { type CsiDriverClient, DriverError } from "./csi-driver-client.ts";
import { type CsiParts, readDriverSecret } from "./csi-parts.ts";
import { csiError, saying } from "./csi-text.ts";
import type { CsiVolume } from "./csi-volume.ts";
import { fsGroupPolicyOf, getsFsGroup } from "./fs-group.ts";
import { checkLifecycleMode } from "./lifecycle-mode.ts";
import { podAttributes, tokenAttributes } from "./pod-attributes.ts";
import type { PodRecord } from "./pod-record.ts";
import { capabilityOf } from "./volume-capability.ts";
import type { NodePublishVolumeRequest } from "./wire/csi-messages.ts";
import { nodeMethods } from "./wire/node-methods.ts";

export interface PublishRequest extends Pick<VolumeRequest, "pod" | "fsGroup" | "onRootMismatch"> {
  readonly context: PublishContext;
  readonly stagingPath?: string | undefined;
  readonly record: PodRecord;
}

/** Has a driver mount a volume for a pod. The repeated call updates the content. */
export async function publishVolume(
  volume: CsiVolume,
  request: PublishRequest,
  parts: CsiParts,
): Promise<void> {
  const { pod, fsGroup, onRootMismatch, record } = request;
  const { driver: name } = volume;
  const client = await saying("mounter.SetUpAt failed to get CSI client", () =>
    parts.drivers.client(name),
  );
  const driver = await parts.driverObject(name);
  await saying("mounter.SetupAt failed to check volume lifecycle mode", () =>
    checkLifecycleMode(volume, driver),
  );
  const policy = await saying("mounter.SetupAt failed to check fsGroup policy", () =>
    fsGroupPolicyOf(driver),
  );
  const secrets = await readDriverSecret(
    parts,
    volume.publishSecret,
    (place, why) => new Error(`fetching NodePublishSecretRef ${place} failed: ${why}`),
  );
  // The spelling is upstream's.
  const tokens = await saying(
    "mounter.SetUpAt failed to get service accoount token attributes",
    () => tokenAttributes(pod, driver, parts.tokens),
  );
  const capabilities = await saying(
    "mounter.SetUpAt failed to determine if the node service has VOLUME_MOUNT_GROUP capability",
    () => client.capabilities(),
  );
  const areSecret = driver?.spec.serviceAccountTokenInSecrets === true;
  await call(client, request, {
    ...requestOf(volume, request),
    volume_capability: capabilityOf(volume, { capabilities, fsGroup }),
    secrets: { ...secrets, ...(areSecret && tokens) },
    volume_context: {
      ...volume.attributes,
      ...podAttributes(pod, volume, driver),
      ...(!areSecret && tokens),
    },
  });
  if (fsGroup === undefined || capabilities.has("VOLUME_MOUNT_GROUP")) return;
  if (!getsFsGroup(volume, policy)) return;
  const folder = record.target;
  await changeOwnership({ folder, fsGroup, isReadOnly: false, onRootMismatch }).catch(
    (error: unknown) => {
      throw new Error(`applyFSGroup failed for vol ${volume.handle}: ${errorMessage(error)}`);
    },
  );
}

/** Has a driver make a block device available to a pod. */
export async function publishDevice(
  volume: CsiVolume,
  request: PublishRequest,
  parts: CsiParts,
): Promise<void> {
  const { pod } = request;
  const client = await saying("blockMapper.MapPodDevice failed to get CSI client", () =>
    parts.drivers.client(volume.driver),
  );
  const driver = await parts.driverObject(volume.driver);
  const secrets = await readDriverSecret(parts, volume.publishSecret, (place, why) =>
    csiError(
      `blockMapper.publishVolumeForBlock failed to get NodePublishSecretRef ${place}: ${why}`,
    ),
  );
  await call(client, request, {
    ...requestOf(volume, request),
    volume_capability: capabilityOf(volume, { capabilities: await client.capabilities() }),
    secrets,
    volume_context: { ...volume.attributes, ...podAttributes(pod, volume, driver) },
  });
}

type Published = Sent<MessageOf<typeof NodePublishVolumeRequest>>;

const requestOf = (
  { handle, readOnly }: CsiVolume,
  { context, stagingPath = "", record }: PublishRequest,
): Published => ({
  ...{ volume_id: handle, publish_context: context, readonly: readOnly },
  ...{ staging_target_path: stagingPath, target_path: record.target },
});

async function call(
  client: CsiDriverClient,
  { record, stagingPath }: PublishRequest,
  message: Published,
): Promise<void> {
  await record.write();
  // The driver creates the target itself.
  await mkdir(dirname(record.target), { recursive: true, mode: 0o750 });
  try {
    await client.call(nodeMethods.publishVolume, message);
  } catch (error) {
    const isOver = error instanceof DriverError && error.isFinal;
    // A staged volume needs the record: it is unstaged when the pod is removed.
    if (isOver && stagingPath === undefined) await record.undo();
    throw error;
  }
}
