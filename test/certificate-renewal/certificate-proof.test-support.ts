import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import { ConfigMap } from "../../src/api/core/v1/config-map.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../src/api/core/v1/service-account.ts";
import { sleep } from "../../src/base/clock.ts";
import { errorMessage } from "../../src/base/error-message.ts";
import { type Command, command } from "../../src/cli/command.ts";
import { commandRunner } from "../../src/cli/run-command.test-support.ts";
import { runProgram } from "../../src/cli/run-program.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import { start } from "../../src/cluster/commands/apiserver/apiserver.ts";
import { startOptions } from "../../src/cluster/commands/apiserver/apiserver-options.ts";
import { givenFlags } from "../../src/cluster/commands/apiserver/flags/given-flags.test-support.ts";
import { certsCommand } from "../../src/cluster/commands/certs/certs-command.ts";
import { controllerManagerCommand } from "../../src/cluster/commands/controller-manager/controller-manager.ts";
import { schedulerCommand } from "../../src/cluster/commands/scheduler/scheduler-command.ts";
import { followKubeconfig } from "../../src/kubeconfig/follow-kubeconfig.ts";
import {
  type HttpsTransportOptions,
  httpsTransport,
} from "../../src/kubeconfig/https-transport.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { startProofNode } from "./proof-node.test-support.ts";

export interface CertificateProofOptions {
  /** How long certificates are valid. */
  readonly lifetimeMs: number;
  /** How long clients run; an authority and the keys of tokens are rotated meanwhile. */
  readonly durationMs: number;
  readonly clients: number;
  /** The pause of a client between two requests. */
  readonly pauseMs: number;
  /** Says what happens. */
  readonly say?: ((text: string) => void) | undefined;
}

export interface CertificateProof {
  /** Successful requests of clients and nodes. */
  readonly requests: number;
  readonly failures: readonly string[];
  /** How often the server used other certificates, and how often each node did. */
  readonly renewals: { readonly server: number; readonly nodes: readonly number[] };
  /** What the server has counted: handshakes that failed, and responses that say that a caller is not known. */
  readonly counted: { readonly failedHandshakes: number; readonly unauthorized: number };
  /** The nodes that the scheduler chose for pods after all renewals. */
  readonly scheduled: readonly string[];
  /** The steps of rotations that were done. */
  readonly steps: readonly string[];
}

/**
 * Runs an API server, a controller manager, a scheduler and two nodes with certificates that live for a short time,
 * and clients with certificates and tokens, on connections that they keep and on new ones.
 */
export async function proveCertificates(
  options: CertificateProofOptions,
): Promise<CertificateProof> {
  const { lifetimeMs, durationMs, say = () => {} } = options;
  const dir = mkdtempSync(join(tmpdir(), "wherry-certificates-"));
  const open: (() => unknown)[] = [() => rmSync(dir, { recursive: true })];
  try {
    const dataDir = join(dir, "data");
    const flags = ["--data-dir", dataDir, "--secure-port=0", "--authorization-mode=Node,RBAC"];
    const server = await start({
      ...(await startOptions(
        givenFlags([...flags, "--kubelet-preferred-address-types=InternalIP"]),
      )),
      ...{ certificateLifetimeMs: lifetimeMs, verifiesKubelets: true },
      log: { level: "error", format: "" },
    });
    open.unshift(() => server.close());
    const { kubeconfig } = server;
    let serverRenewals = 0;
    server.presentPki.onChange(() => serverRenewals++);
    const own = await kept(await followKubeconfig({ path: kubeconfig }));
    open.unshift(own.close);
    const failures: string[] = [];
    const components = [controllerManagerCommand, schedulerCommand].map((one) =>
      startComponent(one, kubeconfig, (text) => failures.push(text)),
    );
    for (const component of components) open.unshift(component.close);
    const nodes = await Promise.all(
      ["node-1", "node-2"].map((name) =>
        startProofNode({
          ...{ name, dir, lifetimeMs, pki: server.presentPki },
          server: `https://127.0.0.1:${server.port}`,
          clusterPki: join(dataDir, "pki"),
        }),
      ),
    );
    for (const node of nodes) open.unshift(node.close);
    const account = { namespace: "default", name: "default" };
    await eventually("the service account", async () =>
      own.client.get(ServiceAccount, account).then(
        () => true,
        () => false,
      ),
    );
    const token = await renewedToken(own.client, lifetimeMs / 3, (error) =>
      failures.push(`token: ${errorMessage(error)}`),
    );
    open.unshift(token.close);

    const users: Awaited<ReturnType<typeof openUser>>[] = [];
    for (let i = 0; i < options.clients; i++) {
      await own.client.create(ConfigMap, { metadata: { name: `user-${i}`, namespace: "default" } });
      const user = await openUser(i, { kubeconfig, token: token.current });
      open.unshift(user.close);
      users.push(user);
    }
    say("clients begin");

    const began = Date.now();
    const end = began + durationMs;
    let requests = 0;
    const repeat = async (
      who: string,
      { send, pauseMs }: { readonly send: () => Promise<unknown>; readonly pauseMs: number },
    ): Promise<void> => {
      while (Date.now() < end) {
        try {
          await send();
          requests++;
        } catch (error) {
          const at = ((Date.now() - began) / 1000).toFixed(1);
          failures.push(`${who} at ${at} s: ${errorMessage(error)}`);
        }
        await sleep(realClock, pauseMs);
      }
    };
    const rotations = rotateAll(dataDir, { began, durationMs, token, say });
    await Promise.all([
      ...users.map(({ who, send }) => repeat(who, { send, pauseMs: options.pauseMs })),
      ...nodes.map(({ name, heartbeat }) =>
        repeat(`the lease of ${name}`, { send: heartbeat, pauseMs: 1000 }),
      ),
      ...nodes.map(({ name }) =>
        repeat(`the server's call of ${name}`, {
          pauseMs: 1000,
          async send() {
            const path = `/api/v1/nodes/${name}/proxy/healthz`;
            const { status } = await own.client.raw({ method: "GET", path });
            if (status !== 200) throw new Error(`status ${status}`);
          },
        }),
      ),
      rotations,
    ]);
    say("scheduling pods");
    const scheduled = await schedulePods(own.client);
    const counted = countedFailures(await metricsOf(own.client));
    return {
      ...{ requests, failures, counted, scheduled, steps: await rotations },
      renewals: { server: serverRenewals, nodes: nodes.map(({ renewals }) => renewals()) },
    };
  } finally {
    for (const close of open) await close();
  }
}

async function kept(connection: HttpsTransportOptions) {
  const transport = httpsTransport(connection);
  return { client: createClient(transport, { clock: realClock }), close: transport.close };
}

/** Runs a component by its command until it is closed. */
function startComponent(
  component: Command,
  kubeconfig: string,
  failed: (text: string) => void,
): { close(): Promise<void> } {
  const stop = new AbortController();
  let printed = "";
  const output = {
    write(text: string): void {
      printed += text;
    },
  };
  const running = runProgram(
    {
      root: command({ name: "wherry", short: "", commands: [component] }),
      ...{ version: "", signal: stop.signal, streams: { stdout: output, stderr: output } },
    },
    [component.name, "--kubeconfig", kubeconfig, "--secure-port=0", "--leader-elect=false"],
  ).then((code) => {
    if (code !== 0 || !stop.signal.aborted) failed(`${component.name} ended: ${printed}`);
  });
  return {
    close() {
      stop.abort();
      return running;
    },
  };
}

/** A token of a service account that is requested anew at times. */
async function renewedToken(client: Client, everyMs: number, failed: (error: unknown) => void) {
  const request = async (): Promise<string> => {
    const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const response = await client.raw({ method: "POST", path, body: { spec: {} } });
    return ((await response.value()) as { status: { token: string } }).status.token;
  };
  let identity = { authorization: `Bearer ${await request()}` };
  const renew = async (): Promise<void> => {
    identity = { authorization: `Bearer ${await request()}` };
  };
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await sleep(realClock, everyMs, stop.signal).catch(() => {});
      if (!stop.signal.aborted) await renew().catch(failed);
    }
  })();
  return {
    current: () => identity,
    renew,
    close() {
      stop.abort();
      return running;
    },
  };
}

interface Access {
  readonly kubeconfig: string;
  readonly token: () => { readonly authorization: string };
}

/** A client: every second has a token in place of a certificate, every second pair opens a connection each time. */
async function openUser(i: number, { kubeconfig, token }: Access) {
  const usesToken = i % 2 === 1;
  const isNew = i % 4 > 1;
  const how = `${usesToken ? "token" : "certificate"}, ${isNew ? "new" : "kept"} connections`;
  const connectionOf = async (): Promise<HttpsTransportOptions> => {
    const followed = await followKubeconfig({ path: kubeconfig });
    if (!usesToken) return followed;
    return { ...followed, credentials: { current: async () => token(), renew: async () => false } };
  };
  const name = `user-${i}`;
  const first = await kept(await connectionOf());
  const namespace = "default";
  let count = 0;
  const ask = async (client: Client): Promise<void> => {
    // A service account has no rights here: that it is known is what matters.
    if (usesToken) await whoAmI(client);
    else if (++count % 5 > 0) await client.get(ConfigMap, { name, namespace });
    else await client.patch(ConfigMap, { name, namespace }, { merge: { data: { n: `${count}` } } });
  };
  return {
    who: `client ${i} (${how})`,
    async send() {
      if (!isNew) return ask(first.client);
      const { client, close } = await kept(await connectionOf());
      try {
        await ask(client);
      } finally {
        close();
      }
    },
    close: first.close,
  };
}

async function whoAmI(client: Client): Promise<void> {
  const response = await client.raw({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  const { status } = (await response.value()) as { status?: { userInfo?: { username?: string } } };
  if (status?.userInfo?.username !== "system:serviceaccount:default:default")
    throw new Error(`the server took the service account for ${JSON.stringify(status)}`);
}

/** Rotates authorities and token keys, one step after the other, over the middle of the time. */
async function rotateAll(
  dataDir: string,
  {
    began,
    durationMs,
    token,
    say,
  }: {
    readonly began: number;
    readonly durationMs: number;
    readonly token: { renew(): Promise<void> };
    readonly say: (text: string) => void;
  },
): Promise<readonly string[]> {
  const run = commandRunner(certsCommand);
  const steps: string[] = [];
  for (const [i, share] of [0.2, 0.4, 0.6].entries()) {
    await sleep(realClock, Math.max(0, began + share * durationMs - Date.now()));
    // Nobody has a token of the previous key any more: that an hour has not passed is known.
    if (i === 2) await token.renew();
    for (const args of [
      ["rotate-ca"],
      ["rotate-service-account-keys", ...(i === 2 ? ["--force"] : [])],
    ]) {
      const { code, stdout, stderr } = await run(...args, "--data-dir", dataDir);
      if (code !== 0) throw new Error(`${args[0]}: ${stderr}`);
      steps.push(...stdout.split("\n").filter((line) => line.includes(":")));
      say(`${args[0]}: ${stdout.trim().replaceAll("\n", "; ")}`);
    }
  }
  return steps;
}

/** Has the controllers create pods and the scheduler choose nodes, with whatever connections they have by now. */
async function schedulePods(client: Client): Promise<readonly string[]> {
  const labels = { app: "last" };
  const namespace = "default";
  await client.create(Deployment, {
    metadata: { name: "last", namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "c", image: "example.com/image" }] },
      },
    },
  } as unknown as Deployment);
  let scheduled: readonly string[] = [];
  let conditions: unknown;
  await eventually(
    () => `scheduled pods: ${JSON.stringify(conditions)}`,
    async () => {
      const { items } = await client.list(Pod, { namespace });
      conditions = items.map(({ status }) => status.conditions);
      scheduled = items.flatMap(({ spec }) => spec.nodeName || []).sort();
      return scheduled.length === 2;
    },
  );
  return scheduled;
}

async function metricsOf(client: Client): Promise<string> {
  const response = await client.raw({
    method: "GET",
    path: "/metrics",
    headers: { accept: "text/plain" },
  });
  return String(await response.value());
}

function countedFailures(metrics: string): CertificateProof["counted"] {
  const sum = (series: RegExp): number =>
    metrics
      .split("\n")
      .filter((line) => series.test(line))
      .reduce((total, line) => total + Number(line.split(" ").at(-1)), 0);
  return {
    failedHandshakes: sum(/^apiserver_tls_handshake_errors_total/),
    unauthorized: sum(/^apiserver_request_total\{.*code="401"/),
  };
}

async function eventually(
  what: string | (() => string),
  isSo: () => Promise<boolean>,
): Promise<void> {
  const until = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > until)
      throw new Error(`there were never ${typeof what === "string" ? what : what()}`);
    await sleep(realClock, 100);
  }
}
