import { list, message, string, stringMap } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsLabel, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { validateResourceRequirements } from "../../core/v1/container/resource-requirements.ts";
import { deprecatedNodeLabel } from "../../core/v1/node/node-label-warnings.ts";
import { resourceList, roundUpResources } from "../../core/v1/resource-list.ts";
import { validateContainerResourceName } from "../../core/v1/resource-name.ts";
import { Toleration, validateTolerations } from "../../core/v1/scheduling/toleration.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import { validateLabels } from "../../meta/v1/object-meta-validation.ts";

export const Overhead = struct("io.k8s.api.node.v1.Overhead", {
  podFixed: resourceList(1).doc("What each pod takes beyond its containers."),
})
  .defaults(({ podFixed }) => roundUpResources(podFixed))
  .doc("What it takes to run a pod, beside its containers.");
export interface Overhead extends Infer<typeof Overhead> {}

export const Scheduling = struct("io.k8s.api.node.v1.Scheduling", {
  nodeSelector: stringMap(1)
    .atomic()
    .doc("Labels of the nodes that can run such pods; added to the pod's own selector."),
  tolerations: list(2, Toleration)
    .atomic()
    .doc("Taints that such pods put up with, beside their own tolerations."),
}).doc("Which nodes can run pods of a class.");
export interface Scheduling extends Infer<typeof Scheduling> {}

const fields = {
  handler: string(2)
    .always()
    .expected()
    .doc("The name by which the container runtime of a node knows the class. Never changes."),
  overhead: message(3, Overhead).doc("What such a pod takes beyond its containers."),
  scheduling: message(4, Scheduling).doc("Which nodes can run such pods."),
};
type Body = ObjectValue<typeof fields>;

export const RuntimeClass = kind({
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  scope: "Cluster",
  doc: "A way to run the containers of a pod.",
  name: nameIsDnsSubdomain,
  anyFinalizer: true,
  fields,
  rules: [validateRuntimeClass],
  firstUpdateRules: (_class, _old, { create }) => create(),
  updateRules({ handler }, old, { at }) {
    if (handler !== old.handler) at.invalid("handler", handler, "field is immutable");
  },
  strategy: {
    createOnUpdate: true,
    conditionalUpdateOnly: true,
    warnings: ({ scheduling }) =>
      Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
        const message = deprecatedNodeLabel(key);
        return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
      }),
  },
  columns: [
    nameColumn,
    { name: "Handler", type: "string", cell: ({ handler }) => handler },
    ageColumn,
  ],
});
export interface RuntimeClass extends ObjectOf<typeof RuntimeClass> {}

function validateRuntimeClass({ handler, overhead, scheduling }: Body, at: At): void {
  if (handler === "") at.required("handler");
  else at.invalidEach("handler", handler, nameIsDnsLabel(handler));
  // The rules are those of a container's limits, and so are the paths in errors.
  if (overhead)
    validateResourceRequirements({ limits: overhead.podFixed }, at.child("overhead"), {
      name: validateContainerResourceName,
      claimNames: new Set(),
    });
  if (scheduling) validateScheduling(scheduling, at.child("scheduling"));
}

function validateScheduling({ nodeSelector, tolerations = [] }: Scheduling, at: At): void {
  validateLabels(nodeSelector, at.child("nodeSelector"));
  const here = at.child("tolerations");
  validateTolerations(tolerations, here);
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const { key = "", operator = "", value = "", effect = "" } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity)) here.index(i).duplicate("", shownToleration(toleration));
    seen.add(identity);
  }
}

/** A toleration as upstream holds it in memory, and shows it. */
const shownToleration = (toleration: Toleration): object => ({
  Key: toleration.key ?? "",
  Operator: toleration.operator ?? "",
  Value: toleration.value ?? "",
  Effect: toleration.effect ?? "",
  TolerationSeconds: toleration.tolerationSeconds ?? null,
});
