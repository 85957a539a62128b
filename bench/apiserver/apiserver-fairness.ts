import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configMapNamed, configMaps, pods, type Request } from "./apiserver-client.ts";
import { prepare } from "./apiserver-cpu.ts";
import { type Connection, connectBy } from "./apiserver-http1.ts";
import { type Server, startBare, startNoise, startWherry, stop } from "./apiserver-process.ts";
import { quantile, verdict } from "./apiserver-verdict.ts";

const namespace = "production";
const connections = 200;
/** Each measurement ends after so many requests or seconds. */
const mostRequests = 2000;
const mostSeconds = 8;
/** Noise that nobody ends does so itself. */
const noiseSeconds = 60;

/**
 * The latencies of one client while another has 200 connections at full speed, as a ratio to those without it. All
 * share the machine's processors, so that the same noise at a server of its own shows what the machine adds.
 */
export async function benchFairness(work: string): Promise<void> {
  const { server, pki, stopAll } = await startWithUsers(work);
  await prepare(server, pki);
  const bare = await startBare("https", pki);
  const quiet = connectBy("HTTP/1.1", server.port, pki, "quiet-token");
  const patched = configMaps(namespace);
  const operations = [
    {
      name: "reads",
      noise: ["get", `${pods(namespace)}/web-0`],
      request: () => ({ method: "GET", path: `${pods(namespace)}/web-1` }),
    },
    {
      name: "writes",
      noise: ["patch", patched],
      request: (n: number) => ({
        method: "PATCH",
        path: `${patched}/quiet`,
        body: { data: { LOG_LEVEL: `level-${n}` } },
        contentType: "application/merge-patch+json",
      }),
    },
  ];
  const created = { method: "POST", path: patched, body: configMapNamed("quiet") };
  await expectOk(quiet, created);
  console.log(`\nlatency of one client beside another with ${connections} connections`);
  for (const { name, noise, request } of operations) {
    await latencies(server, quiet, request);
    const alone = await latencies(server, quiet, request);
    const during = async (at: Server): Promise<Latencies> => {
      const ca = join(pki, "ca.crt");
      const args = [at.port, ca, "noisy-token", connections, noiseSeconds, ...noise];
      const running = await startNoise(...args);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const measured = await latencies(server, quiet, request);
      const statuses = await running.end();
      if (!((statuses["200"] ?? 0) > connections))
        throw new Error(`the other client was not served: ${JSON.stringify(statuses)}`);
      console.log(`  the other client's responses, by status: ${JSON.stringify(statuses)}`);
      return measured;
    };
    const elsewhere = await during(bare);
    const here = await during(server);
    console.log(
      `${name}: alone ${shown(alone)}; other client at a server of its own ${shown(elsewhere)}; at the same ${shown(here)}`,
    );
    const what = `p99 of ${name} beside the other client, to p99 alone`;
    verdict(what, p99(here.wall) / p99(alone.wall), { most: 3, unit: "×" });
    const [loud, still] = [p99(here.ran), p99(alone.ran)];
    verdict(`${what}, without waiting for a processor`, loud / still, { most: 3, unit: "×" });
  }
  quiet.close();
  await stop(bare);
  await stopAll();
}

const listed = 50_000;
const listers = 10;
const leases = 20;
/** The time in which a leader that cannot renew tries again. */
const retryMs = 2000;

/** Whether nodes renew their leases while ten clients list 50,000 objects again and again. */
export async function benchLeases(work: string): Promise<void> {
  const { server, pki, stopAll } = await startWithUsers(work);
  const admin = connectBy("HTTP/2", server.port, pki);
  const create = (path: string, body: object) => expectOk(admin, { method: "POST", path, body });
  await create("/api/v1/namespaces", { metadata: { name: namespace } });
  const node = connectBy("HTTP/1.1", server.port, pki, "node-token");
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  const lease = (n: number, renewed: number) => ({
    metadata: { name: `node-${n}` },
    spec: {
      holderIdentity: `node-${n}`,
      leaseDurationSeconds: 40,
      renewTime: new Date(renewed).toISOString().replace("Z", "000Z"),
    },
  });
  for (let n = 0; n < leases; n++) await create(path, lease(n, Date.now()));
  const fill = async (first: number): Promise<void> => {
    for (let n = first; n < listed; n += 64)
      await create(configMaps(namespace), configMapNamed(`settings-${n}`));
  };
  await Promise.all(Array.from({ length: 64 }, (_, n) => fill(n)));
  const renewal = (n: number) => ({
    method: "PATCH",
    path: `${path}/node-${n % leases}`,
    body: lease(n % leases, Date.now()),
    contentType: "application/merge-patch+json",
  });
  console.log(`\nrenewals of ${leases} leases while ${listers} clients list ${listed} objects`);
  const alone = await latencies(server, node, renewal);
  const ca = join(pki, "ca.crt");
  const args = [server.port, ca, "noisy-token", listers, noiseSeconds, "list"];
  const running = await startNoise(...args, configMaps(namespace));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const during = await latencies(server, node, renewal, 20);
  const statuses = await running.end();
  console.log(`  lists, by status: ${JSON.stringify(statuses)}`);
  console.log(`alone ${shown(alone)}; beside the lists ${shown(during)}`);
  if (!((statuses["200"] ?? 0) >= listers)) throw new Error("the lists were not served");
  verdict("slowest renewal of a lease", Math.max(...during.wall), { most: retryMs, unit: "ms" });
  for (const each of [admin, node]) each.close();
  await stopAll();
}

/** A server with users that are not exempt from priority and fairness, as the administrator is. */
async function startWithUsers(work: string) {
  const tokens = join(work, "tokens.csv");
  writeFileSync(
    tokens,
    ["quiet", "noisy"]
      .map((name) => `${name}-token,${name},${name},"bench"\n`)
      .concat('node-token,system:node:node-0,node,"system:nodes,bench"\n')
      .join(""),
  );
  const data = join(work, "data");
  const server = await startWherry(data, "apiserver", `--token-auth-file=${tokens}`);
  const pki = join(data, "pki");
  const admin = connectBy("HTTP/2", server.port, pki);
  const body = {
    metadata: { name: "bench" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "bench" }],
  };
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  await expectOk(admin, { method: "POST", path, body });
  admin.close();
  return { server, pki, stopAll: () => stop(server) };
}

async function expectOk(connection: Connection, request: Request): Promise<void> {
  const { status, chunks } = await connection.ask(request);
  if (status >= 300) throw new Error(`${request.path}: ${status}: ${Buffer.concat(chunks)}`);
}

/** Milliseconds that requests took, and those of them in which server and client could run. */
interface Latencies {
  readonly wall: readonly number[];
  readonly ran: readonly number[];
}

/** Measures many requests, one after the other. */
async function latencies(
  server: Server,
  connection: Connection,
  request: (n: number) => Request,
  seconds = mostSeconds,
): Promise<Latencies> {
  const wall: number[] = [];
  const ran: number[] = [];
  const end = performance.now() + seconds * 1000;
  for (let n = 0; n < mostRequests && performance.now() < end; n++) {
    const waited = waitedMs(server);
    const before = performance.now();
    await expectOk(connection, request(n));
    const took = performance.now() - before;
    wall.push(took);
    ran.push(Math.max(took - (waitedMs(server) - waited), 0));
    // Not at full speed itself.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return { wall, ran };
}

/** Milliseconds so far in which the server or this process could have run, but others had the processors. */
const waitedMs = ({ child }: Server): number =>
  [String(child.pid), "self"]
    .map((id) => Number(readFileSync(`/proc/${id}/schedstat`, "utf8").split(" ")[1]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);

const p99 = (all: readonly number[]): number => quantile(all, 0.99);

const shown = ({ wall, ran }: Latencies): string =>
  `p50 ${quantile(wall, 0.5).toFixed(1)} ms, p99 ${p99(wall).toFixed(1)} ms (${p99(ran).toFixed(1)} ms without waiting for a processor; ${wall.length} requests)`;
