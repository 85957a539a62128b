import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import type { NamedRuleWithOperations } from "./rule.ts";
import { validateMutatingOperations, validateNamedRuleWithOperations } from "./rule-validation.ts";

const pods: NamedRuleWithOperations = {
  operations: ["CREATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["pods"],
  scope: "*",
};
const messages = ({ errors }: At) => errors.map(({ field, message }) => `${field}: ${message}`);

each<[rule: string, change: Partial<NamedRuleWithOperations>, errors: readonly string[]]>([
  ["the core group has an empty name", {}, []],
  [
    "all operations stand alone",
    { operations: ["*", "CREATE"] },
    [
      `operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
    ],
  ],
  [
    "all groups and all versions stand alone",
    { apiGroups: ["apps", "*"], apiVersions: ["*", "v1"] },
    [
      `apiGroups: Invalid value: ["apps","*"]: if '*' is present, must not specify other API groups`,
      `apiVersions: Invalid value: ["*","v1"]: if '*' is present, must not specify other API versions`,
    ],
  ],
  ["all resources go with subresources", { resources: ["*", "pods/status"] }, []],
  [
    "all resources go with no other resource",
    { resources: ["*", "pods"] },
    [
      `resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
    ],
  ],
  ["of plain resources only the last is looked at", { resources: ["pods", "*"] }, []],
  [
    "everything stands alone",
    { resources: ["*/*", "pods"] },
    [
      `resources: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`,
    ],
  ],
  [
    "what was said of more is not said again",
    { resources: ["pods/*", "*/scale", "pods/scale", "pods/*", ""] },
    [
      `resources[2]: Invalid value: "pods/scale": if 'pods/*' is present, must not specify pods/scale`,
      `resources[2]: Invalid value: "pods/scale": if '*/scale' is present, must not specify pods/scale`,
      `resources[3]: Invalid value: "pods/*": if 'pods/*' is present, must not specify pods/*`,
      "resources[4]: Required value",
    ],
  ],
  ["what says more may follow", { resources: ["pods/scale", "pods/*"] }, []],
  [
    "a scope is one of three",
    { scope: "Namespace" },
    [`scope: Unsupported value: "Namespace": supported values: "*", "Cluster", "Namespaced"`],
  ],
  [
    "names can stand in a path, each once",
    { resourceNames: ["a", "..", "a", "b%"] },
    [
      `resourceNames[1]: Invalid value: "..": may not be '..'`,
      `resourceNames[2]: Duplicate value: "a"`,
      `resourceNames[3]: Invalid value: "b%": may not contain '%'`,
    ],
  ],
])("validateNamedRuleWithOperations: %s", (_, change, errors) => {
  const at = At.root();
  validateNamedRuleWithOperations({ ...pods, ...change }, at);
  expect(messages(at)).toEqual(errors);
});

test("validateMutatingOperations: what is deleted cannot be changed", () => {
  const at = At.root();
  validateMutatingOperations([pods, { ...pods, operations: ["CONNECT", "DELETE"] }], at);
  expect(messages(at)).toEqual([
    `resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`,
  ]);
});
