import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { ContainerFilter, PodSandboxFilter } from "../runtime-types.ts";
import type { ContainerFilter as WireContainerFilter } from "./messages/container-messages.ts";
import type { PodSandboxFilter as WireSandboxFilter } from "./messages/sandbox-messages.ts";
import { podUidLabel } from "./pod-labels.ts";

type Labels = Readonly<Record<string, string>>;

/** A filter of sandboxes, as a message. */
export const sandboxFilterToWire = ({
  id,
  podUid,
  state,
  labels,
}: PodSandboxFilter): Sent<MessageOf<typeof WireSandboxFilter>> => ({
  id,
  state: state && { state },
  label_selector: selector(labels, podUid),
});

/** A filter of sandboxes, from a message. */
export const sandboxFilterFromWire = (
  wire: MessageOf<typeof WireSandboxFilter> | undefined,
): PodSandboxFilter => ({
  ...(wire?.id && { id: wire.id }),
  ...(wire?.state && { state: wire.state.state }),
  ...labelsOf(wire),
});

/** A filter of containers, as a message. */
export const containerFilterToWire = ({
  id,
  sandboxId,
  podUid,
  state,
  labels,
}: ContainerFilter): Sent<MessageOf<typeof WireContainerFilter>> => ({
  id,
  pod_sandbox_id: sandboxId,
  state: state && { state },
  label_selector: selector(labels, podUid),
});

/** A filter of containers, from a message. */
export const containerFilterFromWire = (
  wire: MessageOf<typeof WireContainerFilter> | undefined,
): ContainerFilter => ({
  ...(wire?.id && { id: wire.id }),
  ...(wire?.pod_sandbox_id && { sandboxId: wire.pod_sandbox_id }),
  ...(wire?.state && { state: wire.state.state }),
  ...labelsOf(wire),
});

/** The labels of a filter, if it has any. */
export const labelsOf = (wire: { readonly label_selector: Labels } | undefined) =>
  Object.keys(wire?.label_selector ?? {}).length > 0 ? { labels: wire?.label_selector } : {};

const selector = (labels: Labels | undefined, podUid: string | undefined): Labels => ({
  ...labels,
  ...(podUid !== undefined && { [podUidLabel]: podUid }),
});
