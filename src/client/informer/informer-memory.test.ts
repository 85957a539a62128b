import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createClient } from "../client.ts";
import type { Transport } from "../transport.ts";
import { createInformers } from "./informers.ts";

const count = 3000;
const perDeployment = 50;
/** 60 MB for 10,000. */
const bound = (60 * count) / 10_000;

test("10,000 pods of many deployments take less than 60 MB, and no field is lost", async () => {
  const clock = new VirtualClock();
  const client = createClient(podsServer, { clock });
  const before = heapMb();
  const informers = createInformers({ client, clock, random: new SeededRandom(1) });
  const informer = informers.of(Pod);
  await informer.synced();
  const taken = heapMb() - before;
  expect(taken).toBeLessThan(bound);
  for (const i of [0, 49, 50, count - 1])
    expect(informer.get({ namespace: `team-${i % 7}`, name: `pod-${i}` })).toEqual(
      JSON.parse(podText(i)),
    );
  informers.close();
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
function heapMb(): number {
  for (let i = 0; i < 3; i++) collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Streams all pods, each parsed from its own text, as over a network. */
const podsServer: Transport = async ({ signal }) => ({
  status: 200,
  headers: {},
  value: async () => undefined,
  bytes: async function* () {},
  async *values() {
    for (let i = 0; i < count; i++) yield [{ type: "ADDED", object: JSON.parse(podText(i)) }];
    const annotations = { "k8s.io/initial-events-end": "true" };
    const object = { metadata: { resourceVersion: String(count * 2), annotations } };
    yield [{ type: "BOOKMARK", object }];
    await new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  },
});

function podText(i: number): string {
  const app = `app-${Math.floor(i / perDeployment)}`;
  const time = new Date(1_700_000_000_000 + i * 1000).toISOString();
  const containers = ["main", "proxy"].map((name) => container(name, app));
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${i}`,
      generateName: `${app}-7d4b9c6f5d-`,
      namespace: `team-${i % 7}`,
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(count + i),
      creationTimestamp: time,
      labels: { app, tier: "frontend", "pod-template-hash": "7d4b9c6f5d" },
      annotations: {
        "prometheus.io/scrape": "true",
        "example.com/address": `10.0.${i >> 8}.${i & 255}`,
      },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid: `uid of ${app}` },
      ],
      managedFields: ["kube-controller-manager", "kubelet"].map((manager) => ({
        manager,
        operation: "Update",
        apiVersion: "v1",
        time,
        fieldsType: "FieldsV1",
        fieldsV1: fieldsOf(containers),
      })),
    },
    spec: {
      containers,
      volumes: ["config", "cache", "certs"].map((name) => ({
        name,
        configMap: { name: `${app}-${name}`, defaultMode: 420 },
      })),
      nodeName: `node-${i % 300}`,
      serviceAccountName: app,
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
    },
    status: {
      phase: "Running",
      podIP: `10.0.${i >> 8}.${i & 255}`,
      startTime: time,
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: time,
      })),
      containerStatuses: containers.map(({ name, image }) => ({
        name,
        image,
        imageID: `sha256:${app.padStart(64, "0")}`,
        containerID: `containerd://${String(i).padStart(64, "0")}`,
        ready: true,
        restartCount: i % 3,
        state: { running: { startedAt: time } },
      })),
    },
  });
}

const container = (name: string, app: string) => ({
  name,
  image: `registry.example.com/${app}/${name}:1.24.3`,
  args: ["--listen=:8080", "--log-format=json"],
  ports: [
    { name: "http", containerPort: 8080, protocol: "TCP" },
    { name: "metrics", containerPort: 9090, protocol: "TCP" },
  ],
  env: ["HOST", "DATABASE_URL", "LOG_LEVEL"].map((key) => ({ name: key, value: `${app}-${key}` })),
  resources: { requests: { cpu: "250m", memory: "256Mi" }, limits: { cpu: "1", memory: "512Mi" } },
  readinessProbe: { httpGet: { path: "/ready", port: "http", scheme: "HTTP" }, periodSeconds: 5 },
  livenessProbe: { httpGet: { path: "/live", port: "http", scheme: "HTTP" }, periodSeconds: 10 },
  volumeMounts: ["config", "cache", "certs"].map((volume) => ({
    name: volume,
    mountPath: `/${volume}`,
  })),
  terminationMessagePath: "/dev/termination-log",
  imagePullPolicy: "IfNotPresent",
});

/** Managed fields as large as the object. */
function fieldsOf(value: unknown): object {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [`f:${key}`, fieldsOf(part)]),
  );
}
