import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { restMapping } from "./rest-mapping.ts";
import { apiResource, serverApis } from "./server-apis.test-support.ts";

const apis = serverApis(
  [
    apiResource("v1", "Pod"),
    apiResource("v1", "Event"),
    apiResource("v1", "Endpoints", { plural: "endpoints", singular: "endpoints" }),
    apiResource("events.k8s.io/v1", "Event"),
    apiResource("autoscaling/v2", "HorizontalPodAutoscaler"),
    apiResource("autoscaling/v1", "HorizontalPodAutoscaler"),
    apiResource("autoscaling/v1", "OldScaler"),
    apiResource("storage.k8s.io/v1", "StorageClass", {
      plural: "storageclasses",
      scope: "Cluster",
    }),
    apiResource("a.example.com/v1", "Thing"),
    apiResource("b.example.com/v2", "Thing"),
    apiResource("b.example.com/v1", "Thing"),
    apiResource("old.example.com/v1", "Quiz", { plural: "quizzes", singular: "" }),
    // The plural of one is the singular of the other.
    apiResource("odd.example.com/v1", "Foo", { plural: "bar", singular: "foo" }),
    apiResource("odd.example.com/v1", "Bars", { plural: "bars", singular: "bar" }),
  ],
  { "b.example.com": "v1" },
);
const mapping = restMapping(apis);
const shown = ({ group, version, kind, plural }: ReturnType<typeof mapping.kindOf>): string =>
  `${group}/${version} ${kind} ${plural}`;

each<[group: string, version: string, resource: string, meant: string]>([
  ["", "", "pods", "/v1 Pod pods"],
  ["", "", "pod", "/v1 Pod pods"],
  ["", "", "Pod", "/v1 Pod pods"],
  ["", "", "endpoints", "/v1 Endpoints endpoints"],
  // The core group has priority.
  ["", "", "events", "/v1 Event events"],
  ["events.k8s.io", "", "events", "events.k8s.io/v1 Event events"],
  // A prefix of the group is enough, but not together with a version.
  ["events", "", "events", "events.k8s.io/v1 Event events"],
  ["storage", "", "storageclass", "storage.k8s.io/v1 StorageClass storageclasses"],
  ["events", "v1", "events", "no matches for events/v1, Resource=events"],
  // A group's preferred version first, then the others in the server's order.
  ["", "", "oldscalers", "autoscaling/v1 OldScaler oldscalers"],
  ["", "v2", "things", "b.example.com/v2 Thing things"],
  ["", "", "things", "a.example.com/v1 Thing things"],
  ["b.example.com", "", "things", "b.example.com/v1 Thing things"],
  ["b.example.com", "v2", "thing", "b.example.com/v2 Thing things"],
  [
    "",
    "v1",
    "horizontalpodautoscalers",
    "autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers",
  ],
  // The singular is guessed if the server sends none.
  ["", "", "quiz", "old.example.com/v1 Quiz quizzes"],
  // Lists are kinds, too.
  ["", "", "podlist", "/v1 PodList podlists"],
  ["", "", "list", "/v1 List lists"],
  ["", "", "Nopes", "no matches for /, Resource=Nopes"],
  ["apps", "v1", "nopes", "no matches for apps/v1, Resource=nopes"],
])("kindOf: in %j, version %j, %s is %s", (group, version, resource, meant) => {
  let found: string;
  try {
    found = shown(mapping.kindOf({ group, version, resource }));
  } catch (error) {
    found = (error as Error).message;
  }
  expect(found).toBe(meant);
});

test("resourceOf: a name that is the plural of one resource and the singular of another is ambiguous", () => {
  const bar = { group: "odd", version: "", resource: "bar" };
  expect(() => mapping.resourceOf(bar)).toThrow(
    "odd/, Resource=bar matches multiple resources [odd.example.com/v1, Resource=bar odd.example.com/v1, Resource=bars]",
  );
  expect(mapping.resourceOf({ ...bar, resource: "bars" }).plural).toBe("bars");
  expect(mapping.resourceOf({ group: "", version: "", resource: "endpoints" }).version).toBe("v1");
  expect(() => mapping.resourceOf({ ...bar, resource: "baz" })).toThrow(
    "no matches for odd/, Resource=baz",
  );
});

each<[group: string, kind: string, versions: string[], meant: string]>([
  ["", "Pod", [], "/v1 Pod pods"],
  ["", "pod", ["v1"], "/v1 Pod pods"],
  ["b.example.com", "Thing", [], "b.example.com/v1 Thing things"],
  ["b.example.com", "Thing", [""], "b.example.com/v1 Thing things"],
  ["b.example.com", "Thing", ["v2"], "b.example.com/v2 Thing things"],
  ["b.example.com", "Thing", ["v3", "v2"], "b.example.com/v2 Thing things"],
  ["b.example.com", "Thing", ["v2", "v1"], "b.example.com/v2 Thing things"],
  ["autoscaling", "OldScaler", [], "autoscaling/v1 OldScaler oldscalers"],
  ["", "Pod", ["v2"], 'no matches for kind "Pod" in version "v2"'],
  ["apps", "Pod", [], 'no matches for kind "Pod" in group "apps"'],
  ["apps", "Pod", [""], 'no matches for kind "Pod" in version "apps/"'],
  ["apps", "X", ["v2", "v1"], 'no matches for kind "X" in versions ["apps/v1" "apps/v2"]'],
])("mappingOf: of %j, kind %s in %j is %s", (group, kind, versions, meant) => {
  let found: string;
  try {
    found = shown(mapping.mappingOf({ group, kind }, versions));
  } catch (error) {
    found = (error as Error).message;
  }
  expect(found).toBe(meant);
});

test("mappingOf: returns the scope", () => {
  const scope = (group: string, kind: string) => mapping.mappingOf({ group, kind }, []).scope;
  expect([scope("", "Pod"), scope("storage.k8s.io", "StorageClass")]).toEqual([
    "Namespaced",
    "Cluster",
  ]);
});

test("mappingOf: failed versions are the cause of a NoMatchError", () => {
  const failures = new Map([["a.example.com/v2", new Error("refused")]]);
  const known = restMapping({ ...apis, failures });
  expect(() => known.mappingOf({ group: "a.example.com", kind: "Gadget" }, ["v2"])).toThrow(
    expect.objectContaining({
      message: 'no matches for kind "Gadget" in version "a.example.com/v2"',
      cause: new Error(
        "unable to retrieve the complete list of server APIs: a.example.com/v2: refused",
      ),
    }),
  );
});
