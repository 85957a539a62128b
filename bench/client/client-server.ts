// A server that answers with what was prepared: so many pods, as a list or as the first events of a
// watch, and changes of them at full speed once it is told to. Its time is spent in no client's process.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Namespace } from "../../src/api/core/v1/namespace.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../src/api/core/v1/service-account.ts";
import { admin, openServer } from "../../src/apiserver/in-process.test-support.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { createClient } from "../../src/client/client.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { typicalPod } from "../typical-pod.ts";

const count = Number(process.argv[2] ?? 10_000);
const many = Number(process.argv[3] ?? 20_000);
const template = JSON.stringify(await storedPod());
const version = 1_000_000;
const pods = Array.from({ length: count }, (_, i) => podText(i, version - count + i));
const items = pods.map((text) => text.replace('"kind":"Pod","apiVersion":"v1",', ""));
const list = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${version}"},"items":[${items.join(",")}]}\n`;
const initial = pods.map((text) => `{"type":"ADDED","object":${text}}\n`);
const bookmark = `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${version}","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`;
const changes = Array.from(
  { length: many },
  (_, i) => `{"type":"MODIFIED","object":${podText(i % count, version + 1 + i)}}\n`,
);
const watchers = new Set<ServerResponse>();

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", "http://bench");
  if (url.pathname === "/changes") {
    await Promise.all([...watchers].map((watcher) => writeAll(watcher, changes)));
    response.end();
    return;
  }
  response.setHeader("content-type", "application/json");
  if (url.searchParams.get("watch") !== "true") {
    response.end(list);
    return;
  }
  watchers.add(response);
  response.on("close", () => watchers.delete(response));
  response.flushHeaders();
  if (url.searchParams.get("sendInitialEvents") === "true")
    await writeAll(response, [...initial, bookmark]);
});
server.listen(0, "127.0.0.1", () =>
  console.log(`port ${(server.address() as AddressInfo).port} bytes ${list.length}`),
);

/** A pod as a server that has stored it answers with it. */
async function storedPod(): Promise<Pod> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const cluster = await openServer(clock);
  const client = createClient(inProcessTransport(cluster.handle, admin), { clock });
  const namespace = typicalPod.metadata.namespace;
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ServiceAccount, { metadata: { name: "web", namespace } });
  const pod = await client.create(Pod, typicalPod as never);
  cluster.close();
  return pod;
}

/** A pod that runs: what differs between pods of one template in a real cluster differs here, too. */
function podText(i: number, resourceVersion: number): string {
  const pod = JSON.parse(
    template.replaceAll(/kube-api-access-\w{5}/g, `kube-api-access-${id(i, 5)}`),
  );
  const time = new Date(Date.UTC(2026, 0, 1) + i * 7000).toISOString().replace(".000", "");
  const address = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  Object.assign(pod.metadata, {
    name: `web-7d4b9c6f5d-${id(i, 5)}`,
    uid: `${id(i, 8)}-0000-4000-8000-${id(i, 12)}`,
    resourceVersion: String(resourceVersion),
    creationTimestamp: time,
  });
  pod.spec.nodeName = `node-${i % 100}`;
  pod.status = {
    phase: "Running",
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"].map(
      (type) => ({ type, status: "True", lastTransitionTime: time }),
    ),
    hostIP: `192.168.0.${i % 100}`,
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: time,
    containerStatuses: pod.spec.containers.map(
      ({ name, image }: { name: string; image: string }) => ({
        name,
        image,
        imageID: `${image}@sha256:${id(7, 64)}`,
        containerID: `containerd://${id(i, 64)}`,
        ready: true,
        started: true,
        restartCount: i % 3,
        state: { running: { startedAt: time } },
        lastState: {},
      }),
    ),
    qosClass: "Burstable",
  };
  return JSON.stringify(pod);
}

/** So many letters and digits, others for each number. */
function id(i: number, length: number): string {
  return ((i + 1) * 2_654_435_761).toString(16).padStart(length, "0").slice(-length);
}

async function writeAll(response: ServerResponse, texts: readonly string[]): Promise<void> {
  for (let i = 0; i < texts.length && !response.closed; i += 50)
    if (!response.write(texts.slice(i, i + 50).join(""))) await drained(response);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}
