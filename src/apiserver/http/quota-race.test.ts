import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { quotaServer } from "../admission/resource-quota/quota-server.test-support.ts";
import { openServer } from "../in-process.test-support.ts";
import { pki, start, versions } from "./clients.test-support.ts";

test.each(versions)("%s: 64 connections race for 10 places, and 10 get one", async (_, call) => {
  const core = await openServer(new VirtualClock(Date.UTC(2026, 0, 1)));
  const { port } = await start(core.handle);
  const headers = { "content-type": "application/json" };
  const server = quotaServer(async (method, path, body) => {
    const sent = body && { body: JSON.stringify(body), headers };
    const answer = await call(port, { method, path, identity: pki.admin, ...sent });
    return { status: answer.status ?? 0, text: answer.body };
  });
  await server.quota("q", { configmaps: "10" });
  const said = await Promise.all(
    Array.from({ length: 64 }, (__, n) =>
      server.say("POST", "configmaps", { metadata: { name: `c${n}` } }),
    ),
  );
  const codes = said.map((text) => text.slice(0, 3)).sort();
  expect(codes).toEqual([...Array(10).fill("201"), ...Array(54).fill("403")]);
  expect(await server.used("q")).toEqual({ configmaps: "10" });
  expect(await server.count("configmaps")).toBe(10);
  core.close();
});
