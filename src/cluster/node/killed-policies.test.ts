import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { runScript } from "../../../test/project.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import { SeededRandom } from "../../base/random.ts";
import { type Client, createClient } from "../../client/client.ts";
import { fixedCredentials } from "../../kubeconfig/credentials.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { openSocketNamespace } from "../../network/policies/pod-sockets.test-support.ts";
import { policyDecisions } from "../../network/policies/policy-decisions.test-support.ts";
import { PolicyIndex } from "../../network/policies/policy-index.ts";
import { policyPod } from "../../network/policies/policy-pod.ts";
import { wholeTransaction } from "../../network/policies/policy-transaction.ts";
import { RandomWorld } from "../../network/policies/random-policies.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { mustRun } from "../../platform/run-child.ts";
import { startServer } from "../commands/server/server-command.ts";
import type { PoliciesDriverOptions } from "./policies-driver.test-support.ts";

testWith(requires("nft"))(
  "openNetworkPolicies: killed while policies change, the next one makes the rules what they should be",
  async () => {
    const { client, ...connection } = await openServer();
    const node = await openSocketNamespace();
    const random = new SeededRandom(7);
    await addPods(client);
    const driver: PoliciesDriverOptions = { ...connection, nodeName: "here", namespace: node.path };
    for (let round = 0; round < 3; round++) {
      const agent = await startDriver(driver);
      const changes = changePolicies(client, random);
      // Each round is killed at another point of its changes.
      for (let i = 0; i < 2 + 5 * round; i++) await changes.next();
      const ended = once(agent, "exit");
      agent.kill("SIGKILL");
      // What changes meanwhile is not seen by anybody.
      for (let i = 0; i < 4; i++) await changes.next();
      await ended;
    }
    // Also what nobody of ours has left is replaced.
    await nft(node.path, "add set ip wherry-policies peers-1 { type ipv4_addr; }\n");
    await nft(node.path, "add rule ip wherry-policies forward drop\n");
    await startDriver(driver);
    const expected = await expectedDecisions(client);
    expect(expected.length).toBeGreaterThan(4);
    await expect
      .poll(() => policyDecisions(node.path), { timeout: 20_000, interval: 200 })
      .toEqual(expected);
  },
  120_000,
);

async function openServer() {
  const dir = mkdtempSync(join(tmpdir(), "wherry-policies-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const started = await startServer({
    ...{ dir, host: "127.0.0.1", port: 0, nodes: 0 },
    log: { level: "error", format: "" },
  });
  onTestFinished(() => started.close());
  const read = (name: string) => readFileSync(join(dir, "pki", name), "utf8");
  const [cert, key] = [read("admin.crt"), read("admin.key")];
  const server = `https://127.0.0.1:${started.port}`;
  const transport = httpsTransport({
    ...{ server, authorities: async () => started.rootCa },
    credentials: fixedCredentials({ cert, key }),
  });
  onTestFinished(() => transport.close());
  return {
    client: createClient(transport, { clock: realClock }),
    server,
    ca: started.rootCa,
    cert,
    key,
  };
}

async function addPods(client: Client): Promise<void> {
  for (const [n, namespace] of ["a", "b", "c"].entries()) {
    await client.create(Namespace, { metadata: { name: namespace, labels: { app: "x" } } });
    const account = { metadata: { namespace, name: "default" } };
    await client.create(ServiceAccount, account).catch(() => {});
    for (const [p, app] of ["x", "y", "z"].entries()) {
      const key = { namespace, name: app };
      await client.create(Pod, {
        metadata: { ...key, labels: { app, tier: app } },
        spec: {
          nodeName: p < 2 ? "here" : "elsewhere",
          containers: [{ name: "c", image: "i", ports: [{ name: "web", containerPort: 80 }] }],
        },
      } as never);
      const podIPs = [{ ip: `10.0.${n}.${p}` }, { ip: `fd00::${n}:${p}` }];
      const status = { phase: "Running", podIP: podIPs[0]?.ip, podIPs };
      await client.patch(Pod, key, { merge: { status } }, { subresource: "status" });
    }
  }
}

/** Creates and deletes policies at random, one with each step. */
async function* changePolicies(client: Client, random: SeededRandom): AsyncGenerator<void> {
  const world = new RandomWorld(random);
  for (;;) {
    const before = new Map(world.policies);
    world.step(new PolicyIndex());
    for (const key of new Set([...before.keys(), ...world.policies.keys()])) {
      const [namespace = "", name = ""] = key.split("/");
      const policy = world.policies.get(key);
      if (policy === before.get(key)) continue;
      await client.delete(NetworkPolicy, { namespace, name }).catch(() => {});
      if (policy)
        await client.create(NetworkPolicy, { metadata: { namespace, name }, spec: policy.spec });
      yield;
    }
  }
}

/** Starts a driver until the test ends; resolves when it has applied something. */
async function startDriver(options: PoliciesDriverOptions): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "policies-driver.test-support.ts");
  const child = spawn(process.execPath, [runScript, program, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

const nft = (namespace: string, input: string): Promise<string> =>
  mustRun("nsenter", [`--net=${namespace}`, "nft", "-f", "-"], { input });

/** What one process decides that has seen nothing but the present objects. */
async function expectedDecisions(client: Client): Promise<readonly string[]> {
  const index = new PolicyIndex();
  for (const { metadata } of (await client.list(Namespace)).items)
    index.setNamespace(metadata.name ?? "", metadata.labels);
  for (const pod of (await client.list(Pod, { namespace: "" })).items)
    index.setPod(`${pod.metadata.namespace}/${pod.metadata.name}`, policyPod(pod, "here"));
  for (const { metadata, spec } of (await client.list(NetworkPolicy, { namespace: "" })).items)
    index.setPolicy({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" }, spec);
  const scratch = await openSocketNamespace();
  await nft(scratch.path, wholeTransaction(index.contents.takeAll()));
  return policyDecisions(scratch.path);
}
