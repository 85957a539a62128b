import { X509Certificate } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCertificates, reissue } from "./kept-certificates.ts";
import { certificatesIn } from "./pem-certificates.ts";
import { ensurePki, isSignedBy } from "./pki.ts";
import { clusterAuthority } from "./pki-authority.ts";
import { readAuthority, rotateAuthority } from "./rotate-authority.ts";

const now = new Date("2026-03-01T00:00:00Z");

async function madeDir(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "wherry-rotate-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  await ensurePki(dir, { now });
  return dir;
}
const read = (dir: string, file: string): string => readFileSync(join(dir, file), "utf8");
const trusted = (dir: string): string[] =>
  certificatesIn(read(dir, "ca.crt")).map(({ fingerprint256 }) => fingerprint256);
/** Who has signed the serving certificate that a server of this folder would use now. */
async function servedBy(dir: string): Promise<{ leaf: X509Certificate; roots: X509Certificate[] }> {
  const { apiserver, ca } = await ensurePki(dir, { now });
  return { leaf: new X509Certificate(apiserver.cert), roots: certificatesIn(ca.cert) };
}

test("rotateAuthority: the new one is trusted, then it signs, then the old one is dropped", async () => {
  const dir = await madeDir();
  const [old = ""] = trusted(dir);
  const steps = [];
  for (let i = 0; i < 3; i++) {
    const { stage } = await rotateAuthority(dir, clusterAuthority, now);
    const { leaf, roots } = await servedBy(dir);
    const signer = roots.findIndex((root) => isSignedBy(leaf, root));
    steps.push([stage, roots.length, signer, roots[signer]?.fingerprint256 === old]);
  }
  expect(steps).toEqual([
    ["trusted", 2, 0, true],
    ["issued", 2, 0, false],
    ["none", 1, 0, false],
  ]);
  expect(trusted(dir)).not.toContain(old);
  expect(readdirSync(dir).filter((file) => file.includes("next"))).toEqual([]);
});

test("rotateAuthority: after a kill between any two writes, the next call goes on", async () => {
  const dir = await madeDir();
  // Each step is replayed from every mixture of the files before it and after it that a kill can leave.
  for (const [step, order] of [
    ["none", ["ca-next.key", "ca.crt"]],
    ["trusted", ["ca.key", "ca.crt", "ca-next.key"]],
    ["issued", ["ca.crt"]],
  ] as const) {
    expect((await readAuthority(dir, clusterAuthority)).stage).toBe(step);
    const before = copyOf(dir);
    const { stage: end } = await rotateAuthority(dir, clusterAuthority, now);
    for (let written = 0; written < order.length; written++) {
      const killed = copyOf(before);
      for (const file of order.slice(0, written)) replace(killed, file, dir);
      // A server that starts now has certificates that all its clients trust.
      const { leaf, roots } = await servedBy(killed);
      expect(roots.some((root) => isSignedBy(leaf, root))).toBe(true);
      const { stage } = await rotateAuthority(killed, clusterAuthority, now);
      expect([step, written, stage]).toEqual([step, written, end]);
    }
  }
});

test("readCertificates: what the previous authority has signed is due, and is issued by the new one", async () => {
  const dir = await madeDir();
  await rotateAuthority(dir, clusterAuthority, now);
  const names = async () => (await readCertificates(dir, now)).map(({ name }) => name);
  expect(await names()).toContain("ca (next)");
  await rotateAuthority(dir, clusterAuthority, now);
  expect(await names()).toContain("ca (previous)");
  const due = (await readCertificates(dir, now)).filter(({ isDue }) => isDue);
  expect(due.map(({ name, authority }) => [name, authority])).toEqual([
    ["admin", "ca"],
    ["apiserver", "ca"],
    ["apiserver-kubelet-client", "ca"],
  ]);
  for (const kept of due) await reissue(dir, kept, now);
  expect((await readCertificates(dir, now)).filter(({ isDue }) => isDue)).toEqual([]);
  await rotateAuthority(dir, clusterAuthority, now);
  expect((await readCertificates(dir, now)).map(({ problem }) => problem)).toEqual(
    Array(7).fill(undefined),
  );
});

test("rotateAuthority: an authority that was made elsewhere is not replaced", async () => {
  const dir = await madeDir();
  for (const extension of ["crt", "key"])
    writeFileSync(join(dir, `ca.${extension}`), read(dir, `kubelet-ca.${extension}`), {
      mode: 0o600,
    });
  await expect(rotateAuthority(dir, clusterAuthority, now)).rejects.toThrow("was made elsewhere");
});

function copyOf(dir: string): string {
  const copy = mkdtempSync(join(tmpdir(), "wherry-rotate-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(dir, copy, { recursive: true });
  return copy;
}

/** Makes a file as it is in another folder, where it may not exist. */
function replace(dir: string, file: string, from: string): void {
  if (readdirSync(from).includes(file)) cpSync(join(from, file), join(dir, file));
  else rmSync(join(dir, file), { force: true });
}
