import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, updated } from "../../kind.test-support.ts";
import { IngressClass } from "./ingress-class.ts";

const body = (parameters: object, controller = "example.com/c") => ({
  spec: { controller, parameters: { kind: "K", name: "n", ...parameters } },
});

each<[rule: string, body: object, errors: readonly string[]]>([
  ["settings are of the cluster if not said", body({}), []],
  [
    "settings of a namespace name it",
    body({ scope: "Namespace" }),
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    "settings of the cluster name none",
    body({ namespace: "n" }),
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    "there are two scopes",
    body({ scope: "" }),
    ['spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"'],
  ],
  [
    "a controller has a domain and a path",
    body({}, "example.com"),
    [
      'spec.controller: Invalid value: "example.com": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
  ],
  [
    "the name of a controller is not too long",
    body({}, `a.b/${"x".repeat(247)}`),
    ["spec.controller: Too long: may not be more than 250 bytes"],
  ],
  ["a class has a controller", { spec: {} }, ["spec.controller: Required value"]],
  [
    "settings are an object with kind and name",
    body({ kind: "", name: ".." }),
    [
      "spec.parameters.kind: Required value",
      `spec.parameters.name: Invalid value: "..": may not be '..'`,
    ],
  ],
])("IngressClass: %s", (_, object, errors) => {
  expect(created(IngressClass, object)).toEqual(errors);
});

test("IngressClass: its controller never changes", () => {
  expect(updated(IngressClass, body({}), body({}, "a.b/c"))).toEqual([
    'spec.controller: Invalid value: "a.b/c": field is immutable',
  ]);
});

test("IngressClass: a row tells the default class, and what its settings are", () => {
  const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
  const object = read(IngressClass, { metadata: { annotations }, ...body({ apiGroup: "g" }) });
  expect([
    IngressClass.columns[0]?.cell(object as never, { now: 0 }),
    cellsOf(IngressClass, body({ apiGroup: "g" })),
  ]).toEqual(["a (default)", ["example.com/c", "K.g/n"]]);
});
