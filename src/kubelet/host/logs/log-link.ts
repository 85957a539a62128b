import type { ContainerStatus } from "../../../cri/runtime-types.ts";

/**
 * The name of the link to a container's log, by which collectors of logs find the pod: `POD_NAMESPACE_NAME-ID.log`.
 * A long name is cut, because file systems allow 255 bytes.
 */
export function logLinkName({
  id,
  labels,
  metadata,
}: Pick<ContainerStatus, "id" | "labels" | "metadata">): string {
  const pod = labels["io.kubernetes.pod.name"] ?? "";
  const namespace = labels["io.kubernetes.pod.namespace"] ?? "";
  const name = `${pod}_${namespace}_${metadata.name}-${id}`;
  return `${name.slice(0, longestName - suffix.length)}${suffix}`;
}

/** The ID of the container that a link is for, perhaps only its beginning; undefined if it names none. */
export function containerOfLink(name: string): string | undefined {
  const id = name.slice(name.lastIndexOf("-") + 1, -suffix.length);
  // Runtimes find containers by at least so much of their IDs.
  return id.length >= 6 ? id : undefined;
}

export const isLogLink = (name: string): boolean => name.endsWith(suffix);

const suffix = ".log";
const longestName = 255;
