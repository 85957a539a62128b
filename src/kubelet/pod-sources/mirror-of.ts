import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../api/core/v1/pod/pod-annotations.ts";
import { hashAnnotation } from "../pod/static-pod.ts";

/** The pod in the API that shows a static pod of a node. The node owns it. */
export function mirrorOf({ metadata, spec }: Pod, node: Node): Pick<Pod, "metadata" | "spec"> {
  const { name, namespace, labels, annotations = {} } = metadata;
  return {
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [mirrorPodAnnotation]: annotations[hashAnnotation] ?? "" },
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Node",
          name: node.metadata.name ?? "",
          uid: node.metadata.uid ?? "",
          controller: true,
        },
      ],
    },
    spec,
  };
}
