import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { namedKind, namedKinds } from "./resource-names.ts";
import { restMapping } from "./rest-mapping.ts";
import { apiResource, serverApis } from "./server-apis.test-support.ts";

const apis = serverApis([
  apiResource("v1", "Pod", { shortNames: ["po"], categories: ["all"] }),
  apiResource("v1", "ConfigMap", { shortNames: ["cm"] }),
  apiResource("apps/v1", "Deployment", { shortNames: ["deploy"], categories: ["all"] }),
  apiResource("policy/v1", "PodDisruptionBudget", { shortNames: ["pdb"] }),
  apiResource("mine.example.com/v1", "Pork", { shortNames: ["po", "pk"], categories: ["all"] }),
  apiResource("mine.example.com/v1beta1", "Pork", {
    shortNames: ["po", "pk"],
    categories: ["all"],
  }),
  // A short name that is the plural of another resource.
  apiResource("odd.example.com/v1", "Odd", { shortNames: ["pods"] }),
  // The singular differs from the kind in lower case.
  apiResource("odd.example.com/v1", "OddThing", { plural: "oddities", singular: "oddity" }),
]);
const mapping = restMapping(apis);

each<[typed: string, meant: string]>([
  ["po", "v1 pods"],
  ["pods", "v1 pods"],
  ["Pod", "v1 pods"],
  ["deploy", "apps/v1 deployments"],
  ["deployments.apps", "apps/v1 deployments"],
  ["deployment.v1.apps", "apps/v1 deployments"],
  ["Deployment.v1.apps", "apps/v1 deployments"],
  // A version after a short name is ignored.
  ["deploy.v7.apps", "apps/v1 deployments"],
  ["deployments.v7.apps", 'the server doesn\'t have a resource type "deployments"'],
  ["deployments.ap", "apps/v1 deployments"],
  ["deploy.ap", "apps/v1 deployments"],
  ["porks.mine.example.com", "mine.example.com/v1 porks"],
  ["porks.v1beta1.mine.example.com", "mine.example.com/v1beta1 porks"],
  ["po.mine.example.com", "mine.example.com/v1 porks"],
  ["pk.mine", "mine.example.com/v1 porks"],
  // A kind with an irregular singular is found only with its group.
  ["OddThing", 'the server doesn\'t have a resource type "OddThing"'],
  ["OddThing.odd.example.com", "odd.example.com/v1 oddities"],
  ["oddthing.odd.example.com", "odd.example.com/v1 oddities"],
  ["PO", 'the server doesn\'t have a resource type "PO"'],
  ["nope", 'the server doesn\'t have a resource type "nope"'],
  ["nope.apps", 'the server doesn\'t have a resource type "nope"'],
  ["all", 'the server doesn\'t have a resource type "all"'],
  ["", 'the server doesn\'t have a resource type ""'],
])("namedKind: %s is %s", (typed, meant) => {
  let found: string;
  try {
    const { group, version, plural } = namedKind({ apis, mapping }, typed);
    found = `${group === "" ? "" : `${group}/`}${version} ${plural}`;
  } catch (error) {
    found = (error as Error).message;
  }
  expect(found).toBe(meant);
});

test("namedKind: an ambiguous short name causes one warning", () => {
  const warnings: string[] = [];
  namedKind({ apis, mapping, onWarning: (text) => warnings.push(text) }, "po");
  expect(warnings).toEqual([
    'short name "po" could also match lower priority resource porks.mine.example.com',
  ]);
});

test("namedKinds: categories expand to their resources, and each is listed once", () => {
  const plurals = (text: string) => namedKinds({ apis, mapping }, text).map(({ plural }) => plural);
  expect(plurals("all")).toEqual(["pods", "deployments", "porks"]);
  expect(plurals("cm,all,po,deploy")).toEqual(["configmaps", "pods", "deployments", "porks"]);
  expect(() => plurals("cm,nope")).toThrow('the server doesn\'t have a resource type "nope"');
});

test("namedKind: failed versions are the cause of a NoMatchError", () => {
  const failures = new Map([
    ["b.example.com/v1", new Error("stale GroupVersion discovery: b.example.com/v1")],
    ["a.example.com/v1", new Error("refused")],
  ]);
  const find = () => namedKind({ apis: { ...apis, failures }, mapping }, "nope");
  expect(find).toThrow(
    expect.objectContaining({
      message: 'the server doesn\'t have a resource type "nope"',
      cause: new Error(
        "unable to retrieve the complete list of server APIs: a.example.com/v1: refused, b.example.com/v1: stale GroupVersion discovery: b.example.com/v1",
      ),
    }),
  );
});
