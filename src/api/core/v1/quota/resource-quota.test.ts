import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import {
  cellsOf,
  created,
  statusUpdated,
  updated,
  warningsOf,
} from "../../../kind.test-support.ts";
import { ResourceQuota } from "./resource-quota.ts";

const hard = (amounts: object, spec: object = {}) => ({ spec: { hard: amounts, ...spec } });
const select = (...matchExpressions: readonly object[]) => ({
  spec: { scopeSelector: { matchExpressions } },
});
const at = "spec.scopeSelector.matchExpressions";
const exists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

each<[rule: string, body: object, errors: readonly string[]]>([
  ["counts of any resource have a slash", hard({ "count/widgets.example.com": "3" }), []],
  ["huge pages have quotas", hard({ "requests.hugepages-2Mi": "4Mi" }), []],
  [
    "plain storage has none",
    hard({ storage: "1" }),
    ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
  ],
  [
    "things of others are counted in whole numbers",
    hard({ "example.com/gpu": "500m" }),
    ['spec.hard[example.com/gpu]: Invalid value: "500m": must be an integer'],
  ],
  [
    "each scope has resources of its own",
    hard({ "requests.storage": "1", pods: "1" }, { scopes: ["VolumeAttributesClass"] }),
    [
      'spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource',
    ],
  ],
  [
    "resources that are not quota's own fit any scope",
    hard({ "count/pods": "1" }, { scopes: ["BestEffort"] }),
    [],
  ],
  [
    "both pairs of opposites conflict",
    hard({}, { scopes: ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating"] }),
    Array(2).fill(
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Terminating","NotTerminating"]: conflicting scopes',
    ),
  ],
  [
    "scopes without values only exist",
    select({ scopeName: "BestEffort", operator: "In", values: ["a"] }),
    [`${at}.operator: Invalid value: "In": ${exists}`],
  ],
  [
    "what exists has no values",
    select({ scopeName: "PriorityClass", operator: "Exists", values: ["a"] }),
    [
      `${at}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
    ],
  ],
  [
    "opposites in a selector are shown as the scopes beside it",
    select(
      { scopeName: "Terminating", operator: "Exists" },
      { scopeName: "NotTerminating", operator: "Exists" },
    ),
    [`${at}: Invalid value: null: conflicting scopes`],
  ],
  [
    "a selector that does not fit the resources is shown as it is in memory",
    hard(
      { cpu: "1" },
      { scopeSelector: { matchExpressions: [{ scopeName: "BestEffort", operator: "Exists" }] } },
    ),
    [
      `${at}: Invalid value: {"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"Exists","Values":null}]}: unsupported scope applied to resource`,
    ],
  ],
])("ResourceQuota: %s", (_, body, errors) => {
  expect(created(ResourceQuota, body)).toEqual(errors);
});

test("ResourceQuota: its scopes change their order at most", () => {
  const scopes = (...list: readonly string[]) => hard({}, { scopes: list });
  const old = scopes("NotBestEffort", "Terminating");
  expect([
    updated(ResourceQuota, old, scopes("Terminating", "NotBestEffort")),
    updated(ResourceQuota, old, {}),
  ]).toEqual([[], ["spec.scopes: Invalid value: null: field is immutable"]]);
});

test("ResourceQuota: its status has amounts as its spec has", () => {
  const status = { hard: { widgets: "1" }, used: { pods: "-1" } };
  expect(statusUpdated(ResourceQuota, {}, { status })).toEqual([
    'status.hard[widgets]: Invalid value: "widgets": must be a standard resource type or fully qualified',
    'status.hard[widgets]: Invalid value: "widgets": must be a standard resource for quota',
    'status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ]);
});

test("ResourceQuota: requests above limits are warned of at first", () => {
  const body = hard({
    cpu: "2",
    "limits.cpu": "1",
    memory: "1Gi",
    "requests.memory": "1Mi",
    "limits.memory": "1Mi",
  });
  expect([warningsOf(ResourceQuota, body), warningsOf(ResourceQuota, body, body)]).toEqual([
    ["ResourceQuota cpu (2) should be less than limits.cpu (1)"],
    [],
  ]);
});

test("ResourceQuota: a row shows what is used, limits apart", () => {
  const status = {
    hard: { pods: "10", "limits.cpu": "4", "requests.cpu": "2" },
    used: { pods: "3", "limits.cpu": "500m" },
  };
  expect(cellsOf(ResourceQuota, { status })).toEqual([
    "pods: 3/10, requests.cpu: 0/2",
    "limits.cpu: 500m/4",
  ]);
});
