import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  isStaticPod,
  type PodOrigin,
  seenAnnotation,
  sourceAnnotation,
} from "../pod/static-pod.ts";

/** The same pod with its source, and the time at which the kubelet saw it first. */
export const annotatePod = (pod: Pod, origin: PodOrigin, seen: string): Pod =>
  withAnnotations(pod, { [sourceAnnotation]: origin, [seenAnnotation]: seen });

/** A pod of the API, which is not static whatever its annotations say. */
export const podOfApi = (pod: Pod): Pod =>
  isStaticPod(pod) ? withAnnotations(pod, { [sourceAnnotation]: "api" }) : pod;

const withAnnotations = (pod: Pod, annotations: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } },
});

/** A time as upstream writes it here: with fractions of a second, but without zeros at their end. */
export const seenText = (ms: number): string => new Date(ms).toISOString().replace(/\.?0*Z$/, "Z");
