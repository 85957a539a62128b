import { list, listOf, named, string, time, value } from "../../../schema/language/field.ts";
import type { Dependents } from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Draft, type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString } from "../../../schema/language/type.ts";
import { isQualifiedName, nameIsDnsLabel } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { conditionStatus } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import {
  validateFinalizerDomain,
  validateObjectMetaUpdate,
} from "../../meta/v1/object-meta-validation.ts";

/** The label that carries the name of a namespace, so that selectors can name it. */
const namespaceNameLabel = "kubernetes.io/metadata.name";

export const NamespaceSpec = struct("io.k8s.api.core.v1.NamespaceSpec", {
  finalizers: listOf(1, namedString("v1.FinalizerName"))
    .known("kubernetes")
    .atomic()
    .doc("Who must have emptied the namespace before it is removed."),
}).doc("What a namespace is meant to be.");
export interface NamespaceSpec extends Infer<typeof NamespaceSpec> {}

export const NamespaceCondition = struct("io.k8s.api.core.v1.NamespaceCondition", {
  type: named(1, "v1.NamespaceConditionType")
    .always()
    .expected()
    .known(
      "NamespaceDeletionDiscoveryFailure",
      "NamespaceDeletionContentFailure",
      "NamespaceDeletionGroupVersionParsingFailure",
      "NamespaceContentRemaining",
      "NamespaceFinalizersRemaining",
    )
    .doc("What the condition is about."),
  status: conditionStatus(2),
  lastTransitionTime: time(4).always().doc("When the status last changed."),
  reason: string(5).doc("Why it last changed, for machines."),
  message: string(6).doc("Why it last changed, for people."),
}).doc("One aspect of the state of a namespace that is being deleted.");
export interface NamespaceCondition extends Infer<typeof NamespaceCondition> {}

export const NamespaceStatus = struct("io.k8s.api.core.v1.NamespaceStatus", {
  phase: named(1, "v1.NamespacePhase")
    .known("Active", "Terminating")
    .doc("Whether the namespace is in use or being deleted."),
  conditions: list(2, NamespaceCondition).keyedBy("type").doc("How its deletion is going."),
})
  .defaults((status) => {
    status.phase ||= "Active";
  })
  .doc("What is known of a namespace.");
export interface NamespaceStatus extends Infer<typeof NamespaceStatus> {}

const fields = {
  spec: value(2, NamespaceSpec).doc("What the namespace is meant to be."),
  status: value(3, NamespaceStatus).doc("What is known of it."),
};
type NamespaceDraft = Draft<ObjectValue<typeof fields>>;

export const Namespace = kind({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  scope: "Cluster",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  doc: "A space in which names of objects are unique.",
  name: nameIsDnsLabel,
  fields,
  subresources: ["finalize", "status"],
  defaults: labelWithName,
  rules: [
    ({ spec }, at) => {
      for (const finalizer of spec.finalizers ?? [])
        validateFinalizer(finalizer, at.child("spec").child("finalizers"));
    },
  ],
  firstUpdateRules: (_object, _old, { create }) => create(),
  updateRules() {},
  statusRules({ metadata, status: { phase = "" } }, _old, { at }) {
    const here = at.child("status");
    if (!metadata.deletionTimestamp && phase !== "Active")
      here.invalid("Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
    if (metadata.deletionTimestamp && phase !== "Terminating")
      here.invalid("Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
  },
  strategy: {
    initialStatus: { phase: "Active" },
    prepare(namespace, old) {
      const { finalizers = [] } = namespace.spec;
      if (old) setFinalizers(namespace, old.spec.finalizers);
      else if (!finalizers.includes("kubernetes"))
        namespace.spec.finalizers = [...finalizers, "kubernetes"];
    },
    resets: { finalize: ["status"] },
    deleteReturnsObject: true,
    beginDelete(namespace, dependents) {
      namespace.status.phase = "Terminating";
      holdForCollector(namespace, dependents);
    },
    mayDelete: ({ spec }) => (spec.finalizers ?? []).length === 0,
    updates: { finalize: { prepare: prepareFinalize, validate: validateFinalize } },
    canonicalise: labelWithName,
  },
  columns: [
    nameColumn,
    {
      name: "Status",
      type: "string",
      description: "The status of the namespace",
      cell: ({ status }) => status.phase ?? "",
    },
    ageColumn,
  ],
  selectableFields: { "status.phase": ({ status }) => status.phase ?? "" },
});
export interface Namespace extends ObjectOf<typeof Namespace> {}

/**
 * Sets the finalizers of the garbage collector as whoever deletes the namespace wants it: other than
 * elsewhere, not to orphan means to delete in the foreground.
 */
function holdForCollector(
  { metadata }: NamespaceDraft,
  { orphanDependents, propagationPolicy }: Dependents,
): void {
  const { finalizers = [] } = metadata;
  const isWanted = (finalizer: string, policy: string, orphans: boolean) => {
    if (orphanDependents !== undefined) return orphanDependents === orphans;
    if (propagationPolicy !== undefined) return propagationPolicy === policy;
    return finalizers.includes(finalizer);
  };
  const wanted = {
    orphan: isWanted("orphan", "Orphan", true),
    foregroundDeletion: isWanted("foregroundDeletion", "Foreground", false),
  };
  const kept = finalizers.filter((name) => wanted[name as keyof typeof wanted] ?? true);
  for (const [name, isOn] of Object.entries(wanted))
    if (isOn && !kept.includes(name)) kept.push(name);
  metadata.finalizers = kept;
}

/** Before an update of the finalize subresource, which alone may change the finalizers of the spec. */
function prepareFinalize(namespace: NamespaceDraft, old: NamespaceDraft): void {
  namespace.status = old.status;
}

/** The rules of an update of the finalize subresource. */
function validateFinalize(namespace: NamespaceDraft, old: NamespaceDraft, at: At): void {
  const { finalizers = [] } = namespace.metadata;
  validateObjectMetaUpdate(namespace.metadata, old.metadata, at.child("metadata"));
  for (const [i, finalizer] of finalizers.entries())
    validateFinalizerDomain(finalizer, at.child("metadata").child("finalizers").index(i));
  const here = at.child("spec").child("finalizers");
  for (const [i, finalizer] of (namespace.spec.finalizers ?? []).entries())
    validateFinalizer(finalizer, here.index(i));
}

function validateFinalizer(finalizer: string, at: At): void {
  at.invalidEach("", finalizer, isQualifiedName(finalizer));
  validateFinalizerDomain(finalizer, at);
}

function setFinalizers(namespace: NamespaceDraft, finalizers: string[] | undefined): void {
  if (finalizers) namespace.spec.finalizers = finalizers;
  else delete namespace.spec.finalizers;
}

function labelWithName({ metadata }: NamespaceDraft): void {
  if (!metadata.name) return;
  metadata.labels = sorted({ ...metadata.labels, [namespaceNameLabel]: metadata.name });
}

const sorted = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
