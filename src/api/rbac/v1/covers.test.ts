import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { matchesPath, uncovered } from "./covers.ts";
import type { PolicyRule } from "./policy-rule.ts";

const rule = (verbs: string, apiGroups: string, resources: string, names?: string): PolicyRule => ({
  verbs: verbs.split(" "),
  apiGroups: apiGroups.split(" "),
  resources: resources.split(" "),
  ...(names !== undefined && { resourceNames: names.split(" ") }),
});
const paths = (verbs: string, nonResourceURLs: string): PolicyRule => ({
  verbs: verbs.split(" "),
  nonResourceURLs: nonResourceURLs.split(" "),
});

each<[what: string, owner: PolicyRule[], rules: PolicyRule[], lacking: PolicyRule[]]>([
  ["nothing covers nothing", [], [], []],
  ["a rule covers itself", [rule("get", "", "pods")], [rule("get", "", "pods")], []],
  ["nothing covers no rule", [], [rule("get", "", "pods")], [rule("get", "", "pods")]],
  [
    "what is lacking is named one by one",
    [rule("get", "", "pods")],
    [rule("get list", " apps", "pods nodes")],
    [
      rule("list", "", "pods"),
      rule("get", "", "nodes"),
      rule("list", "", "nodes"),
      rule("get", "apps", "pods"),
      rule("list", "apps", "pods"),
      rule("get", "apps", "nodes"),
      rule("list", "apps", "nodes"),
    ],
  ],
  [
    "several rules cover one together",
    [rule("get", "", "pods"), rule("list", "", "pods nodes"), rule("get", "", "nodes")],
    [rule("get list", "", "pods nodes")],
    [],
  ],
  ["a star covers all verbs", [rule("*", "", "pods")], [rule("get eat", "", "pods")], []],
  ["and all groups", [rule("get", "*", "pods")], [rule("get", " apps", "pods")], []],
  ["and all resources", [rule("get", "", "*")], [rule("get", "", "pods pods/log")], []],
  [
    "all verbs are more than any verbs",
    [rule("get list", "", "pods")],
    [rule("*", "", "pods")],
    [rule("*", "", "pods")],
  ],
  [
    "a resource does not cover its subresources",
    [rule("get", "", "pods")],
    [rule("get", "", "pods/log")],
    [rule("get", "", "pods/log")],
  ],
  [
    "a subresource of all resources covers that of one",
    [rule("get", "", "*/scale")],
    [rule("get", "", "pods/scale pods/log")],
    [rule("get", "", "pods/log")],
  ],
  ["all objects are more than one", [rule("get", "", "pods")], [rule("get", "", "pods", "a")], []],
  [
    "objects are less than all, and than others",
    [rule("get", "", "pods", "a b")],
    [rule("get", "", "pods"), rule("get", "", "pods", "a c")],
    [rule("get", "", "pods"), rule("get", "", "pods", "c")],
  ],
  ["paths cover paths", [paths("get", "/a")], [paths("get", "/a")], []],
  ["a star covers what follows", [paths("get", "/a/*")], [paths("get", "/a/ /a/b /a/*")], []],
  [
    "but not what it does not begin with",
    [paths("get", "/a/*")],
    [paths("get post", "/a")],
    [paths("get", "/a"), paths("post", "/a")],
  ],
  ["a star alone covers every path", [paths("*", "*")], [paths("get", "/a /b/*")], []],
  [
    "rules for paths are no rules for resources",
    [paths("*", "*")],
    [rule("get", "", "pods")],
    [rule("get", "", "pods")],
  ],
  ["nor the other way around", [rule("*", "*", "*")], [paths("get", "/a")], [paths("get", "/a")]],
  [
    "a rule for some objects says nothing of paths, even if it has some",
    [{ ...paths("get", "/a"), resourceNames: ["x"] }],
    [paths("get", "/a")],
    [paths("get", "/a")],
  ],
  ["a rule without verbs asks for nothing", [], [{ ...rule("get", "", "pods"), verbs: [] }], []],
])("uncovered: %s", (_, owner, rules, lacking) => {
  expect(uncovered(owner, rules)).toEqual(lacking);
});

test("matchesPath: only stars at the end stand for something else", () => {
  const matching = ["*", "/a*", "/a/*", "/a/b", "/a/b**", "/*/b", "/a/", "/a"].filter((pattern) =>
    matchesPath(pattern, "/a/b"),
  );
  expect(matching).toEqual(["*", "/a*", "/a/*", "/a/b", "/a/b**"]);
});
