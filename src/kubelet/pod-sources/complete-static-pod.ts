import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import { fnv128a } from "../../base/hashes/fnv128a.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { hashAnnotation } from "../pod/static-pod.ts";

/** The place that static pods come from, and the node that runs them. */
export interface StaticPodPlace {
  readonly origin: "file" | "http";
  /** The path of the file, or the URL. */
  readonly location: string;
  readonly nodeName: string;
}

/**
 * Completes a static pod that has its defaults. Its UID is a hash of its content and its place, so that a changed
 * pod is another pod. With the name of the node, its name differs from those on other nodes.
 */
export function completeStaticPod(pod: Pod, place: StaticPodPlace): Pod {
  const { origin, nodeName } = place;
  const { metadata, spec } = pod;
  const uid = metadata.uid || uidOf(pod, place);
  const { tolerations = [] } = spec;
  return {
    ...pod,
    metadata: {
      ...metadata,
      name: `${metadata.name}-${nodeName.toLowerCase()}`,
      namespace: metadata.namespace || "default",
      uid,
      annotations: { ...metadata.annotations, [hashAnnotation]: uid },
    },
    spec: {
      ...spec,
      nodeName,
      ...(origin === "file" && { tolerations: withoutEviction(tolerations) }),
    },
    status: { phase: "Pending" },
  };
}

function uidOf(pod: Pod, { origin, location, nodeName }: StaticPodPlace): string {
  const place = origin === "file" ? `host:${nodeName}file:${location}` : `url:${location}`;
  return fnv128a(stringifyJson(pod) + place);
}

/** Adds a toleration, so that problems of the node do not evict the pod. */
const withoutEviction = (tolerations: readonly Toleration[]): readonly Toleration[] => [
  ...tolerations.filter(
    ({ key, operator, value, effect }) =>
      key || value || operator !== "Exists" || effect !== "NoExecute",
  ),
  { operator: "Exists", effect: "NoExecute" },
];
