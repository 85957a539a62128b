import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { HealthCheckPorts } from "./health-check-ports.ts";

/** A port that was free a moment ago, or stays taken until the test ends. */
async function findPort(what: "free" | "taken"): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  if (what === "free") await new Promise((resolve) => server.close(resolve));
  else onTestFinished(() => void server.close());
  return port;
}

function openChecks() {
  const failures: string[] = [];
  const state = { isHealthy: true };
  const checks = new HealthCheckPorts({
    isHealthy: () => state.isHealthy,
    addresses: () => ["127.0.0.1"],
    failed: (service, port, error) => failures.push(`${service} ${port} ${error}`),
    log: noLog,
  });
  onTestFinished(() => checks.close());
  return { checks, state, failures };
}

async function ask(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  const weight = response.headers.get("X-Load-Balancing-Endpoint-Weight");
  return [response.status, weight, await response.json()];
}

test("HealthCheckPorts: load balancers learn how many endpoints the node has, and whether its rules are current", async () => {
  const { checks, state } = openChecks();
  const port = await findPort("free");
  const body = (localEndpoints: number, serviceProxyHealthy = true) => ({
    ...{ service: { namespace: "default", name: "web" }, localEndpoints, serviceProxyHealthy },
  });
  await checks.set("default/web", { port, localReady: 2 });
  expect(await ask(port)).toEqual([200, "2", body(2)]);
  await checks.set("default/web", { port, localReady: 0 });
  expect(await ask(port)).toEqual([503, "0", body(0)]);
  await checks.set("default/web", { port, localReady: 1 });
  state.isHealthy = false;
  expect(await ask(port)).toEqual([503, "1", body(1, false)]);
});

test("HealthCheckPorts: a service that moves or goes leaves no port behind, and another can have it", async () => {
  const { checks, failures } = openChecks();
  const [first, second] = [await findPort("free"), await findPort("free")];
  await checks.set("default/web", { port: first, localReady: 1 });
  await checks.set("default/web", { port: second, localReady: 1 });
  await expect(ask(first)).rejects.toThrow();
  expect((await ask(second))[0]).toBe(200);
  await checks.set("default/web", undefined);
  await checks.set("default/other", { port: second, localReady: 1 });
  expect((await ask(second))[0]).toBe(200);
  expect(failures).toEqual([]);
});

test("HealthCheckPorts: a port that is taken is reported, and tried again with the next change", async () => {
  const { checks, failures } = openChecks();
  const port = await findPort("taken");
  await checks.set("default/web", { port, localReady: 1 });
  expect(failures).toEqual([
    expect.stringContaining(`default/web ${port} Error: listen EADDRINUSE`),
  ]);
  await checks.set("default/web", { port, localReady: 1 });
  expect(failures).toHaveLength(2);
});
