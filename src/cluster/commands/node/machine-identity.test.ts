import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machineIdentity } from "./machine-identity.ts";

test("machineIdentity: the first file that can be read counts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "machine-identity-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "id"), "abc\n");
  expect(await machineIdentity({ machineIds: `/none,${folder}/id,/other` })).toEqual({
    machineID: "abc",
  });
  expect(await machineIdentity({ bootIds: `${folder}/id` })).toEqual({ bootID: "abc" });
  expect(await machineIdentity({ bootIds: "/none" })).toEqual({ bootID: "" });
  expect(await machineIdentity({})).toEqual({});
});
