import type { ProjectNames } from "../project-names.ts";

/** The declaration of the kind. */
export const kindFile = ({ group, kind, plural }: ProjectNames): string =>
  `import { conditions, int32, kind, type ObjectOf, string, struct } from "wherry/schema";

/** The custom kind: its type, typed client, defaults, validation and manifest follow from this declaration. */
export const ${kind} = kind({
  group: "${group}",
  version: "v1alpha1",
  kind: "${kind}",
  plural: "${plural}",
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
});
export interface ${kind} extends ObjectOf<typeof ${kind}> {}
`;
