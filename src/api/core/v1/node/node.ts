import { value } from "../../../../schema/language/field.ts";
import { getWarningsForCidr } from "../../../../schema/values/ip.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { nodeColumns } from "./node-columns.ts";
import { NodeSpec } from "./node-spec.ts";
import { NodeStatus } from "./node-status.ts";
import { validateNode, validateNodeUpdate } from "./node-validation.ts";

export const Node = kind({
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  shortNames: ["no"],
  scope: "Cluster",
  storagePrefix: "minions",
  doc: "A machine that runs pods.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, NodeSpec).doc("What the node is meant to be."),
    status: value(3, NodeStatus).doc("What is known of it."),
  },
  subresources: ["proxy", "status"],
  rules: [validateNode],
  firstUpdateRules: (_node, _old, { create }) => create(),
  updateRules: (node, old, { at }) => validateNodeUpdate(node, old, at),
  statusRules: (node, old, { at }) => validateNodeUpdate(node, old, at),
  strategy: {
    initialStatus: ({ status }) => status,
    prepare({ spec, status }, old) {
      if (!old?.spec.configSource) delete spec.configSource;
      if (!old) delete status.config;
    },
    prepareStatus({ status }, old) {
      if (!old.status.config) delete status.config;
    },
    warnings({ spec }) {
      const warnings: string[] = [];
      if (spec.configSource) warnings.push("spec.configSource: the feature is removed");
      if (spec.externalID)
        warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes");
      for (const [i, cidr] of (spec.podCIDRs ?? []).entries())
        warnings.push(...getWarningsForCidr(`spec.podCIDRs[${i}]`, cidr));
      return warnings;
    },
  },
  columns: nodeColumns,
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
});
export interface Node extends ObjectOf<typeof Node> {}
