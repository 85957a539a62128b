import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { parseAuditPolicy } from "./parse-audit-policy.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

test("parseAuditPolicy: a policy, with warnings about fields that are ignored", () => {
  const text = `${head}omitManagedFields: true
rules:
- level: None
  resources: [{group: "", resources: ["leases"], verbs: ["get"]}]
- level: Metadata
  level: Request
`;
  const { policy, warnings } = parseAuditPolicy(text);
  expect(policy.rules?.map(({ level }) => level)).toEqual(["None", "Request"]);
  expect(policy.omitManagedFields).toBe(true);
  expect(warnings).toEqual([
    expect.stringContaining('key "level" already set'),
    expect.stringContaining('unknown field "rules[0].resources[0].verbs"'),
  ]);
});

each<[text: string, error: string]>([
  [
    "rules: [{level: None}]",
    "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy",
  ],
  ["", "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy"],
  [head, "loaded illegal policy with 0 rules"],
  [`${head}rules: [{level: Foo}, {}]`, '[rules[0].level: Unsupported value: "Foo"'],
  [
    "apiVersion: audit.k8s.io/v2\nkind: Policy",
    'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v2" in scheme "k8s.io/apiserver/pkg/audit/scheme.go:30"',
  ],
  [`${head}rules: {`, "failed decoding: "],
  [`${head}rules: 3`, "failed decoding: json: cannot unmarshal number into"],
])("parseAuditPolicy: %j is rejected", (text, error) => {
  expect(() => parseAuditPolicy(text)).toThrow(error);
});
