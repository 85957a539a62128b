import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ensureTokenKeys, readTokenKeys, rotateTokenKeys } from "./token-key-files.ts";
import { signingKey, verifyingKeys } from "./token-keys.ts";

function emptyDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "wherry-tokens-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}
const signerOf = async (dir: string): Promise<string> =>
  signingKey((await ensureTokenKeys(dir)).privateKey).id;
const verifiersOf = async (dir: string): Promise<readonly string[]> =>
  verifyingKeys((await ensureTokenKeys(dir)).publicKey).map(({ id }) => id);

test("rotateTokenKeys: the new key verifies, then it signs, then the old one is dropped", async () => {
  const dir = emptyDir();
  const old = await signerOf(dir);
  const steps = [];
  for (let i = 0; i < 3; i++) {
    const stage = await rotateTokenKeys(dir);
    const keys = await verifiersOf(dir);
    steps.push([stage, (await signerOf(dir)) === old, keys.length, keys.includes(old)]);
  }
  expect(steps).toEqual([
    ["trusted", true, 2, true],
    ["issued", false, 2, true],
    ["none", false, 1, false],
  ]);
  expect(readdirSync(dir).sort()).toEqual(["sa.key", "sa.pub"]);
  expect(statSync(join(dir, "sa.pub")).mode & 0o777).toBe(0o644);
});

test("rotateTokenKeys: after a kill between any two writes, the next call goes on", async () => {
  const dir = emptyDir();
  const old = await signerOf(dir);
  for (const [step, order] of [
    ["none", ["sa-next.key", "sa.pub"]],
    ["trusted", ["sa-previous.pub", "sa.key", "sa-next.key", "sa.pub"]],
    ["issued", ["sa-previous.pub", "sa.pub"]],
  ] as const) {
    expect((await readTokenKeys(dir)).stage).toBe(step);
    const before = copyOf(dir);
    const end = await rotateTokenKeys(dir);
    for (let written = 0; written < order.length; written++) {
      const killed = copyOf(before);
      for (const file of order.slice(0, written)) replace(killed, file, dir);
      if (step !== "issued") expect(await verifiersOf(killed)).toContain(old);
      // What a kill has left to do is little: the same step, or none where it was complete.
      const { stage } = await readTokenKeys(killed);
      expect([step, written, stage === end ? end : await rotateTokenKeys(killed)]).toEqual([
        step,
        written,
        end,
      ]);
    }
  }
});

function copyOf(dir: string): string {
  const copy = emptyDir();
  cpSync(dir, copy, { recursive: true });
  return copy;
}

/** Makes a file as it is in another folder, where it may not exist. */
function replace(dir: string, file: string, from: string): void {
  if (readdirSync(from).includes(file)) cpSync(join(from, file), join(dir, file));
  else rmSync(join(dir, file), { force: true });
}

test("ensureTokenKeys: keys that are complete are only read, so that watching them ends", async () => {
  const dir = emptyDir();
  await ensureTokenKeys(dir);
  const changedAt = () => ["sa.key", "sa.pub"].map((file) => statSync(join(dir, file)).ctimeMs);
  const before = changedAt();
  await ensureTokenKeys(dir);
  expect(changedAt()).toEqual(before);
});
