import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { testRequest } from "../../../../test/certificates.ts";
import { ask, startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import {
  freePort,
  runWherry,
  startWherry,
} from "../../../../test/support/wherry-process.test-support.ts";
import { ReplicaSet } from "../../../api/apps/v1/replica-set.ts";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { Lease } from "../../../api/coordination/v1/lease.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import type { Client } from "../../../client/client.ts";
import { connect } from "../../../kubeconfig/connect.ts";

/** The time limit: a process starts slowly when many tests run. */
const lease = { namespace: "kube-system", name: "kube-controller-manager" };

async function startApi(): Promise<{
  readonly client: Client;
  readonly dir: string;
  readonly kubeconfig: string;
}> {
  const { kubeconfig, dir } = await startWith(testDir());
  const { client, close } = await connect({ path: kubeconfig });
  onTestFinished(close);
  return { client, dir, kubeconfig };
}

const admin = (dir: string) => ({
  cert: readFileSync(`${dir}/pki/admin.crt`, "utf8"),
  key: readFileSync(`${dir}/pki/admin.key`, "utf8"),
});

/** Starts a controller manager with the command line of the recordings, and waits until it serves. */
async function startRecorded() {
  const api = await startApi();
  const { dir, kubeconfig } = api;
  const port = await freePort();
  const running = startWherry([
    "controller-manager",
    ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
      (flag) => `--${flag}=${kubeconfig}`,
    ),
    "--controllers=*,bootstrapsigner,tokencleaner",
    ...["--node-monitor-period=1s", "--node-monitor-grace-period=8s"],
    ...["--node-startup-grace-period=8s", "--node-eviction-rate=10"],
    ...["--secondary-node-eviction-rate=10", "--horizontal-pod-autoscaler-sync-period=2s"],
    ...["--pvclaimbinder-sync-period=2s", "--route-reconciliation-period=10s"],
    `--root-ca-file=${dir}/pki/ca.crt`,
    `--cluster-signing-cert-file=${dir}/pki/ca.crt`,
    `--cluster-signing-key-file=${dir}/pki/ca.key`,
    `--service-account-private-key-file=${dir}/pki/sa.key`,
    ...["--use-service-account-credentials", "--kube-api-qps=1000", "--kube-api-burst=2000"],
    ...["--leader-elect=true", "--bind-address=127.0.0.1", `--secure-port=${port}`],
  ]);
  await running.until(/^serving: https:\/\/127\.0\.0\.1:\d+$/m);
  const page = (path: string) => ask({ port }, path);
  const adminPage = (path: string) => ask({ port }, path, admin(dir));
  return { ...api, running, page, adminPage };
}

test("controllers fill a new namespace, and create pods with their service accounts", async () => {
  const { client, dir } = await startRecorded();
  await client.create(Namespace, { metadata: { name: "apps" } });
  await expect
    .poll(() => client.get(ConfigMap, { namespace: "apps", name: "kube-root-ca.crt" }))
    .toMatchObject({ data: { "ca.crt": readFileSync(`${dir}/pki/ca.crt`, "utf8") } });
  await expect
    .poll(() => client.get(ServiceAccount, { namespace: "apps", name: "default" }))
    .toBeTruthy();
  const labels = { app: "web" };
  await client.create(ReplicaSet, {
    metadata: { namespace: "apps", name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  });
  await expect
    .poll(async () => (await client.list(Pod, { namespace: "apps" })).items.length)
    .toBe(3);
  const { items } = await client.list(Pod, { namespace: "apps" });
  expect(items[0]?.metadata.managedFields?.[0]?.manager).toBe("kube-controller-manager");
  const accounts = await client.list(ServiceAccount, { namespace: "kube-system" });
  expect(accounts.items.map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(["replicaset-controller", "service-account-controller"]),
  );
}, 60_000);

test("certificate requests are approved, and signed by the authority of the flags", async () => {
  const { client, dir } = await startRecorded();
  // The administrator may do everything, and so may request certificates of any node.
  await client.create(CertificateSigningRequest, {
    metadata: { name: "n" },
    spec: {
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      request: testRequest({ commonName: "system:node:n", organizations: ["system:nodes"] }),
      usages: ["client auth", "digital signature"],
    },
  });
  const certificate = async () =>
    (await client.get(CertificateSigningRequest, { name: "n" })).status.certificate;
  await expect.poll(certificate).toBeTruthy();
  const issued = new X509Certificate(Buffer.from((await certificate()) ?? "", "base64"));
  const authority = new X509Certificate(readFileSync(`${dir}/pki/ca.crt`));
  expect(issued.verify(authority.publicKey)).toBe(true);
}, 60_000);

test("/healthz, /livez and /readyz are served to everybody", async () => {
  const { running, page } = await startRecorded();
  await running.until(/acquired the leader lease/);
  const listsController = async () =>
    (await page("/healthz?verbose")).text.includes("\n[+]replicaset-controller ok\n");
  await expect.poll(listsController).toBe(true);
  const { text } = await page("/healthz?verbose");
  expect(text).toMatch(/^\[\+\]ping ok\n\[\+\]leaderElection ok\n/);
  expect(text).toMatch(/\nhealthz check passed\n$/);
  expect((await page("/livez?verbose")).text).toBe("[+]ping ok\nlivez check passed\n");
  expect((await page("/readyz")).text).toBe("ok");
}, 60_000);

test("/configz shows the configuration that the flags make", async () => {
  const { kubeconfig, adminPage } = await startRecorded();
  const { headers, text } = await adminPage("/configz");
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(text)).toMatchObject({
    "kubecontrollermanager.config.k8s.io": {
      kind: "KubeControllerManagerConfiguration",
      NodeLifecycleController: { NodeEvictionRate: 10, NodeMonitorGracePeriod: "8s" },
      Generic: {
        ClientConnection: { qps: 1000, burst: 2000, kubeconfig },
        Controllers: ["*", "bootstrap-signer-controller", "token-cleaner-controller"],
      },
    },
  });
}, 60_000);

test("/metrics, /flagz, /statusz and the garbage collector's graph are for the administrator", async () => {
  const { client, running, page, adminPage } = await startRecorded();
  await running.until(/acquired the leader lease/);
  await client.create(ReplicaSet, {
    metadata: { namespace: "default", name: "none" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "none" } },
      template: {
        metadata: { labels: { app: "none" } },
        spec: { containers: [{ name: "c", image: "c" }] },
      },
    },
  });
  const metrics = async () => (await adminPage("/metrics")).text;
  await expect
    .poll(metrics)
    .toMatch(/^workqueue_adds_total\{.*name="replicaset-controller".*\} \d+$/m);
  expect(await metrics()).toContain(
    'leader_election_master_status{name="kube-controller-manager"} 1',
  );
  const flagz = (await adminPage("/flagz")).text;
  expect(flagz).toMatch(/^\nkube-controller-manager flagz\n/);
  expect(flagz).toMatch(/^node-monitor-period[:= ]+1s$/m);
  expect((await adminPage("/statusz")).text).toMatch(/^\nkube-controller-manager statusz\n/);
  expect((await adminPage("/nothing")).text).toBe("404 page not found\n");

  const graph = "/debug/controllers/garbage-collector-controller/graph";
  const { status, text } = await adminPage(graph);
  expect(status).toBe(200);
  expect(text).toMatch(/^strict digraph full \{/);
  expect((await page(graph)).status).toBe(403);
  expect((await adminPage("/debug/controllers/nope/graph")).status).toBe(404);
}, 60_000);

test("holds the lease while it runs, and logs unsupported controllers and flags at start", async () => {
  const { client, running } = await startRecorded();
  await running.until(/acquired the leader lease/);
  const held = await client.get(Lease, lease);
  expect(held.spec?.holderIdentity).toMatch(/^.+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(held.spec).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: 0 });
  const { code, stderr } = await running.end();
  expect(code).toBe(0);
  expect(stderr).toContain(
    "--route-reconciliation-period has no effect: node-route-controller is not part of this version",
  );
  expect(stderr).toMatch(
    /"controllers":".*\bnode-route-controller\b.*","time":.*"message":"controllers are not part of this version"/,
  );
  expect((await client.get(Lease, lease)).spec?.holderIdentity ?? "").toBe("");
});

test("one of two processes works; a process that loses the lease exits with code 1", async () => {
  const { client, kubeconfig } = await startApi();
  const flags = [
    "controller-manager",
    `--kubeconfig=${kubeconfig}`,
    "--secure-port=0",
    ...["--controllers=serviceaccount-controller", "--use-service-account-credentials"],
    ...["--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s"],
    "--leader-elect-retry-period=500ms",
  ];
  const first = startWherry(flags);
  await first.until(
    /--use-service-account-credentials was specified without providing a --service-account-private-key-file/,
  );
  await first.until(/acquired the leader lease/);
  const second = startWherry(flags);
  await second.until(/there is a new leader/);
  expect(second.output()).not.toContain("acquired the leader lease");
  // Without a resourceVersion: the lease is renewed all the time.
  await client.patch(Lease, lease, { merge: { spec: { holderIdentity: "somebody else" } } });
  const { code, stderr } = await first.ended;
  expect(code).toBe(1);
  expect(stderr).toContain("leaderelection lost");
  await second.until(/acquired the leader lease/);
  expect((await second.end()).code).toBe(0);
});

test("without leader election it works at once, and creates no lease", async () => {
  const { client, kubeconfig } = await startApi();
  const running = startWherry([
    "controller-manager",
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--secure-port=0",
  ]);
  await client.create(Namespace, { metadata: { name: "apps" } });
  const account = { namespace: "apps", name: "default" };
  await expect.poll(() => client.get(ServiceAccount, account)).toBeTruthy();
  await expect(client.get(Lease, lease)).rejects.toThrow("not found");
  expect((await running.end()).code).toBe(0);
});

test.each<[args: string[], code: number, stderr: string | RegExp]>([
  [
    ["--controllers=*,nope"],
    2,
    `Error: "nope" is not in the list of known controllers\nSee 'wherry controller-manager --help' for usage.\n`,
  ],
  [
    ["--feature-gates=Nope=true", "--concurrent-gc-syncs=0"],
    2,
    "Error: concurrent-gc-syncs must be greater than 0, but got 0\nError: unrecognized feature gate: Nope\nSee 'wherry controller-manager --help' for usage.\n",
  ],
  [
    [],
    1,
    /Error: unable to load in-cluster configuration, .*: outside of a cluster, give --kubeconfig with the API server and its credentials\n$/,
  ],
  [["--kubeconfig=/nowhere"], 1, /Error: stat \/nowhere: no such file or directory/],
])("controller-manager %j: exit code %i", async (args, code, stderr) => {
  const outcome = await runWherry(["controller-manager", ...args], {
    env: { KUBERNETES_SERVICE_HOST: "" },
  });
  expect(outcome).toMatchObject({ code, stdout: "" });
  if (typeof stderr === "string") expect(outcome.stderr).toBe(stderr);
  else expect(outcome.stderr).toMatch(stderr);
});

test("controller-manager --version", async () => {
  const { code, stdout } = await runWherry(["controller-manager", "--version"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Kubernetes v1\.36/),
  });
});
