import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { created, read, updated } from "../../../kind.test-support.ts";
import { write } from "../../../write.test-support.ts";
import { LimitRange } from "./limit-range.ts";

const limits = (...items: readonly object[]) => ({ spec: { limits: items } });
const container = (body: object) => limits({ type: "Container", ...body });
const claim = (body: object) => limits({ type: "PersistentVolumeClaim", ...body });
const at = "spec.limits[0]";

each<[rule: string, body: object, errors: readonly string[]]>([
  ["there may be none", { spec: {} }, []],
  [
    "a type without a domain must be known",
    limits({ type: "Node" }, { type: "example.com/Node" }),
    [`${at}.type: Invalid value: "Node": must be a standard limit type or fully qualified`],
  ],
  [
    "pods have no defaults",
    limits({ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "2" } }),
    [
      `${at}.default: Forbidden: may not be specified when \`type\` is 'Pod'`,
      `${at}.defaultRequest: Forbidden: may not be specified when \`type\` is 'Pod'`,
    ],
  ],
  [
    "a claim's storage is bounded",
    claim({ max: { "requests.storage": "1" } }),
    [
      `${at}.limits: Required value: either minimum or maximum storage value is required, but neither was provided`,
    ],
  ],
  ["one bound of storage is enough", claim({ min: { storage: "0" } }), []],
  [
    "a default request is not above the default limit",
    container({ default: { cpu: "1" }, defaultRequest: { cpu: "2" } }),
    [
      `${at}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1`,
    ],
  ],
  [
    "what cannot be overcommitted has its limit as its request",
    container({ default: { "example.com/gpu": "2" }, defaultRequest: { "example.com/gpu": "1" } }),
    [
      `${at}.defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu`,
    ],
  ],
  [
    "the ratio is not above that of the bounds",
    limits({
      type: "Pod",
      min: { cpu: "300m" },
      max: { cpu: "1" },
      maxLimitRequestRatio: { cpu: "4" },
    }),
    [
      `${at}.maxLimitRequestRatio[cpu]: Invalid value: "4": ratio 4 is greater than max/min = 3.333333`,
    ],
  ],
  [
    "a minimum of zero allows any ratio",
    limits({
      type: "Pod",
      min: { cpu: "0" },
      max: { cpu: "1" },
      maxLimitRequestRatio: { cpu: "9" },
    }),
    [],
  ],
  [
    "amounts are compared, not texts",
    claim({ min: { storage: "1Gi" }, max: { storage: "1024Mi" } }),
    [],
  ],
  [
    "containers have resources of containers",
    container({ maxLimitRequestRatio: { storage: "2" } }),
    [
      `${at}.maxLimitRequestRatio[storage]: Invalid value: "storage": must be a standard resource for containers`,
    ],
  ],
])("LimitRange: %s", (_, body, errors) => {
  expect(created(LimitRange, body)).toEqual(errors);
});

test("LimitRange: a container's request is the limit, or else the minimum", () => {
  const item = { type: "Container", max: { memory: "1Gi" }, min: { cpu: "1", memory: "1Mi" } };
  expect(read(LimitRange, limits(item)).spec.limits).toEqual([
    { ...item, default: { memory: "1Gi" }, defaultRequest: { cpu: "1", memory: "1Gi" } },
  ]);
});

test("LimitRange: an update is validated as a creation is", () => {
  expect(updated(LimitRange, {}, limits({ type: "Node" })).length).toBe(1);
});

test("LimitRange: one without a name gets one", () => {
  const metadata = { uid: "1-2" };
  LimitRange.strategy.prepareCreate?.({ metadata } as never, write);
  expect(metadata).toEqual({ uid: "1-2", name: "1-2" });
});
