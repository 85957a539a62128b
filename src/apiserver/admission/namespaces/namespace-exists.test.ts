import { expect, test } from "vitest";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { rejectionBy } from "../attributes.test-support.ts";
import { namespaceExists } from "./namespace-exists.ts";

test.each([
  ["CREATE", "ConfigMap", "default", undefined],
  ["CREATE", "ConfigMap", "none", 'namespaces "none" not found'],
  ["UPDATE", "ConfigMap", "none", 'namespaces "none" not found'],
  ["DELETE", "ConfigMap", "none", 'namespaces "none" not found'],
  ["CREATE", "Namespace", "", undefined],
  ["CREATE", "Node", "", undefined],
] as const)("namespaceExists: %s of a %s in '%s'", async (operation, kind, namespace, wanted) => {
  const parts = await openParts();
  await write(parts, coreKind("Namespace"), "default", { spec: {}, status: {} });
  const plugin = namespaceExists(parts);
  expect(await rejectionBy(plugin, { operation, kind, address: { namespace } })).toEqual(wanted);
});
