import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Log, noLog } from "../../../base/log.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { openStaticPods, type StaticPodConfiguration } from "./open-static-pods.ts";

const pod = (name: string, image = "nginx") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "web", image }] },
});
const json = (...args: Parameters<typeof pod>) => JSON.stringify(pod(...args));
const yaml = (name: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers: [{name: web, image: nginx}]\n`;

/** Follows static pods until the test ends. */
function follow(configuration: Partial<StaticPodConfiguration>) {
  const pods = new Map<string, string>();
  const changes: string[] = [];
  const logged: string[] = [];
  const events: string[] = [];
  const write = (message: string, fields?: object) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...noLog, warn: write, info: write, debug: write };
  const opened = openStaticPods({
    configuration: { fileCheckMs: 60_000, httpCheckMs: 60_000, ...configuration },
    ...{ nodeName: "node-1", clock: realClock, log },
    record: (_, { reason, message }) => events.push(`${reason}: ${message}`),
  });
  onTestFinished(() => opened.close());
  let isReady = false;
  for (const source of opened.sources)
    source.subscribe({
      set({ metadata: { uid = "", name = "" }, spec }) {
        pods.set(uid, `${name} ${spec.containers[0]?.image}`);
        changes.push(`+${name}`);
      },
      removed({ metadata: { uid = "", name = "" } }) {
        pods.delete(uid);
        changes.push(`-${name}`);
      },
      ready: () => {
        isReady = true;
      },
    });
  return {
    ...{ changes, logged, events },
    names: () => [...pods.values()].sort(),
    isReady: () => isReady,
  };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "static-pods-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("the files of a folder are followed: YAML and JSON, but no hidden files and no folders", async () => {
  const path = folder();
  writeFileSync(join(path, "a.yaml"), yaml("a"));
  writeFileSync(join(path, "b"), json("b"));
  writeFileSync(join(path, ".hidden.yaml"), yaml("hidden"));
  mkdirSync(join(path, "sub"));
  writeFileSync(join(path, "sub", "c.yaml"), yaml("c"));
  const found = follow({ path: `${path}/` });
  await expect.poll(found.names).toEqual(["a-node-1 nginx", "b-node-1 nginx"]);
  expect(found.logged).toEqual([expect.stringContaining(join(path, "sub"))]);
  writeFileSync(join(path, ".new"), json("b", "nginx:2"));
  renameSync(join(path, ".new"), join(path, "b"));
  writeFileSync(join(path, "c.json"), json("c"));
  rmSync(join(path, "a.yaml"));
  await expect.poll(found.names).toEqual(["b-node-1 nginx:2", "c-node-1 nginx"]);
  expect(found.changes.indexOf("-b-node-1")).toBeLessThan(found.changes.lastIndexOf("+b-node-1"));
});

test("of files with the same pod, the last one counts", async () => {
  const path = folder();
  writeFileSync(join(path, "a.yaml"), json("web", "nginx:1"));
  writeFileSync(join(path, "b.yaml"), json("web", "nginx:2"));
  const found = follow({ path });
  await expect.poll(found.names).toEqual(["web-node-1 nginx:2"]);
  rmSync(join(path, "b.yaml"));
  await expect.poll(found.names).toEqual(["web-node-1 nginx:1"]);
});

test("the pod of a file that becomes invalid stays until the folder is read again", async () => {
  const path = folder();
  writeFileSync(join(path, "a.yaml"), yaml("a"));
  writeFileSync(join(path, "b.yaml"), yaml("b"));
  const rare = follow({ path });
  const often = follow({ path, fileCheckMs: 300 });
  await expect.poll(() => [...rare.names(), ...often.names()]).toHaveLength(4);
  writeFileSync(join(path, "a.yaml"), "kind: [");
  await expect.poll(() => rare.logged).toHaveLength(1);
  expect(rare.logged[0]).toContain("couldn't parse as pod(yaml: ");
  await expect.poll(often.names).toEqual(["b-node-1 nginx"]);
  expect(rare.names()).toHaveLength(2);
  expect(often.logged).toHaveLength(1);
});

test("a folder that does not exist has no pods until it is created, and none when it is removed", async () => {
  const path = join(folder(), "manifests");
  const found = follow({ path });
  await expect.poll(found.isReady).toBe(true);
  for (const name of ["a", "b"]) {
    mkdirSync(path);
    writeFileSync(join(path, "pod.yaml"), yaml(name));
    await expect.poll(found.names, { timeout: 5000 }).toEqual([`${name}-node-1 nginx`]);
    rmSync(path, { recursive: true });
    await expect.poll(found.names).toEqual([]);
  }
});

test("a single file is followed through replacements; while it is invalid, its pod stays", async () => {
  const dir = folder();
  const path = join(dir, "pod.yaml");
  writeFileSync(path, "");
  const found = follow({ path, fileCheckMs: 200 });
  await expect.poll(() => found.logged).toHaveLength(1);
  expect(found.isReady()).toBe(false);
  for (const image of ["nginx:1", "nginx:2"]) {
    writeFileSync(join(dir, "new"), json("a", image));
    renameSync(join(dir, "new"), path);
    await expect.poll(found.names).toEqual([`a-node-1 ${image}`]);
  }
  writeFileSync(path, "kind: [");
  await expect.poll(() => found.logged).toHaveLength(2);
  expect(found.names()).toEqual(["a-node-1 nginx:2"]);
  rmSync(path);
  await expect.poll(found.names).toEqual([]);
});

test("the pods of a URL are followed; what cannot be used leaves them as they are", async () => {
  const answers = { status: 200, text: json("a"), headers: {} as IncomingHttpHeaders };
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/old")) {
      response.writeHead(302, { location: "/pods" }).end();
      return;
    }
    answers.headers = request.headers;
    response.writeHead(answers.status).end(answers.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const found = follow({
    url: `http://me:hunter2@127.0.0.1:${port}/old?key=hunter3`,
    urlHeaders: { "X-Token": ["hunter4", "hunter5"] },
    httpCheckMs: 20,
  });
  await expect.poll(found.names).toEqual(["a-node-1 nginx"]);
  const authorization = `Basic ${Buffer.from("me:hunter2").toString("base64")}`;
  expect(answers.headers).toMatchObject({ authorization, "x-token": "hunter4, hunter5" });
  const items = [pod("a"), pod("b"), pod("b", "nginx:2")];
  answers.text = JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
  await expect.poll(found.names).toEqual(["a-node-1 nginx", "b-node-1 nginx"]);
  expect(found.events[0]).toMatch(
    /^FailedValidation: Error validating pod b-node-1_default\([0-9a-f]{32}\) from http due to duplicate pod name "b-node-1", ignoring$/,
  );
  for (const text of ["kind: [", json("c", ""), json("", "c")]) {
    found.logged.length = 0;
    answers.text = text;
    await expect.poll(() => found.logged.join()).toContain("failed to read");
  }
  answers.status = 503;
  await expect.poll(() => found.logged.join()).toContain("503 Service Unavailable");
  expect(found.names()).toHaveLength(2);
  Object.assign(answers, { status: 200, text: "" });
  await expect.poll(found.names).toEqual([]);
  expect(found.logged.join()).not.toContain("hunter");
});

test("a URL that cannot be reached is no source of deletions", async () => {
  const found = follow({ url: "http://127.0.0.1:1/", httpCheckMs: 20 });
  await expect.poll(() => found.logged.length).toBeGreaterThan(4);
  expect(found.isReady()).toBe(false);
  expect(found.logged[0]).toContain("ECONNREFUSED");
});
