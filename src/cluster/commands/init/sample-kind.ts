import { struct } from "../../../custom-kinds/language/containers.ts";
import { kind } from "../../../custom-kinds/language/kind.ts";
import type { Definition } from "../../../custom-kinds/language/kind-definition.ts";
import { conditions } from "../../../custom-kinds/language/kubernetes.ts";
import { int32, string } from "../../../custom-kinds/language/scalars.ts";
import type { ProjectNames } from "./project-names.ts";

/** The manifest of the kind in a new project, which `npm run manifests` generates again from `kindFile`. */
export function sampleDefinition({ group, kind: name, plural }: ProjectNames): Definition {
  return kind({
    group,
    version: "v1alpha1",
    kind: name,
    plural,
    scope: "Namespaced",
    doc: "An image that runs in a number of pods.",
    fields: {
      spec: struct({
        image: string().min(1).required().doc("The image to run."),
        replicas: int32().min(0).max(10).default(1).doc("The number of pods."),
      }).required(),
      status: struct({
        availableReplicas: int32().doc("The number of pods that have been ready for a while."),
        conditions: conditions(),
      }),
    },
    columns: [
      { name: "Image", type: "string", jsonPath: ".spec.image" },
      {
        name: "Available",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Available")].status',
      },
    ],
    scale: { replicas: ".spec.replicas", currentReplicas: ".status.availableReplicas" },
  }).definition;
}
