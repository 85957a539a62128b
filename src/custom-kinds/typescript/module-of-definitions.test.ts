import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type { Client } from "../../client/client.ts";
import { gadgetDefinition } from "./gadget.test-support.ts";
import { moduleOfDefinitions } from "./module-of-definitions.ts";
import { Gadget, GadgetV1Beta1 } from "./printed.test-support.ts";

test("moduleOfDefinitions: prints types and kinds of all served versions", () => {
  const expected = readFileSync(join(import.meta.dirname, "printed.test-support.ts"), "utf8");
  const [, imports, ...printed] = moduleOfDefinitions([gadgetDefinition]).split("\n");
  expect(imports).toBe(
    'import { dynamicKind, type DynamicObject, type KubernetesObject } from "wherry/client";',
  );
  // The import of the other differs.
  expect(printed).toEqual(expected.slice(expected.indexOf("\n\n") + 1).split("\n"));
});

test("moduleOfDefinitions: what it prints are types for clients", () => {
  // Never called: only the type checker looks at it.
  const typed = async (client: Client): Promise<void> => {
    const gadget = await client.get(Gadget, { name: "a" });
    expectTypeOf(gadget.spec?.mode).toEqualTypeOf<"on" | "off" | undefined>();
    expectTypeOf(gadget.spec?.["a-b"]?.x).toEqualTypeOf<number | undefined>();
    await client.create(Gadget, { metadata: { name: "a" }, spec: { "a-b": {} } });
    // @ts-expect-error: a-b is required
    await client.create(Gadget, { metadata: { name: "a" }, spec: {} });
    expectTypeOf((await client.get(GadgetV1Beta1, { name: "a" })).kind).toEqualTypeOf<string>();
  };
  expect(typed).toBeTypeOf("function");
});
