import { expect, test } from "vitest";
import { openParts, write } from "../verbs/verb-parts.test-support.ts";
import { admitted, kindAt, type TestAttributes } from "./attributes.test-support.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";

const marked = (creationTimestamp: string) => ({
  metadata: {
    creationTimestamp,
    annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
  },
  spec: {},
});

/** An ingress after admission with an old and a new default class. */
async function classified(given: TestAttributes): Promise<unknown> {
  const parts = await openParts();
  const kind = kindAt("networking.k8s.io", "ingressclasses");
  await write(parts, kind, "a", marked("2026-01-01T00:00:00Z"));
  await write(parts, kind, "b", marked("2026-01-02T00:00:00Z"));
  const plugin = defaultIngressClass(parts);
  return admitted(plugin, {
    address: { kind: kindAt("networking.k8s.io", "ingresses") },
    ...given,
  });
}

test.each([
  ["names no class", {}, { ingressClassName: "b" }],
  ["names one", { spec: { ingressClassName: "x" } }, { ingressClassName: "x" }],
  [
    "names one in an annotation",
    { metadata: { annotations: { "kubernetes.io/ingress.class": "x" } } },
    {},
  ],
  ["is there already", { operation: "UPDATE" }, {}],
] as const)("defaultIngressClass: an ingress that %s", async (_, given, wanted) => {
  expect(await classified(given)).toEqual(wanted);
});
