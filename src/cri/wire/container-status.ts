import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import { linuxResources, resourcesOf } from "../linux-resources.ts";
import type { ContainerStatus } from "../runtime-types.ts";
import { mountFromWire, mountToWire } from "./container-mount.ts";
import { linuxResourcesFromWire, linuxResourcesToWire } from "./linux-resources.ts";
import type { Container, ContainerStatus as WireStatus } from "./messages/container-messages.ts";
import { podUidLabel } from "./pod-labels.ts";
import { signalFromWire, signalToWire } from "./stop-signal.ts";
import { fromNanos, toNanos } from "./times.ts";

/** The status of a container, as a message. */
export const containerStatusToWire = (
  status: ContainerStatus,
): Sent<MessageOf<typeof WireStatus>> => ({
  id: status.id,
  metadata: status.metadata,
  state: status.state,
  created_at: toNanos(status.createdAt),
  started_at: toNanos(status.startedAt),
  finished_at: toNanos(status.finishedAt),
  exit_code: status.exitCode,
  image: { image: status.image, user_specified_image: status.userSpecifiedImage },
  image_ref: status.imageRef,
  reason: status.reason,
  message: status.message,
  labels: status.labels,
  annotations: status.annotations,
  mounts: status.mounts?.map(mountToWire),
  log_path: status.logPath,
  resources: { linux: linuxResourcesToWire(linuxResources(status.resources)) },
  image_id: status.imageId,
  user: status.user && {
    linux: {
      uid: status.user.uid,
      gid: status.user.gid,
      supplemental_groups: status.user.supplementalGroups,
    },
  },
  stop_signal: signalToWire(status.stopSignal),
});

/** A container in a list, as a message. */
export const containerToWire = (status: ContainerStatus): Sent<MessageOf<typeof Container>> => ({
  id: status.id,
  pod_sandbox_id: status.sandboxId,
  metadata: status.metadata,
  image: { image: status.image, user_specified_image: status.userSpecifiedImage },
  image_ref: status.imageRef,
  state: status.state,
  created_at: toNanos(status.createdAt),
  labels: status.labels,
  annotations: status.annotations,
  image_id: status.imageId,
});

/** What lists know of a container, and its status does not. */
export type ListedContainer = Pick<
  MessageOf<typeof Container>,
  "pod_sandbox_id" | "image" | "labels"
>;

/** The status of a container, from a message. */
export function containerStatusFromWire(
  wire: MessageOf<typeof WireStatus>,
  listed: ListedContainer,
): ContainerStatus {
  const { image, resources, mounts, user, image_id: imageId, log_path: logPath } = wire;
  const stopSignal = signalFromWire(wire.stop_signal);
  const name = image?.image ?? "";
  return {
    id: wire.id,
    sandboxId: listed.pod_sandbox_id,
    podUid: wire.labels[podUidLabel] ?? listed.labels[podUidLabel] ?? "",
    metadata: wire.metadata ?? { name: "", attempt: 0 },
    state: wire.state,
    createdAt: fromNanos(wire.created_at),
    startedAt: fromNanos(wire.started_at),
    finishedAt: fromNanos(wire.finished_at),
    exitCode: wire.exit_code,
    image: name,
    userSpecifiedImage:
      image?.user_specified_image ||
      listed.image?.user_specified_image ||
      listed.image?.image ||
      name,
    imageRef: wire.image_ref,
    reason: wire.reason,
    message: wire.message,
    resources: resources?.linux ? resourcesOf(linuxResourcesFromWire(resources.linux)) : {},
    labels: wire.labels,
    annotations: wire.annotations,
    ...(imageId !== "" && { imageId }),
    ...(mounts.length > 0 && { mounts: mounts.map(mountFromWire) }),
    ...(logPath !== "" && { logPath }),
    ...(user?.linux && {
      user: {
        uid: user.linux.uid,
        gid: user.linux.gid,
        supplementalGroups: user.linux.supplemental_groups,
      },
    }),
    ...(stopSignal !== undefined && { stopSignal }),
  };
}
