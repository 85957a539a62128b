import { message, quantity, string } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { parseQuantity, quantitySign } from "../../../schema/values/quantity.ts";
import { deprecatedNodeLabel } from "../../core/v1/node/node-label-warnings.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { createdAtColumn } from "../../meta/v1/created-at-column.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import {
  LabelSelector,
  shownSelector,
  validateLabelSelector,
} from "../../meta/v1/label-selector.ts";

const fields = {
  nodeTopology: message(2, LabelSelector).doc(
    "The nodes from which the storage can be reached; all if empty. Never changes.",
  ),
  storageClassName: string(3)
    .always()
    .expected()
    .doc("The class that the capacity is for. Never changes."),
  capacity: quantity(4).doc("How much there is, as far as the driver knows."),
  maximumVolumeSize: quantity(5).doc("The largest volume that can be made."),
};
type Body = ObjectValue<typeof fields>;

export const CSIStorageCapacity = kind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  scope: "Namespaced",
  doc: "How much storage of a class there is for some nodes.",
  name: nameIsDnsSubdomain,
  fields,
  rules: [(capacity, at) => validateCapacity(capacity, undefined, at)],
  firstUpdateRules(capacity, old, { at, metadata }) {
    metadata();
    validateCapacity(capacity, old, at);
  },
  updateRules({ nodeTopology, storageClassName }, old, { at }) {
    if (!sameValue(shownSelector(nodeTopology), shownSelector(old.nodeTopology)))
      at.invalid("nodeTopology", shownSelector(nodeTopology), "field is immutable");
    if (storageClassName !== old.storageClassName)
      at.invalid("storageClassName", storageClassName, "field is immutable");
  },
  strategy: { conditionalUpdateOnly: true, warnings: topologyWarnings },
  columns: [nameColumn, createdAtColumn],
});
export interface CSIStorageCapacity extends ObjectOf<typeof CSIStorageCapacity> {}

function validateCapacity(
  { nodeTopology, storageClassName, capacity }: Body,
  old: Body | undefined,
  at: At,
): void {
  validateLabelSelector(nodeTopology, at.child("nodeTopology"), {
    allowInvalidValues: hasInvalidTopology(old),
  });
  at.invalidEach("storageClassName", storageClassName, nameIsDnsSubdomain(storageClassName));
  if (capacity !== undefined && quantitySign(parseQuantity(capacity)) < 0)
    at.invalid("capacity", capacity, "must be greater than or equal to 0");
}

/** Whether the stored object broke a rule that it may go on breaking. */
function hasInvalidTopology(old: Body | undefined): boolean {
  const report = At.root();
  validateLabelSelector(old?.nodeTopology, report);
  return report.errors.length > 0;
}

function topologyWarnings({ nodeTopology }: Body): readonly string[] {
  const { matchExpressions = [], matchLabels = {} } = nodeTopology ?? {};
  const warnings = matchExpressions.flatMap(({ key }, i) => {
    const message = deprecatedNodeLabel(key);
    const path = `nodeTopology.matchExpressions[${i}].key`;
    return message === undefined ? [] : [`${path}: ${key} is ${message}`];
  });
  const labels = Object.keys(matchLabels).flatMap((key) => {
    const message = deprecatedNodeLabel(key);
    return message === undefined ? [] : [`nodeTopology.matchLabels.${key}: ${message}`];
  });
  return [...warnings, ...labels];
}
