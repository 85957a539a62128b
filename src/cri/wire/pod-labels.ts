import type { ContainerMetadata, PodSandboxMetadata } from "../runtime-types.ts";

/** The labels by which kubelets find the sandboxes and containers of a pod. */
export const podLabels = ({
  name,
  namespace,
  uid,
}: PodSandboxMetadata): Readonly<Record<string, string>> => ({
  "io.kubernetes.pod.name": name,
  "io.kubernetes.pod.namespace": namespace,
  [podUidLabel]: uid,
});

/** The labels of a container of a pod. */
export const containerLabels = (
  pod: PodSandboxMetadata,
  { name }: ContainerMetadata,
): Readonly<Record<string, string>> => ({
  ...podLabels(pod),
  "io.kubernetes.container.name": name,
});

/** The label with the UID of a pod. */
export const podUidLabel = "io.kubernetes.pod.uid";
