import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../api/core/v1/pod/pod-annotations.ts";

/** The source of a pod: the API server, files of the node, or a URL. */
export type PodOrigin = "api" | "file" | "http";

/** The annotation with the source of a pod. Only the kubelet knows it of pods of the API. */
export const sourceAnnotation = "kubernetes.io/config.source";
/** The annotation with the time at which the kubelet saw a pod first. */
export const seenAnnotation = "kubernetes.io/config.seen";
/** The annotation with the hash of a static pod, which is its UID. */
export const hashAnnotation = "kubernetes.io/config.hash";

/** Whether a pod of the API shows a static pod. A mirror pod itself never runs. */
export const isMirrorPod = ({ metadata }: Pod): boolean =>
  metadata.annotations?.[mirrorPodAnnotation] !== undefined;

/** Whether a pod comes from a file or a URL. Its mirror pod, which has its annotations, does not. */
export const isStaticPod = (pod: Pod): boolean =>
  isStaticSource(pod.metadata.annotations?.[sourceAnnotation]) && !isMirrorPod(pod);

/** Whether the pods of a source, as an annotation names it, are static. */
export const isStaticSource = (source: string | undefined): boolean =>
  source !== undefined && source !== "api";

/** The name of a pod in the cluster, which a static pod shares with its mirror pod. */
export const fullNameOf = ({
  metadata: { name = "", namespace = "" },
}: Pick<Pod, "metadata">): string => `${name}_${namespace}`;
