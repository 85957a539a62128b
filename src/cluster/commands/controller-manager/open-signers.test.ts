import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testAuthority } from "../../../../test/certificates.ts";
import { testDir } from "../../../../test/support/apiserver.test-support.ts";
import { signers } from "../../../api/certificates/signers.ts";
import { noLog } from "../../../base/log.ts";
import type { RunnableContext } from "../../../controller-runtime/manager/manager-options.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { givenControllerManagerFlags as given } from "./flags/given-controller-manager-flags.test-support.ts";
import { openSigners } from "./open-signers.ts";

const year = 365 * 24 * 3_600_000;

/** Writes an authority that ends after so many years, and returns its paths. */
function write(dir: string, years: number, certs = 1): { cert: string; key: string } {
  const { cert, key } = testAuthority(Date.now() + years * year);
  const paths = { cert: join(dir, "ca.crt"), key: join(dir, "ca.key") };
  writeFileSync(paths.cert, cert.repeat(certs));
  writeFileSync(paths.key, key, { mode: 0o600 });
  return paths;
}

test("openSigners: one authority signs for all signers", async () => {
  const { cert, key } = write(testDir(), 1);
  const { flags } = given(
    `--cluster-signing-cert-file=${cert}`,
    `--cluster-signing-key-file=${key}`,
  );
  const opened = await openSigners(flags);
  expect(Object.keys(opened.signers).sort()).toEqual(Object.values(signers).sort());
});

test("openSigners: with files for one signer, only that one signs", async () => {
  const { cert, key } = write(testDir(), 1);
  const words = "--cluster-signing-kubelet-client";
  const { flags } = given(`${words}-cert-file=${cert}`, `${words}-key-file=${key}`);
  expect(Object.keys((await openSigners(flags)).signers)).toEqual([signers.kubeletClient]);
});

test("openSigners: without files nobody signs", async () => {
  expect((await openSigners(given().flags)).signers).toEqual({});
  const { flags } = given("--cluster-signing-cert-file=/only");
  expect((await openSigners(flags)).signers).toEqual({});
});

test("openSigners: an authority is one certificate", async () => {
  const { cert, key } = write(testDir(), 1, 2);
  const { flags } = given(
    `--cluster-signing-cert-file=${cert}`,
    `--cluster-signing-key-file=${key}`,
  );
  await expect(openSigners(flags)).rejects.toThrow("expected 1 certificate, found 2");
});

test("openSigners: replaced files are read again, and unreadable ones change nothing", async () => {
  const dir = testDir();
  const { cert, key } = write(dir, 1);
  const { flags } = given(
    `--cluster-signing-cert-file=${cert}`,
    `--cluster-signing-key-file=${key}`,
  );
  const { signers: opened, follow } = await openSigners(flags);
  const stop = new AbortController();
  const errors: string[] = [];
  const log = { ...noLog, error: (message: string) => void errors.push(message) };
  const context = { clock: realClock, log } as unknown as RunnableContext;
  const running = follow.run(stop.signal, context);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const ends = () => new Date(opened[signers.client]?.notAfter ?? 0).getUTCFullYear();
  write(dir, 3);
  await expect.poll(ends).toBe(new Date(Date.now() + 3 * year).getUTCFullYear());
  rmSync(key);
  await expect.poll(() => errors).toContain("reloading certificate authorities failed");
  expect(ends()).toBe(new Date(Date.now() + 3 * year).getUTCFullYear());
});
