import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { At } from "../../../../schema/language/report.ts";
import { validateContainerResourceName } from "../resource-name.ts";
import { ResourceRequirements, validateResourceRequirements } from "./resource-requirements.ts";

function errors(requirements: ResourceRequirements, claims: readonly string[] = []) {
  const at = At.root();
  validateResourceRequirements(requirements, at.child("r"), {
    name: validateContainerResourceName,
    claimNames: new Set(claims),
  });
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}

each<[rule: string, found: readonly string[], expected: readonly string[]]>([
  [
    "requests do not exceed limits",
    errors({ limits: { cpu: "1" }, requests: { cpu: "1500m" } }),
    ['r.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1'],
  ],
  [
    "what cannot be overcommitted has equal requests and limits",
    errors({ limits: { "a.b/x": "2" }, requests: { "a.b/x": "1" } }),
    ['r.requests: Invalid value: "1": must be equal to a.b/x limit of 2'],
  ],
  [
    "and it has a limit",
    errors({ requests: { "a.b/x": "1" } }),
    ["r.limits: Required value: Limit must be set for non overcommitable resources"],
  ],
  [
    "huge pages come with cpu or memory, in whole pages",
    errors({ limits: { "hugepages-2Mi": "3Mi" } }),
    [
      'r.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      "r: Forbidden: HugePages require cpu or memory",
    ],
  ],
  [
    "claims are the pod's, once each",
    errors({ claims: [{ name: "a", request: "x" }, { name: "a" }, { name: "b" }, { name: "" }] }, [
      "z",
      "a",
    ]),
    [
      'r.claims[1]: Duplicate value: "a"',
      'r.claims[2]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a, z',
      "r.claims[3]: Required value",
    ],
  ],
  [
    "a claim as a whole covers its requests",
    errors({ claims: [{ name: "a" }, { name: "a", request: "x" }] }, ["a"]),
    ['r.claims[1]: Duplicate value: "a"'],
  ],
])("validateResourceRequirements: %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});

test("ResourceRequirements: amounts are rounded up to thousandths", () => {
  const value = {
    limits: { cpu: "1u", memory: "128Mi", "a.b/x": "1500m" },
    requests: { cpu: "100001u", memory: "1e-9" },
  };
  applyDefaults(ResourceRequirements, value);
  expect(value).toEqual({
    limits: { cpu: "1m", memory: "128Mi", "a.b/x": "1500m" },
    requests: { cpu: "101m", memory: "1e-3" },
  });
});
