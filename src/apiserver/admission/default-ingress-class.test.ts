import { expect, test } from "vitest";
import { openParts, write } from "../verbs/verb-parts.test-support.ts";
import { type Asked, admitted, kindAt } from "./attributes.test-support.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";

const marked = (creationTimestamp: string) => ({
  metadata: {
    creationTimestamp,
    annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
  },
  spec: {},
});

/** What becomes of an ingress, where there is an old and a new default. */
async function classified(asked: Asked): Promise<unknown> {
  const parts = await openParts();
  const kind = kindAt("networking.k8s.io", "ingressclasses");
  await write(parts, kind, "a", marked("2026-01-01T00:00:00Z"));
  await write(parts, kind, "b", marked("2026-01-02T00:00:00Z"));
  const plugin = defaultIngressClass(parts);
  return admitted(plugin, {
    address: { kind: kindAt("networking.k8s.io", "ingresses") },
    ...asked,
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
] as const)("defaultIngressClass: an ingress that %s", async (_, asked, wanted) => {
  expect(await classified(asked)).toEqual(wanted);
});
