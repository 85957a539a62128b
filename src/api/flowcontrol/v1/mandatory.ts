import type { FlowSchemaSpec } from "./flow-schema-spec.ts";
import type { PriorityLevelConfigurationSpec } from "./priority-level-configuration-spec.ts";

const everything = {
  resourceRules: [
    {
      verbs: ["*"],
      apiGroups: ["*"],
      resources: ["*"],
      clusterScope: true,
      namespaces: ["*"],
    },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const group = (name: string) => ({ kind: "Group", group: { name } });

/** The flow schemas that every server has, and which may not be changed. */
export const mandatoryFlowSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: [{ subjects: [group("system:masters")], ...everything }],
  },
  "catch-all": {
    priorityLevelConfiguration: { name: "catch-all" },
    matchingPrecedence: 10000,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [group("system:unauthenticated"), group("system:authenticated")],
        ...everything,
      },
    ],
  },
};

/** The priority levels that every server has. */
export const mandatoryPriorityLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  "catch-all": {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: 5,
      limitResponse: { type: "Reject" },
      lendablePercent: 0,
    },
  },
};
