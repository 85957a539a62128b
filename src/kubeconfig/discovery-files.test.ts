import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { each } from "../../test/each.ts";
import { discoveryFiles } from "./discovery-files.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "wherry-discovery-"));
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

const server = "https://127.0.0.1:6443";
const name = "apps/v1/serverresources.json";
const fileOf = (document = name) => join(directory, "discovery", "127.0.0.1_6443", document);
const list = { kind: "APIResourceList", groupVersion: "apps/v1", resources: [{ name: "ä" }] };

test("discovery files: documents are stored in kubectl's paths with its modes", async () => {
  const cache = discoveryFiles({ server, directory });
  expect(await cache.read(name)).toBeUndefined();
  await cache.write(name, list);
  expect(await cache.read(name)).toEqual(list);
  expect(await discoveryFiles({ server, directory }).read(name)).toEqual(list);
  expect(readdirSync(dirname(fileOf()))).toEqual(["serverresources.json"]);
  expect(statSync(fileOf()).mode & 0o777).toBe(0o660);
  expect(statSync(dirname(fileOf())).mode & 0o027).toBe(0);
});

each<[server: string, folder: string]>([
  ["https://10.0.0.1:6443", "10.0.0.1_6443"],
  ["http://localhost:8080", "localhost_8080"],
  ["https://[::1]:6443", "___1__6443"],
  ["https://rancher.example.com/k8s/clusters/c-1", "rancher.example.com/k8s/clusters/c_1"],
  ["https://10.0.0.1:6443/", "10.0.0.1_6443"],
  // Names cannot escape the folder.
  ["https://evil.example.com/../../..", "evil.example.com"],
])("discovery files: the folder of %s is %s", async (url, folder) => {
  await discoveryFiles({ server: url, directory }).write("servergroups.json", {});
  expect(existsSync(join(directory, "discovery", folder, "servergroups.json"))).toBe(true);
});

test("discovery files: the cache is in KUBECACHEDIR, or below the home directory", async () => {
  await discoveryFiles({ server, env: { KUBECACHEDIR: directory } }).write(name, list);
  expect(existsSync(fileOf())).toBe(true);
  const cached = join(homedir(), ".kube", "cache", "discovery", "nobody.invalid_1");
  expect(existsSync(cached)).toBe(false);
  const cache = discoveryFiles({ server: "https://nobody.invalid:1", env: {} });
  expect(await cache.read(name)).toBeUndefined();
});

test("discovery files: a file expires after six hours", async () => {
  const at = Date.UTC(2026, 0, 1);
  const hours = (count: number) => count * 3_600_000;
  let now = at;
  const cache = discoveryFiles({ server, directory, now: () => now });
  await cache.write(name, list);
  utimesSync(fileOf(), at / 1000, at / 1000);
  now = at + hours(6);
  expect(await cache.read(name)).toEqual(list);
  now = at + hours(6) + 1;
  expect(await cache.read(name)).toBeUndefined();
  const shorter = discoveryFiles({ server, directory, ttlMs: 1000, now: () => at + 1001 });
  expect(await shorter.read(name)).toBeUndefined();
});

test("discovery files: a malformed document counts as missing", async () => {
  const cache = discoveryFiles({ server, directory });
  mkdirSync(dirname(fileOf()), { recursive: true });
  for (const text of ["", "{", '{"kind":"API', "\0\0\0"]) {
    writeFileSync(fileOf(), text);
    expect(await cache.read(name)).toBeUndefined();
  }
  rmSync(fileOf());
  mkdirSync(fileOf());
  expect(await cache.read(name)).toBeUndefined();
  rmSync(fileOf(), { recursive: true });
  symlinkSync(join(directory, "nowhere"), fileOf());
  expect(await cache.read(name)).toBeUndefined();
});

test("discovery files: a name that leads out of the folder is neither read nor written", async () => {
  const cache = discoveryFiles({ server, directory });
  writeFileSync(join(directory, "outside.json"), "{}");
  for (const way of ["../../outside.json", "../../new.json", "/tmp/x.json", "a//b", "a\\..\\b"]) {
    await cache.write(way, list);
    expect(await cache.read(way)).toBeUndefined();
  }
  expect(readdirSync(directory)).toEqual(["outside.json"]);
});

test("discovery files: a failed write is ignored, and leaves no file behind", async () => {
  const cache = discoveryFiles({ server, directory });
  mkdirSync(fileOf(), { recursive: true });
  writeFileSync(join(fileOf(), "in the way"), "");
  await cache.write(name, list);
  expect(readdirSync(dirname(fileOf()))).toEqual(["serverresources.json"]);
  const nowhere = discoveryFiles({ server, directory: join(directory, "discovery", "x\0") });
  await nowhere.write(name, list);
  expect(await nowhere.read(name)).toBeUndefined();
});

test("discovery files: concurrent readers and writers see complete documents", async () => {
  const caches = Array.from({ length: 4 }, () => discoveryFiles({ server, directory }));
  const long = (n: number) => ({ ...list, resources: Array(500).fill({ name: `r${n}` }) });
  await caches[0]?.write(name, long(0));
  const work = caches.flatMap((cache, n) =>
    Array.from({ length: 25 }, async () => {
      await cache.write(name, long(n));
      return cache.read(name);
    }),
  );
  for (const read of await Promise.all(work))
    expect(read).toMatchObject({ groupVersion: "apps/v1" });
  expect(readdirSync(dirname(fileOf()))).toEqual(["serverresources.json"]);
});
