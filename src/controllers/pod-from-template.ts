import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { PodTemplateSpec } from "../api/core/v1/pod/pod-template.ts";
import type { KubernetesObject } from "../client/resource-kind.ts";
import { withController } from "../controller-runtime/objects/owner-references.ts";

/** A pod from the template of an owner; the server generates its name. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubernetesObject): PodInput {
  const { labels, annotations, finalizers } = template.metadata;
  const { name = "", namespace } = owner.metadata;
  const pod: PodInput = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      // A very long name is the prefix without a dash.
      generateName: name.length < longestName ? `${name}-` : name,
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
    },
    spec: template.spec,
  };
  return withController(pod, owner);
}

type PodInput = Pick<Pod, "apiVersion" | "kind" | "metadata" | "spec">;
const longestName = 253;
