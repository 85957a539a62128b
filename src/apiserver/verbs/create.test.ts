import { expect, test } from "vitest";
import { StatusError, statusOf } from "../../api/meta/v1/status-error.ts";
import type { ObjectDraft } from "../objects/object.ts";
import { Stored } from "../objects/stored.ts";
import { create } from "./create.ts";
import {
  configMapKind,
  context,
  openParts,
  type TestParts,
  write,
} from "./verb-parts.test-support.ts";

/** The parts of a server whose generated names end in these suffixes. */
async function openWith(...suffixes: string[]): Promise<TestParts> {
  const parts = await openParts();
  const { environment } = parts;
  const suffix = () => suffixes.shift() ?? "zzzzz";
  const entropy = { uuid: () => environment.entropy.uuid(), suffix };
  return { ...parts, environment: { ...environment, entropy } };
}

async function generate(parts: TestParts, metadata: object, dryRun = false) {
  const draft = { kind: "ConfigMap", apiVersion: "v1", metadata } as unknown as ObjectDraft;
  try {
    const made = await create(
      parts,
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
  const parts = await openWith("aaaaa", "bbbbb", "ccccc");
  await write(parts, configMapKind, "g-aaaaa");
  await write(parts, configMapKind, "g-bbbbb");
  expect(await generate(parts, { generateName: "g-" })).toMatchObject({
    name: "g-ccccc",
    generateName: "g-",
  });
});

test("create: after eight names that are taken the client may try again", async () => {
  const parts = await openWith();
  await write(parts, configMapKind, "g-zzzzz");
  expect(await generate(parts, { generateName: "g-" })).toMatchObject({
    code: 409,
    reason: "AlreadyExists",
    message:
      'configmaps "g-zzzzz" already exists, the server was not able to generate a unique name for the object',
    details: { name: "g-zzzzz", kind: "configmaps", retryAfterSeconds: 1 },
  });
});

test("create: a dry run generates a name that is free", async () => {
  const parts = await openWith("aaaaa", "bbbbb");
  await write(parts, configMapKind, "g-aaaaa");
  expect(await generate(parts, { generateName: "g-" }, true)).toMatchObject({ name: "g-bbbbb" });
  expect(parts.reader.cache.of(configMapKind).size).toEqual(1);
});

test("create: a long prefix is cut, and a name is more than a prefix", async () => {
  const parts = await openWith("aaaaa");
  const generateName = "x".repeat(100);
  expect(await generate(parts, { generateName })).toMatchObject({
    name: `${"x".repeat(58)}aaaaa`,
    generateName,
  });
  expect(await generate(parts, { generateName: "g-", name: "own" })).toMatchObject({
    name: "own",
  });
});

test("create: metadata that only the server sets is overwritten", async () => {
  const parts = await openWith();
  const sent = {
    name: "a",
    uid: "mine",
    creationTimestamp: "2000-01-01T00:00:00Z",
    deletionTimestamp: "2000-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 5,
    selfLink: "/here",
  };
  expect(await generate(parts, sent)).toEqual({
    name: "a",
    namespace: "default",
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    resourceVersion: "2",
    creationTimestamp: "2026-01-01T00:00:00Z",
  });
});

test("create: a name is generated after mutating admission and before validating admission", async () => {
  const parts = await openWith("aaaaa");
  const names: string[] = [];
  const admission = {
    admit: async ({ address }: { address: { name: string } }) => void names.push(address.name),
    validate: async ({ address }: { address: { name: string } }) => void names.push(address.name),
  };
  await generate({ ...parts, admission }, { generateName: "g-" });
  await generate({ ...parts, admission }, { generateName: "g-", name: "own" });
  expect(names).toEqual(["", "g-aaaaa", "own", "own"]);
});
