import type { FlowSchemaSpec } from "../../api/flowcontrol/v1/flow-schema-spec.ts";
import type { PriorityLevelConfigurationSpec } from "../../api/flowcontrol/v1/priority-level-configuration-spec.ts";

/** The suggested priority levels, which users may change. */
export const suggestedPriorityLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  system: limited(30, 33, { queues: 64, handSize: 6 }),
  "node-high": limited(40, 25, { queues: 64, handSize: 6 }),
  "leader-election": limited(10, 0, { queues: 16, handSize: 4 }),
  "workload-high": limited(40, 50, { queues: 128, handSize: 6 }),
  "workload-low": limited(100, 90, { queues: 128, handSize: 6 }),
  "global-default": limited(20, 50, { queues: 128, handSize: 6 }),
};

type Rules = NonNullable<FlowSchemaSpec["rules"]>[number];
type Subject = Rules["subjects"][number];
type ResourceRule = NonNullable<Rules["resourceRules"]>[number];

const everyone = [group("system:unauthenticated"), group("system:authenticated")];
const nodes = [group("system:nodes")];
const kubeSystemAccounts: Subject = {
  kind: "ServiceAccount",
  serviceAccount: { namespace: "kube-system", name: "*" },
};

/** The suggested flow schemas, which users may change. */
export const suggestedFlowSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  "system-nodes": schema("system", 500, { by: "ByUser", rules: everything(nodes) }),
  "system-node-high": schema("node-high", 400, {
    by: "ByUser",
    rules: {
      subjects: nodes,
      resourceRules: [
        resources({ apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true }),
        resources({ apiGroups: ["coordination.k8s.io"], resources: ["leases"] }),
      ],
    },
  }),
  probes: schema("exempt", 2, {
    rules: {
      subjects: everyone,
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    },
  }),
  "system-leader-election": schema("leader-election", 100, {
    by: "ByUser",
    rules: {
      subjects: [
        user("system:kube-controller-manager"),
        user("system:kube-scheduler"),
        kubeSystemAccounts,
      ],
      resourceRules: [
        resources({
          verbs: ["get", "create", "update"],
          apiGroups: ["coordination.k8s.io"],
          resources: ["leases"],
        }),
      ],
    },
  }),
  "kube-controller-manager": schema("workload-high", 800, {
    by: "ByNamespace",
    rules: everything([user("system:kube-controller-manager")]),
  }),
  "kube-scheduler": schema("workload-high", 800, {
    by: "ByNamespace",
    rules: everything([user("system:kube-scheduler")]),
  }),
  "kube-system-service-accounts": schema("workload-high", 900, {
    by: "ByNamespace",
    rules: everything([kubeSystemAccounts]),
  }),
  "service-accounts": schema("workload-low", 9000, {
    by: "ByUser",
    rules: everything([group("system:serviceaccounts")]),
  }),
  "global-default": schema("global-default", 9900, { by: "ByUser", rules: everything(everyone) }),
};

function limited(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queuing: { readonly queues: number; readonly handSize: number },
): PriorityLevelConfigurationSpec {
  return {
    type: "Limited",
    limited: {
      nominalConcurrencyShares,
      limitResponse: { type: "Queue", queuing: { ...queuing, queueLengthLimit: 50 } },
      lendablePercent,
    },
  };
}

function schema(
  level: string,
  matchingPrecedence: number,
  { by, rules }: { readonly by?: string; readonly rules: Rules },
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(by !== undefined && { distinguisherMethod: { type: by } }),
    rules: [rules],
  };
}

function everything(subjects: readonly Subject[]): Rules {
  return {
    subjects,
    resourceRules: [resources({ apiGroups: ["*"], resources: ["*"], clusterScope: true })],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  };
}

function resources(rule: Partial<ResourceRule>): ResourceRule {
  const { verbs = ["*"], apiGroups = [], resources: names = [], clusterScope } = rule;
  return {
    verbs,
    apiGroups,
    resources: names,
    ...(clusterScope !== undefined && { clusterScope }),
    namespaces: ["*"],
  };
}

function group(name: string): Subject {
  return { kind: "Group", group: { name } };
}

function user(name: string): Subject {
  return { kind: "User", user: { name } };
}
