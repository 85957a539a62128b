import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keyPairWarnings, readAuthorities, readKeyPair } from "./given-files.ts";
import { ensurePki } from "./pki/pki.ts";

const now = new Date("2026-03-01T00:00:00Z");

test("keyPairWarnings: a key that everybody may read, and a certificate that is not valid now", async () => {
  const dir = mkdtempSync(join(tmpdir(), "wherry-given-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  await ensurePki(dir, { now });
  const keyPath = join(dir, "apiserver.key");
  const pair = await readKeyPair(
    { flag: "c", path: join(dir, "apiserver.crt") },
    { flag: "k", path: keyPath },
  );
  expect(await keyPairWarnings(pair, { keyPath, now })).toEqual([]);
  const later = new Date("2036-03-01T00:00:00Z");
  expect(await keyPairWarnings(pair, { keyPath, now: later })).toEqual([
    expect.stringMatching(/^the certificate expired on Mar /),
  ]);
  chmodSync(keyPath, 0o644);
  const earlier = new Date("2025-03-01T00:00:00Z");
  expect(await keyPairWarnings(pair, { keyPath, now: earlier })).toEqual([
    `${keyPath} may be read by everybody: make it private with "chmod o= ${keyPath}"`,
    expect.stringMatching(/^the certificate is not valid before Feb /),
  ]);
  expect(await readAuthorities({ flag: "a", path: join(dir, "ca.crt") })).toContain("BEGIN");
});
