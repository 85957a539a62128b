import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ask, startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import {
  freePort,
  runWherry,
  startWherry,
} from "../../../../test/support/wherry-process.test-support.ts";
import { Lease } from "../../../api/coordination/v1/lease.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { Event } from "../../../api/events/v1/event.ts";
import type { Client } from "../../../client/client.ts";
import { withChanges } from "../../../client/with-changes.ts";
import { connect } from "../../../kubeconfig/connect.ts";

const lease = { namespace: "kube-system", name: "kube-scheduler" };

/** Starts an API server, and a scheduler with two profiles against it. */
async function startScheduler() {
  const dir = testDir();
  const { kubeconfig, dir: data } = await startWith(dir);
  const { client, close } = await connect({ path: kubeconfig });
  onTestFinished(close);
  const config = join(dir, "scheduler.yaml");
  writeFileSync(
    config,
    `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  kubeconfig: ${kubeconfig}
  qps: 500
profiles:
- schedulerName: default-scheduler
- schedulerName: second
`,
  );
  const port = await freePort();
  const running = startWherry([
    "scheduler",
    ...["--config", config, "--secure-port", String(port)],
    ...["--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig],
    "--leader-elect-retry-period=1s",
  ]);
  const admin = {
    cert: readFileSync(`${data}/pki/admin.crt`, "utf8"),
    key: readFileSync(`${data}/pki/admin.key`, "utf8"),
  };
  return { client, kubeconfig, port, running, admin };
}

/** Adds a node that is ready. No controller runs here that would remove its first taints. */
async function addNode(client: Client, name: string): Promise<void> {
  const node = await client.create(Node, { metadata: { name } });
  const now = new Date().toISOString();
  const allocatable = { cpu: "4", memory: "8Gi", pods: "10" };
  const ready = await client.update(
    Node,
    withChanges(node, (node) => {
      node.status = {
        ...node.status,
        capacity: allocatable,
        allocatable,
        conditions: [
          { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now },
        ],
      };
    }),
    { subresource: "status" },
  );
  await client.update(
    Node,
    withChanges(ready, (node) => {
      node.spec = { ...node.spec, taints: [] };
    }),
  );
}

const addPod = (client: Client, schedulerName: string) =>
  client.create(Pod, {
    metadata: { namespace: "default", name: schedulerName },
    spec: { schedulerName, containers: [{ name: "c", image: "c" }] },
  });

test("pods of the profiles in the file get nodes, those of other schedulers do not", async () => {
  const { client } = await startScheduler();
  await addNode(client, "n1");
  for (const schedulerName of ["nobody", "default-scheduler", "second"])
    await addPod(client, schedulerName);
  const nodeOf = async (name: string) =>
    (await client.get(Pod, { namespace: "default", name })).spec?.nodeName;
  await expect.poll(() => nodeOf("default-scheduler")).toBe("n1");
  await expect.poll(() => nodeOf("second")).toBe("n1");
  expect(await nodeOf("nobody")).toBeUndefined();
  const events = async () =>
    (await client.list(Event, { namespace: "default" })).items
      .filter(({ reason }) => reason === "Scheduled")
      .map(({ reportingController }) => reportingController)
      .sort();
  await expect.poll(events).toEqual(["default-scheduler", "second"]);
}, 90_000);

test("on SIGUSR2, what the scheduler keeps is logged", async () => {
  const { client, running } = await startScheduler();
  await addNode(client, "n1");
  await addPod(client, "second");
  await running.until(/acquired the leader lease/);
  await expect
    .poll(
      async () => (await client.get(Pod, { namespace: "default", name: "second" })).spec.nodeName,
    )
    .toBe("n1");
  process.kill(running.pid, "SIGUSR2");
  await running.until(/"name":"n1".*"pods":\["default\/second"\].*Dump of cached NodeInfo/);
  await running.until(/Dump of scheduling queue/);
}, 90_000);

test("health checks are public, other paths are for the administrator", async () => {
  const { client, kubeconfig, port, running, admin } = await startScheduler();
  await addNode(client, "n1");
  await addPod(client, "second");
  await running.until(/^serving: /m);
  const adminPage = async (path: string) => (await ask({ port }, path, admin)).text;
  await expect
    .poll(() => adminPage("/metrics"))
    .toMatch(/^scheduler_schedule_attempts_total\{profile="second",result="scheduled"\} 1$/m);
  expect((await ask({ port }, "/metrics")).status).toBe(403);
  expect((await ask({ port }, "/healthz?verbose")).text).toBe(
    "[+]ping ok\n[+]leaderElection ok\nhealthz check passed\n",
  );
  expect((await ask({ port }, "/readyz")).text).toBe("ok");
  expect(JSON.parse(await adminPage("/configz"))).toMatchObject({
    componentconfig: {
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      clientConnection: { kubeconfig, qps: 500, burst: 100 },
      leaderElection: { leaderElect: true, retryPeriod: "1s", resourceName: "kube-scheduler" },
      profiles: [{ schedulerName: "default-scheduler" }, { schedulerName: "second" }],
    },
  });
  expect(await adminPage("/statusz")).toMatch(/^\nkube-scheduler statusz\n/);
}, 90_000);

test("the lease is held while the scheduler runs, and released at its end", async () => {
  const { client, running } = await startScheduler();
  await running.until(/acquired the leader lease/);
  expect((await client.get(Lease, lease)).spec?.holderIdentity).toMatch(/_[0-9a-f-]{36}$/);
  expect((await running.end()).code).toBe(0);
  expect((await client.get(Lease, lease)).spec?.holderIdentity ?? "").toBe("");
}, 90_000);

test("--write-config-to writes the configuration of the flags, which --config accepts", async () => {
  const file = join(testDir(), "written.yaml");
  const args = ["scheduler", "--kubeconfig=/k", "--kube-api-qps=7", "--leader-elect=false"];
  expect(await runWherry([...args, "--write-config-to", file])).toMatchObject({ code: 0 });
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^apiVersion: kubescheduler\.config\.k8s\.io\/v1$/m);
  expect(text).toMatch(/^ {2}kubeconfig: \/k\n {2}qps: 7$/m);
  expect(text).toMatch(/^ {2}leaderElect: false$/m);
  const again = join(testDir(), "again.yaml");
  const copied = await runWherry(["scheduler", "--config", file, "--write-config-to", again]);
  expect(copied).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(again, "utf8")).toBe(text);
});

test("invalid flags and files are rejected before the scheduler starts", async () => {
  const config = (text: string): string[] => {
    const file = join(testDir(), "wrong.yaml");
    writeFileSync(file, text);
    return ["--config", file];
  };
  const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  const rows: [args: string[], code: number, stderr: RegExp][] = [
    [["--leader-elect-lease-duration=1s"], 2, /^Error: .*lease/i],
    [
      ["--secure-port=-1"],
      2,
      /^Error: --secure-port -1 must be between 0 and 65535, inclusive\. 0 for turning off secure port\n/,
    ],
    [["--config=/nowhere"], 1, /cannot read \/nowhere, given by --config: there is no such file/],
    [
      config("kind: Pod\napiVersion: v1\n"),
      1,
      /wrong\.yaml, given by --config, cannot be used: no kind "Pod" is registered for version "v1"/,
    ],
    [
      config(`${head}profile: 1\n`),
      1,
      /cannot be used: strict decoding error: unknown field "profile"/,
    ],
    [[], 1, /outside of a cluster, give --kubeconfig/],
  ];
  for (const [args, code, stderr] of rows) {
    const outcome = await runWherry(["scheduler", ...args], {
      env: { KUBERNETES_SERVICE_HOST: "" },
    });
    expect(outcome, args.join(" ")).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
  }
});
