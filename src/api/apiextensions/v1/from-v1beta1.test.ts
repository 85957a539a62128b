import { expect, test } from "vitest";
import { CustomResourceDefinition } from "./custom-resource-definition.ts";

const { form } = CustomResourceDefinition;
const names = { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" };
const read = (spec: object, apiVersion = "apiextensions.k8s.io/v1beta1"): unknown => {
  const stored = { kind: "CustomResourceDefinition", apiVersion, metadata: { name: "x" }, spec };
  const object = form.fromBytes(new TextEncoder().encode(`${JSON.stringify(stored)}\n`));
  return JSON.parse(form.encode(object)).spec;
};

test("a definition that upstream stored is read with what its versions share in each of them", () => {
  const schema = { openAPIV3Schema: { type: "object", minimum: 5 } };
  const columns = [{ name: "Size", type: "integer", JSONPath: ".spec.size" }];
  const stored = {
    group: "x.io",
    version: "v1",
    names,
    scope: "Namespaced",
    validation: schema,
    subresources: { status: {} },
    additionalPrinterColumns: columns,
    versions: [
      { name: "v1", served: true, storage: true },
      { name: "v2", served: true, storage: false },
    ],
    conversion: {
      strategy: "Webhook",
      webhookClientConfig: { service: { namespace: "n", name: "s" } },
      conversionReviewVersions: ["v1"],
    },
    preserveUnknownFields: false,
  };
  const shared = {
    schema,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  };
  expect(read(stored)).toEqual({
    group: "x.io",
    names,
    scope: "Namespaced",
    versions: [
      { name: "v1", served: true, storage: true, ...shared },
      { name: "v2", served: true, storage: false, ...shared },
    ],
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { service: { namespace: "n", name: "s", port: 443 } },
        conversionReviewVersions: ["v1"],
      },
    },
  });
});

test("a definition with one version by name alone, from the times of v1beta1, prunes nothing", () => {
  expect(read({ group: "x.io", version: "v1", names, scope: "Cluster" })).toEqual({
    group: "x.io",
    names,
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true }],
    conversion: { strategy: "None" },
    preserveUnknownFields: true,
  });
});

test("a definition that is stored as JSON in its own version is read as it is", () => {
  const versions = [{ name: "v1", served: true, storage: true }];
  const spec = { group: "x.io", names, scope: "Cluster", versions };
  expect(read(spec, "apiextensions.k8s.io/v1")).toEqual(spec);
});
