import { expect, test } from "vitest";
import { resourceListOf } from "../../../api/core/v1/quota/amounts.ts";
import type { AnyEvaluator } from "../../../api/core/v1/quota/evaluator.ts";
import { quotaEvaluators } from "../../../api/core/v1/quota/evaluators.ts";
import type { ResourceQuota } from "../../../api/core/v1/quota/resource-quota.ts";
import type { ResourceList } from "../../../api/core/v1/resource-list.ts";
import { accountOf, type Charge, checkQuotas } from "./check-quotas.ts";
import type { LimitedResource } from "./configuration.ts";

const evaluatorOf = quotaEvaluators({
  now: () => 0,
  deviceClasses: () => [],
  pod: () => undefined,
  claims: () => [],
});
const of = (plural: string) => evaluatorOf({ group: "", plural }) as AnyEvaluator;

const quota = (hard: ResourceList, used?: ResourceList, spec: object = {}, name = "q") =>
  ({ metadata: { name }, spec: { hard, ...spec }, status: { hard, used } }) as ResourceQuota;

const charge = (plural: string, object: object, more: Partial<Charge> = {}): Charge => ({
  evaluator: of(plural),
  operation: "CREATE",
  subresource: "",
  object,
  old: undefined,
  ...more,
});
const pod = (spec: object, requests?: object) => ({
  metadata: {},
  spec: { containers: [{ name: "c", resources: { requests } }], ...spec },
  status: {},
});
const volume = (storage: string, allocated?: string) => ({
  metadata: {},
  spec: { storageClassName: "gold", resources: { requests: { storage } } },
  status: allocated ? { allocatedResources: { storage: allocated } } : {},
});
const service = (type: string, ports: number) => ({
  metadata: {},
  spec: { type, ports: Array.from({ length: ports }, () => ({})) },
  status: {},
});

/** The usage of each quota after the write, or the reason of its rejection. */
function checked(
  quotas: readonly ResourceQuota[],
  given: Charge,
  limited: readonly LimitedResource[] = [],
): unknown {
  const outcome = checkQuotas(quotas.map(accountOf), given, limited);
  if (!("accounts" in outcome)) return outcome;
  return outcome.accounts.map(({ used }) => resourceListOf(used));
}

test("a write is charged to each quota that tracks it", () => {
  const quotas = [
    quota({ pods: "2", "requests.cpu": "1" }, { pods: "1", "requests.cpu": "250m" }, {}, "a"),
    quota({ "count/pods": "5", secrets: "1" }, { "count/pods": "1", secrets: "1" }, {}, "b"),
    quota({ services: "1" }, { services: "1" }, {}, "c"),
  ];
  expect(checked(quotas, charge("pods", pod({}, { cpu: "500m" })))).toEqual([
    { pods: "2", "requests.cpu": "750m" },
    { "count/pods": "2", secrets: "1" },
    { services: "1" },
  ]);
});

test("the error lists the exceeded resources, with requested, used and limited amounts", () => {
  const quotas = [
    quota(
      { pods: "1", "requests.cpu": "1", "requests.memory": "1Gi" },
      { pods: "0", "requests.cpu": "750m", "requests.memory": "900Mi" },
    ),
  ];
  expect(checked(quotas, charge("pods", pod({}, { cpu: "500m", memory: "200Mi" })))).toEqual({
    forbidden:
      "exceeded quota: q, requested: requests.cpu=500m,requests.memory=200Mi, used: requests.cpu=750m,requests.memory=900Mi, limited: requests.cpu=1,requests.memory=1Gi",
  });
});

test("a resource that is exceeded already does not block writes that do not use it", () => {
  const quotas = [quota({ pods: "5", "limits.cpu": "1" }, { pods: "1", "limits.cpu": "3" })];
  const spec = { containers: [{ name: "c", resources: { limits: { cpu: "0" } } }] };
  expect(checked(quotas, charge("pods", pod(spec)))).toEqual([{ pods: "2", "limits.cpu": "3" }]);
});

test("a pod without a limited resource is rejected before anything is charged", () => {
  const quotas = [quota({ "requests.cpu": "0", memory: "1" })];
  expect(checked(quotas, charge("pods", pod({}, { cpu: "1" })))).toEqual({
    forbidden: "failed quota: q: must specify memory for: c",
  });
});

test("writes are rejected until the usage is known", () => {
  const quotas = [quota({ pods: "2", "count/pods": "1" }, { pods: "0" })];
  expect(checked(quotas, charge("pods", pod({})))).toEqual({
    forbidden: "status unknown for quota: q, resources: count/pods,pods",
  });
});

test("only quotas whose scopes match an object are charged", () => {
  const terminating = { scopes: ["Terminating"] };
  const quotas = [quota({ pods: "0" }, { pods: "0" }, terminating)];
  expect(checked(quotas, charge("pods", pod({})))).toEqual([{ pods: "0" }]);
  expect(checked(quotas, charge("pods", pod({ activeDeadlineSeconds: 1 })))).toMatchObject({
    forbidden: "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0",
  });
});

test("an object that enters a scope is charged in full, one that was in it for the increase", () => {
  const quotas = [
    quota({ pods: "9" }, { pods: "3" }, { scopes: ["Terminating"] }),
    quota({ pods: "9" }, { pods: "3" }),
  ];
  const update = charge("pods", pod({ activeDeadlineSeconds: 1 }), {
    operation: "UPDATE",
    old: pod({}),
  });
  expect(checked(quotas, update)).toEqual([{ pods: "4" }, { pods: "3" }]);
});

test.each<[string, object, object, object]>([
  [
    "more ports",
    service("NodePort", 2),
    service("NodePort", 3),
    { "services.nodeports": "4", services: "1" },
  ],
  [
    "fewer ports",
    service("NodePort", 3),
    service("NodePort", 1),
    { "services.nodeports": "3", services: "1" },
  ],
])("an update is charged for what is more: %s", (_, old, object, used) => {
  const quotas = [
    quota(
      { "services.nodeports": "4", services: "1" },
      { "services.nodeports": "3", services: "1" },
    ),
  ];
  expect(checked(quotas, charge("services", object, { operation: "UPDATE", old }))).toEqual([used]);
});

test("an increase in the status is charged even if it exceeds the quota", () => {
  const quotas = [quota({ "requests.storage": "2Gi" }, { "requests.storage": "1Gi" })];
  const grown = { operation: "UPDATE", old: volume("1Gi") } as const;
  expect(
    checked(
      quotas,
      charge("persistentvolumeclaims", volume("1Gi", "5Gi"), { ...grown, subresource: "status" }),
    ),
  ).toEqual([{ "requests.storage": "5Gi" }]);
  expect(checked(quotas, charge("persistentvolumeclaims", volume("5Gi"), grown))).toEqual({
    forbidden:
      "exceeded quota: q, requested: requests.storage=4Gi, used: requests.storage=1Gi, limited: requests.storage=2Gi",
  });
});

test("a negative amount is rejected", () => {
  const quotas = [quota({ cpu: "1" }, { cpu: "0" })];
  expect(checked(quotas, charge("pods", pod({}, { cpu: "-1" })))).toEqual({
    forbidden: "quota usage is negative for resource(s): cpu,requests.cpu",
  });
});

const storage = {
  resource: "persistentvolumeclaims",
  matchContains: [".storageclass.storage.k8s.io/requests.storage"],
};
test("a resource that is limited by default needs a quota that covers it", () => {
  const given = charge("persistentvolumeclaims", volume("1Gi"));
  const name = "gold.storageclass.storage.k8s.io/requests.storage";
  expect(checked([], given, [storage])).toEqual({
    forbidden: `insufficient quota to consume: ${name}`,
  });
  const other = quota({ "requests.storage": "1Gi" }, { "requests.storage": "0" });
  expect(checked([other], given, [storage])).toEqual({
    forbidden: `insufficient quota to consume: ${name}`,
  });
  expect(checked([quota({ [name]: "1Gi" }, { [name]: "0" })], given, [storage])).toEqual([
    { [name]: "1Gi" },
  ]);
  expect(checked([], charge("pods", pod({})), [storage])).toEqual([]);
});

const services = { scopeName: "PriorityClass", operator: "In", values: ["cluster-services"] };
test("an object in a scope that is limited by default needs a quota for the scope", () => {
  const limited = [{ resource: "pods", matchScopes: [services] }];
  const given = charge("pods", pod({ priorityClassName: "cluster-services" }));
  expect(checked([quota({ pods: "1" }, { pods: "0" })], given, limited)).toEqual({
    fault: "insufficient quota to match these scopes: [{PriorityClass In [cluster-services]}]",
  });
  const scopeSelector = { matchExpressions: [services] };
  expect(checked([quota({ pods: "1" }, { pods: "0" }, { scopeSelector })], given, limited)).toEqual(
    [{ pods: "1" }],
  );
  expect(checked([], charge("pods", pod({})), limited)).toEqual([]);
});

test("a scope that selects nothing sensible is an error", () => {
  const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["-"] }];
  const quotas = [quota({ pods: "1" }, { pods: "0" }, { scopeSelector: { matchExpressions } })];
  expect(checked(quotas, charge("pods", pod({})))).toMatchObject({
    fault: expect.stringMatching(
      /^error matching scopes of quota q, err: error on matching scope {PriorityClass In \[-\]}: failed to parse and convert selector: values\[0\]/,
    ),
  });
});
