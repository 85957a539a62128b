// Kills the service proxy at random points while services change: npm run proxy-crash -- [--seeds N] [--first N] [--kills N]
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Node } from "../../src/api/core/v1/node/node.ts";
import { SeededRandom } from "../../src/base/random.ts";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import { mustRun } from "../../src/platform/run-child.ts";
import { newDirectory, startProcess } from "../../test/support/server-process.test-support.ts";
import { wherryProgram } from "../../test/wherry-program.ts";
import {
  type CrashNamespace,
  connectToServer,
  openCrashNamespace,
  runInNamespace,
  serverAddress,
} from "./proxy-crash/crash-namespaces.ts";
import {
  endpointAddresses,
  expectedEndpoints,
  RandomServices,
} from "./proxy-crash/random-services.ts";
import { startTraffic, type Traffic } from "./proxy-crash/traffic.ts";

const args = process.argv.slice(2);
if (args[0] !== "inside") runInNamespace(["inside", ...args]);
const { values } = parseArgs({
  args: args.slice(1),
  options: { seeds: { type: "string" }, first: { type: "string" }, kills: { type: "string" } },
});
const seeds = Number(values.seeds ?? 200);
const first = Number(values.first ?? 1);
const kills = Number(values.kills ?? 4);
const nodeAddress = "192.0.2.2";
const longestLifeMs = 1200;
const patienceMs = 20_000;
const directory = newDirectory();
const config = join(directory.path, "proxy.yaml");
const began = performance.now();
await mustRun("sh", ["-ec", `ip link set lo up; ip address add ${serverAddress}/32 dev lo`]);
const server = await startProcess(directory.data, {
  flags: [
    ...["--bind-address", "0.0.0.0", "--advertise-address", serverAddress],
    ...["--service-cluster-ip-range", "10.96.0.0/16,fd00:96::/112"],
  ],
});
try {
  const { client } = await connect({ path: adminKubeconfig() });
  writeConfiguration();
  await client.create(Node, {
    metadata: { name: "node-1" },
    spec: { podCIDRs: ["10.88.0.0/24", "fd00:88::/64"] },
  });
  const totals = { changes: 0, probes: 0 };
  for (let seed = first; seed < first + seeds; seed++) {
    try {
      await prove(client, seed, totals);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
    if ((seed - first + 1) % 10 === 0) console.log(`${seconds()}: ${seed - first + 1} seeds`);
  }
  console.log(
    `${seeds} seeds with ${kills} kills each in ${seconds()}: ${totals.changes} changes, ${totals.probes} probes; tables are as those of a fresh process, and no stale endpoint responds`,
  );
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await server.end("SIGKILL");
  directory.remove();
  process.exit();
}

/** Kills the proxy of a node while services change, and compares its tables with those of a fresh process. */
async function prove(
  client: Client,
  seed: number,
  totals: { changes: number; probes: number },
): Promise<void> {
  const random = new SeededRandom(seed);
  const services = new RandomServices(client, random.fork());
  const opened = await Promise.all([0, 1, 2].map(openCrashNamespace));
  const [node, backend, fresh] = opened as [CrashNamespace, CrashNamespace, CrashNamespace];
  const proxies: Proxy[] = [];
  let traffic: Traffic | undefined;
  try {
    await connectToServer(node, `n${seed}`, nodeAddress);
    await connectToServer(fresh, `f${seed}`, "192.0.2.3");
    await connectBackend(node, backend);
    traffic = await startTraffic(node, backend, endpointAddresses);
    const over = new AbortController();
    const changing = changeServices(services, { traffic, random, totals, signal: over.signal });
    changing.catch(() => over.abort());
    for (let kill = 0; kill < kills && !over.signal.aborted; kill++) {
      const proxy = startProxy(node);
      await wait(random.next() * longestLifeMs);
      await proxy.kill();
    }
    // The last process sees changes, too.
    proxies.push(startProxy(node));
    await wait(random.next() * longestLifeMs);
    over.abort();
    await changing;
    proxies.push(startProxy(fresh));
    await sameTables(node, fresh);
    await onlyWanted(services, traffic, totals);
  } catch (error) {
    for (const proxy of proxies) console.error(proxy.log());
    throw error;
  } finally {
    traffic?.close();
    await Promise.all(proxies.map((proxy) => proxy.kill()));
    await services.clear();
    for (const namespace of opened) namespace.close();
  }
}

/** Changes services, while clients use them, until it is told to end. */
async function changeServices(
  services: RandomServices,
  options: {
    readonly traffic: Traffic;
    readonly random: SeededRandom;
    readonly totals: { changes: number };
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { traffic, totals, signal } = options;
  const random = options.random.fork();
  while (!signal.aborted) {
    await services.change();
    totals.changes++;
    // Flows of UDP, and clients that stay, must not outlive their endpoints.
    for (const { address } of services.written)
      for (const protocol of ["tcp", "udp"] as const)
        if (random.next() < 0.2) void traffic.probe(protocol, address);
    await wait(random.next() * 60);
  }
}

async function sameTables(node: CrashNamespace, fresh: CrashNamespace): Promise<void> {
  let [found, expected] = ["", ""];
  for (const end = Date.now() + patienceMs; Date.now() < end; await wait(100)) {
    [found, expected] = await Promise.all([tablesOf(node), tablesOf(fresh)]);
    if (expected !== "" && found === expected) return;
  }
  throw new Error(`the tables differ: ${difference(found, expected)}`);
}

/** The tables in an order of their own, without clients that stay and without chains that nothing leads to. */
async function tablesOf(namespace: CrashNamespace): Promise<string> {
  const text = (await namespace.run("nft -s list ruleset")).replace(
    /((?:map sticky-clients|set clients-\w+) \{[^}]*?)elements = \{[^}]*\}\s*/g,
    "$1",
  );
  return text
    .split(/^\t(?=chain |map |set |\})/m)
    .filter((block) => {
      const [, chain] = /^chain ((?:pick|remember)-\S+)/.exec(block) ?? [];
      return chain === undefined || new RegExp(`goto ${chain}\\b`).test(text);
    })
    .map((block) => {
      const lines = block
        .split(/[,\n]|elements = \{/)
        .map((line) => line.trim().replace(/ ?\}$/, ""));
      return lines
        .filter((line) => line !== "")
        .sort()
        .join("\n");
    })
    .filter((block) => block !== "")
    .sort()
    .join("\n");
}

function difference(found: string, expected: string): string {
  const [a, b] = [found.split("\n"), expected.split("\n")];
  const more = a.filter((line) => !b.includes(line));
  const less = b.filter((line) => !a.includes(line));
  return `${found.length} and ${expected.length} characters; only killed: ${more.slice(0, 10).join(" | ")}; only fresh: ${less.slice(0, 10).join(" | ")}`;
}

/** Connections to services lead to their endpoints, and those to services that are gone lead nowhere. */
async function onlyWanted(
  services: RandomServices,
  traffic: Traffic,
  totals: { probes: number },
): Promise<void> {
  const targets = [
    ...services.written.map((service) => [service.address, service] as const),
    ...services.gone.map((address) => [address, undefined] as const),
  ];
  const checks = targets.flatMap(([address, service]) =>
    (["tcp", "udp"] as const).map(async (protocol) => {
      const expected = service ? expectedEndpoints(service, protocol) : [];
      const wrong = await wrongResult(traffic, { protocol, address, expected, totals });
      if (wrong === undefined) return;
      throw new Error(`${protocol} ${address} led to ${wrong}, not [${expected}]`);
    }),
  );
  await Promise.all(checks);
}

/** Where else connections lead than they should; flows of UDP are removed after the rules have changed. */
async function wrongResult(
  traffic: Traffic,
  options: {
    readonly protocol: "tcp" | "udp";
    readonly address: string;
    readonly expected: readonly string[];
    readonly totals: { probes: number };
  },
): Promise<string | undefined> {
  const { protocol, address, expected, totals } = options;
  const allows = (result: string): boolean =>
    expected.length > 0 ? expected.includes(result) : !endpointAddresses.includes(result);
  const end = Date.now() + (protocol === "udp" ? 5000 : 0);
  // On a busy machine a response takes time; a packet that is lost is sent again only after a second.
  const patienceMs = expected.length > 0 ? 900 : 400;
  for (let right = 0; right < 8; ) {
    const result = await traffic.probe(protocol, address, patienceMs);
    totals.probes++;
    if (allows(result)) right++;
    else if (Date.now() > end) return result;
    else {
      right = 0;
      await wait(100);
    }
  }
  return undefined;
}

async function connectBackend(node: CrashNamespace, backend: CrashNamespace): Promise<void> {
  await node.run(`
ip link add pods type veth peer name eth0 netns ${backend.pid}
ip address add 10.88.1.1/24 dev pods
ip link set pods up
ip route add 10.88.0.0/24 dev pods
ip route add default dev api`);
  await backend.run(`
${endpointAddresses.map((address) => `ip address add ${address}/32 dev lo`).join("\n")}
ip address add 10.88.1.2/24 dev eth0
ip link set eth0 up
ip route add default via 10.88.1.1`);
}

interface Proxy {
  log(): string;
  kill(): Promise<void>;
}

function startProxy({ prefix }: CrashNamespace): Proxy {
  const command = [...prefix.slice(1), process.execPath, wherryProgram(), "proxy"];
  const child = spawn(prefix[0] ?? "", [...command, "--config", config], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    log: () => log,
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

function writeConfiguration(): void {
  const kubeconfig = join(directory.path, "proxy.kubeconfig");
  const admin = readFileSync(adminKubeconfig(), "utf8");
  writeFileSync(kubeconfig, admin.replaceAll("127.0.0.1", serverAddress), { mode: 0o600 });
  writeFileSync(
    config,
    JSON.stringify({
      ...{ apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" },
      ...{ clientConnection: { kubeconfig }, hostnameOverride: "node-1", mode: "nftables" },
      ...{ bindAddress: nodeAddress, nftables: { minSyncPeriod: "0s" }, oomScoreAdj: 0 },
      ...{ detectLocalMode: "NodeCIDR", logging: {} },
      // The machine keeps its own.
      conntrack: {
        ...{ maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
      },
    }),
  );
}

function adminKubeconfig(): string {
  return join(directory.data, "admin.kubeconfig");
}

function seconds(): string {
  return `${((performance.now() - began) / 1000).toFixed(0)} s`;
}
