import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { registrationHandlers, serveSocket, testFolder } from "./plugin.test-support.ts";
import type { Plugin, PluginHandler, PluginHandlers } from "./plugin-handler.ts";
import { openPluginWatcher } from "./plugin-watcher.ts";

/** A handler that records what it is called with. */
function recorder(changes: Partial<PluginHandler> = {}) {
  const calls: string[] = [];
  const handler: PluginHandler = {
    problemOf: () => undefined,
    async register({ name, endpoint, versions }: Plugin) {
      calls.push(`register ${name} ${endpoint} ${versions}`);
    },
    async deregister({ name }: Plugin) {
      calls.push(`deregister ${name}`);
    },
    ...changes,
  };
  return { calls, handler };
}

async function watching(folder: string, handlers: PluginHandlers): Promise<void> {
  const watcher = await openPluginWatcher({ folder, handlers, clock: realClock, log: noLog });
  onTestFinished(() => watcher.close());
}

test("openPluginWatcher: plugins are registered while their sockets exist", async () => {
  const folder = testFolder();
  const { calls, handler } = recorder();
  const outcomes: string[] = [];
  const introduction = { type: "DRAPlugin", name: "a.example.com" };
  const methods = registrationHandlers(introduction, outcomes);
  const socket = join(folder, "a.sock");
  const first = await serveSocket(socket, methods);
  await watching(folder, { DRAPlugin: handler });
  await expect.poll(() => outcomes).toEqual([""]);
  const registered = `register a.example.com ${socket} v1`;
  expect(calls).toEqual([registered]);
  await first.close();
  await expect.poll(() => calls).toEqual([registered, "deregister a.example.com"]);
  await serveSocket(socket, methods);
  await expect.poll(() => calls.at(-1)).toBe(registered);
  await expect.poll(() => outcomes).toEqual(["", ""]);
});

test("openPluginWatcher: a socket that replaces another is a new plugin", async () => {
  const folder = testFolder();
  const other = testFolder();
  const { calls, handler } = recorder();
  const serve = (path: string, name: string) =>
    serveSocket(path, registrationHandlers({ type: "CSIPlugin", name, endpoint: "/csi.sock" }, []));
  await serve(join(folder, "reg.sock"), "one");
  await watching(folder, { CSIPlugin: handler });
  await expect.poll(() => calls).toEqual(["register one /csi.sock v1"]);
  await serve(join(other, "reg.sock"), "two");
  renameSync(join(other, "reg.sock"), join(folder, "reg.sock"));
  await expect.poll(() => calls.slice(1)).toEqual(["deregister one", "register two /csi.sock v1"]);
});

test("openPluginWatcher: sockets in folders count, hidden ones and other files do not", async () => {
  const folder = testFolder();
  const outside = testFolder();
  const { calls, handler } = recorder();
  const serve = (path: string, name: string) =>
    serveSocket(path, registrationHandlers({ type: "DevicePlugin", name }, []));
  await watching(folder, { DevicePlugin: handler });
  writeFileSync(join(folder, "file"), "");
  await serve(join(folder, ".hidden.sock"), "hidden");
  mkdirSync(join(folder, "deep", "er"), { recursive: true });
  const deep = join(folder, "deep", "er", "s.sock");
  await serve(deep, "deep");
  await serve(join(outside, "s.sock"), "linked");
  symlinkSync(join(outside, "s.sock"), join(folder, "link.sock"));
  await expect
    .poll(() => [...calls].sort())
    .toEqual([`register deep ${deep} v1`, `register linked ${join(folder, "link.sock")} v1`]);
  rmSync(join(folder, "deep"), { recursive: true });
  await expect.poll(() => calls.at(-1)).toBe("deregister deep");
});

test("openPluginWatcher: a plugin learns why it is not registered, and is tried again", async () => {
  const folder = testFolder();
  let isBroken = true;
  const { calls, handler } = recorder({
    problemOf: ({ name }) => (name === "odd" ? "odd name" : undefined),
    async register({ name }) {
      calls.push(name);
      if (isBroken) throw new Error("broken");
    },
  });
  const outcomes: Record<string, string[]> = { odd: [], late: [], other: [] };
  for (const [name, list] of Object.entries(outcomes)) {
    const type = name === "other" ? "OtherPlugin" : "CSIPlugin";
    const methods = registrationHandlers({ type, name }, list);
    await serveSocket(join(folder, `${name}.sock`), methods);
  }
  await watching(folder, { CSIPlugin: handler });
  const failed = "RegisterPlugin error -- ";
  await expect
    .poll(() => Object.values(outcomes).map((list) => list[0]))
    .toEqual([
      `${failed}plugin validation failed with err: odd name`,
      `${failed}plugin registration failed with err: broken`,
      `${failed}no handler registered for plugin type: OtherPlugin at socket ${join(folder, "other.sock")}`,
    ]);
  isBroken = false;
  await expect.poll(() => outcomes.late?.at(-1), { timeout: 5000 }).toBe("");
});

test("openPluginWatcher: closing does not wait for a socket at which nobody listens", async () => {
  const folder = testFolder();
  const elsewhere = testFolder();
  // A server that ends removes its own name of the socket only.
  const server = await serveSocket(join(elsewhere, "s.sock"), []);
  symlinkSync(join(elsewhere, "s.sock"), join(folder, "dead.sock"));
  const watcher = await openPluginWatcher({ folder, handlers: {}, clock: realClock, log: noLog });
  await server.close();
  const began = performance.now();
  await watcher.close();
  expect(performance.now() - began).toBeLessThan(5000);
});
