import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Transport } from "../../client/transport.ts";
import { userAgentOf } from "./component-connection.ts";
import { componentTransports } from "./component-transports.ts";

/** A server that responds with the caller's user agent and credentials. */
async function echo(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end(request.headers["user-agent"]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const said = async (transport: Transport) =>
  (await transport({ method: "GET", path: "/", query: "", headers: {} })).value();

test("each part of a component has its own user agent and request limit; urgent calls have none", async () => {
  const clock = new VirtualClock();
  const transports = componentTransports({
    connection: {
      server: await echo(),
      userAgent: userAgentOf({ component: "kube-controller-manager", version: "v1.36.0" }),
    },
    limit: { qps: 1, burst: 1 },
    usesAccounts: false,
    clock,
  });
  onTestFinished(transports.close);
  const agent = /^kube-controller-manager\/v1\.36\.\d+ \(\w+\/\w+\) kubernetes\/wherry\/(.*)$/;
  const name = async (transport: Transport) => agent.exec(String(await said(transport)))?.[1];
  expect(await name(transports.own("shared-informers"))).toBe("shared-informers");
  const deployments = transports.of("deployment-controller");
  expect(await name(deployments)).toBe("deployment-controller");
  expect(await name(transports.of("job-controller"))).toBe("job-controller");
  let isHeld = true;
  const second = name(deployments).then(() => {
    isHeld = false;
  });
  const urgent = transports.urgent("leader-election");
  expect([await name(urgent), await name(urgent)]).toEqual(["leader-election", "leader-election"]);
  expect(isHeld).toBe(true);
  await clock.advance(1000);
  await second;
  expect(isHeld).toBe(false);
});

test("an account may have its own limit", async () => {
  const clock = new VirtualClock();
  const transports = componentTransports({
    connection: { server: await echo() },
    limit: { qps: 1, burst: 1 },
    limitOf: (account) => (account === "busy" ? { qps: 1, burst: 3 } : undefined),
    usesAccounts: false,
    clock,
  });
  onTestFinished(transports.close);
  const made: string[] = [];
  const calls = ["busy", "idle"].flatMap((account) => {
    const transport = transports.of(account);
    return Array.from({ length: 4 }, () => said(transport).then(() => made.push(account)));
  });
  await expect.poll(() => made.toSorted().join()).toBe("busy,busy,busy,idle");
  await clock.advance(3000);
  await Promise.all(calls);
});
