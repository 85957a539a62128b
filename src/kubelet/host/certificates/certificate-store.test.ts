import {
  lstatSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { certificateStore } from "./certificate-store.ts";

function emptyDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "wherry-certificates-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}
const now = new Date("2026-01-02T15:04:05.678Z");
const pair = selfSigned({ name: "a", ips: [], now });

test("a new store has no pair", async () => {
  const store = await certificateStore(join(emptyDir(), "none"), "kubelet-client");
  expect(await store.current()).toBeUndefined();
});

test("a pair is stored in a private file of its date, to which a link leads", async () => {
  const dir = join(emptyDir(), "pki");
  const store = await certificateStore(dir, "kubelet-client");
  const stored = await store.update(pair, now);
  expect(stored).toMatchObject({ notAfter: Date.parse(stored.certificate.validTo) });
  expect(store.path).toBe(join(dir, "kubelet-client-current.pem"));
  const target = readlinkSync(store.path);
  expect(target).toMatch(/\/pki\/kubelet-client-2026-01-0[123]-\d\d-\d4-05\.pem$/);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  const again = await certificateStore(dir, "kubelet-client");
  expect(await again.current()).toMatchObject(pair);

  const next = selfSigned({ name: "b", ips: [], now });
  await store.update(next, new Date(now.getTime() + 1000));
  expect(await again.current()).toMatchObject(next);
  expect(readlinkSync(store.path)).not.toBe(target);
  expect(lstatSync(target).isFile()).toBe(true);
});

test("an interrupted update is completed", async () => {
  const dir = emptyDir();
  const file = join(dir, "kubelet-server-2026-01-01-00-00-00.pem");
  writeFileSync(file, pair.cert + pair.key);
  symlinkSync(file, join(dir, "kubelet-server-updated.pem"));
  const store = await certificateStore(dir, "kubelet-server");
  expect(await store.current()).toMatchObject(pair);
  expect(readlinkSync(store.path)).toBe(file);
});

test("a pair in two files is found", async () => {
  const dir = emptyDir();
  writeFileSync(join(dir, "kubelet-client.crt"), pair.cert.trimEnd());
  writeFileSync(join(dir, "kubelet-client.key"), pair.key);
  const store = await certificateStore(dir, "kubelet-client");
  expect(await store.current()).toMatchObject({ key: pair.key });
});

test("the key of another certificate is an error", async () => {
  const dir = emptyDir();
  const { key } = selfSigned({ name: "b", ips: [], now });
  writeFileSync(join(dir, "kubelet-client-current.pem"), pair.cert + key);
  const store = await certificateStore(dir, "kubelet-client");
  await expect(store.current()).rejects.toThrow(
    /^could not convert data from ".*kubelet-client-current.pem" into cert\/key pair$/,
  );
  await expect(store.update({ cert: pair.cert, key }, now)).rejects.toThrow();
});
