import { expect, test } from "vitest";
import { coreKind, openRegistry, resources, write } from "../../objects/registry.test-support.ts";
import { judged } from "../attributes.test-support.ts";
import { namespaceExists } from "./namespace-exists.ts";

test.each([
  ["CREATE", "ConfigMap", "default", undefined],
  ["CREATE", "ConfigMap", "none", 'namespaces "none" not found'],
  ["UPDATE", "ConfigMap", "none", 'namespaces "none" not found'],
  ["DELETE", "ConfigMap", "none", 'namespaces "none" not found'],
  ["CREATE", "Namespace", "", undefined],
  ["CREATE", "Node", "", undefined],
] as const)("namespaceExists: %s of a %s in '%s'", async (operation, kind, namespace, wanted) => {
  const registry = await openRegistry();
  await write(registry, coreKind("Namespace"), "default", { spec: {}, status: {} });
  const plugin = namespaceExists(() => registry, resources);
  expect(await judged(plugin, { operation, kind, address: { namespace } })).toEqual(wanted);
});
