import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import { startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import { commandRunner } from "../../../cli/run-command.test-support.ts";
import { ensurePki } from "../../../platform/pki/pki.ts";
import { certsCommand } from "./certs-command.ts";

const run = commandRunner(certsCommand);

/** A data directory with certificates, and a reader of one of them. */
async function dataDir() {
  const dir = testDir();
  const pki = join(dir, "pki");
  await ensurePki(pki, { names: ["api.example.com"], ips: ["192.0.2.7"], now: new Date() });
  const read = (name: string) => new X509Certificate(readFileSync(join(pki, `${name}.crt`)));
  return { dir, pki, read };
}

test("wherry certs check: all certificates with their ends and authorities", async () => {
  const { dir } = await dataDir();
  const { code, stdout } = await run("check", "--data-dir", dir);
  expect(code).toBe(0);
  const lines = stdout.split("\n").filter((line) => line !== "");
  const rows = lines.map((line) => line.trim().split(/ {2,}/));
  expect(rows.map(([name, , left, ...rest]) => [name, left, ...rest])).toEqual([
    ["CERTIFICATE", "RESIDUAL TIME", "CERTIFICATE AUTHORITY", "STATE"],
    ["admin", "364d", "ca", "ok"],
    ["apiserver", "364d", "ca", "ok"],
    ["apiserver-kubelet-client", "364d", "ca", "ok"],
    ["front-proxy-client", "364d", "front-proxy-ca", "ok"],
    ["CERTIFICATE AUTHORITY", "RESIDUAL TIME", "STATE"],
    ["ca", "9y", "ok"],
    ["front-proxy-ca", "9y", "ok"],
    ["kubelet-ca", "9y", "ok"],
    ["ROTATED", undefined],
    ["ca", undefined],
    ["kubelet-ca", undefined],
    ["front-proxy-ca", undefined],
    ["service-account-keys", undefined],
  ]);
  expect(rows.at(-1)?.[1]).toBe("not being rotated");
});

test("wherry certs check: what cannot be used is said, and the exit code is 1", async () => {
  const { dir, pki } = await dataDir();
  writeFileSync(join(pki, "admin.crt"), "nonsense", { mode: 0o600 });
  chmodSync(join(pki, "apiserver.key"), 0o644);
  const { code, stdout } = await run("check", "--data-dir", dir, "-o", "json");
  const states = (JSON.parse(stdout) as { name: string; problem?: string }[])
    .filter(({ problem }) => problem)
    .map(({ name, problem }) => [name, problem]);
  expect(code).toBe(1);
  expect(states).toEqual([
    ["admin", "cannot be read"],
    ["apiserver", expect.stringContaining("apiserver.key")],
  ]);
});

test("wherry certs renew: the same key, names and usages, and a new end", async () => {
  const { dir, pki, read } = await dataDir();
  const before = read("apiserver");
  const key = readFileSync(join(pki, "apiserver.key"), "utf8");
  expect(await run("renew", "apiserver", "--data-dir", dir)).toMatchObject({
    code: 0,
    stdout: "renewed apiserver\n",
  });
  const after = read("apiserver");
  expect(after.serialNumber).not.toBe(before.serialNumber);
  for (const part of ["subject", "subjectAltName", "keyUsage", "issuer"] as const)
    expect(after[part]).toEqual(before[part]);
  expect(readFileSync(join(pki, "apiserver.key"), "utf8")).toBe(key);
  expect(await run("renew", "--due", "--data-dir", dir)).toMatchObject({
    stdout: "no certificate is to be renewed\n",
  });
});

test("wherry certs: authorities are not renewed, and a folder without certificates is an error", async () => {
  const { dir } = await dataDir();
  expect(await run("renew", "ca", "--data-dir", dir)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cannot renew ca: choose among admin, apiserver, "),
  });
  const empty = join(dir, "empty");
  mkdirSync(empty);
  expect(await run("check", "--data-dir", empty)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there are no certificates in"),
  });
});

/** The serial number of the certificate that a server presents now. */
const presented = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on("error", reject);
  });

test("a server uses what wherry certs renew has written, without a restart", async () => {
  const server = await startWith(testDir());
  const before = await presented(server.port);
  expect((await run("renew", "--data-dir", server.dir)).code).toBe(0);
  await expect.poll(() => presented(server.port), { timeout: 30_000 }).not.toBe(before);
  const admin = readFileSync(join(server.dir, "pki", "admin.crt"), "utf8");
  await expect
    .poll(() => readFileSync(server.kubeconfig, "utf8"), { timeout: 30_000 })
    .toContain(Buffer.from(admin).toString("base64"));
});
