import { expect, test } from "vitest";
import { StatusError, statusOf } from "../../api/meta/v1/status-error.ts";
import type { ObjectDraft } from "../objects/object.ts";
import {
  configMapKind,
  context,
  openRegistry,
  type TestRegistry,
  write,
} from "../objects/registry.test-support.ts";
import { Stored } from "../objects/stored.ts";
import { create } from "./create.ts";

/** A registry whose names end as they are told. */
async function openWith(...suffixes: string[]): Promise<TestRegistry> {
  const registry = await openRegistry();
  const { entropy } = registry;
  const suffix = () => suffixes.shift() ?? "zzzzz";
  return { ...registry, entropy: { uuid: () => entropy.uuid(), suffix } };
}

async function generate(registry: TestRegistry, metadata: object, dryRun = false) {
  const draft = { kind: "ConfigMap", apiVersion: "v1", metadata } as unknown as ObjectDraft;
  try {
    const made = await create(
      registry,
      { kind: configMapKind, namespace: "default" },
      { draft, context: { ...context(), dryRun } },
    );
    return (made instanceof Stored ? made.object : made).metadata;
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return statusOf(error);
  }
}

test("create: a generated name that is taken is generated anew", async () => {
  const registry = await openWith("aaaaa", "bbbbb", "ccccc");
  await write(registry, configMapKind, "g-aaaaa");
  await write(registry, configMapKind, "g-bbbbb");
  expect(await generate(registry, { generateName: "g-" })).toMatchObject({
    name: "g-ccccc",
    generateName: "g-",
  });
});

test("create: after eight names that are taken the client may try again", async () => {
  const registry = await openWith();
  await write(registry, configMapKind, "g-zzzzz");
  expect(await generate(registry, { generateName: "g-" })).toMatchObject({
    code: 409,
    reason: "AlreadyExists",
    message:
      'configmaps "g-zzzzz" already exists, the server was not able to generate a unique name for the object',
    details: { name: "g-zzzzz", kind: "configmaps", retryAfterSeconds: 1 },
  });
});

test("create: a dry run generates a name that is free", async () => {
  const registry = await openWith("aaaaa", "bbbbb");
  await write(registry, configMapKind, "g-aaaaa");
  expect(await generate(registry, { generateName: "g-" }, true)).toMatchObject({ name: "g-bbbbb" });
  expect(registry.cache.of(configMapKind).size).toEqual(1);
});

test("create: a long prefix is cut, and a name is more than a prefix", async () => {
  const registry = await openWith("aaaaa");
  const generateName = "x".repeat(100);
  expect(await generate(registry, { generateName })).toMatchObject({
    name: `${"x".repeat(58)}aaaaa`,
    generateName,
  });
  expect(await generate(registry, { generateName: "g-", name: "own" })).toMatchObject({
    name: "own",
  });
});

test("create: what only the server sets is set by the server", async () => {
  const registry = await openWith();
  const sent = {
    name: "a",
    uid: "mine",
    creationTimestamp: "2000-01-01T00:00:00Z",
    deletionTimestamp: "2000-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 5,
    selfLink: "/here",
  };
  expect(await generate(registry, sent)).toEqual({
    name: "a",
    namespace: "default",
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    resourceVersion: "2",
    creationTimestamp: "2026-01-01T00:00:00Z",
  });
});

test("create: a name is generated after all who may change the object, and before who judges it", async () => {
  const registry = await openWith("aaaaa");
  const names: string[] = [];
  const admission = {
    admit: async ({ address }: { address: { name: string } }) => void names.push(address.name),
    validate: async ({ address }: { address: { name: string } }) => void names.push(address.name),
  };
  await generate({ ...registry, admission }, { generateName: "g-" });
  await generate({ ...registry, admission }, { generateName: "g-", name: "own" });
  expect(names).toEqual(["", "g-aaaaa", "own", "own"]);
});
