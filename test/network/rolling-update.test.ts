import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { waitFor } from "../../src/client/wait-for.ts";
import { newMachine } from "../../src/cluster/up/machine.test-support.ts";
import { testImage } from "../../src/engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import { eventually } from "../eventually.ts";
import { requires, testWith } from "../requires.ts";
import { ask, startLoad } from "./load.test-support.ts";

const minutes = 240_000;

/** Ten backends that say their version and name; before they end, they wait until no node sends them requests. */
const deployment = (version: string) => ({
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } },
  spec: {
    replicas: 10,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 4,
        containers: [
          {
            ...{ name: "web", image: testImage },
            command: [
              ...["sh", "-c"],
              `mkdir /www; echo ${version} $(hostname) > /www/index.html; touch /www/ready
httpd -f -p 8080 -h /www & trap 'kill $!' TERM; wait`,
            ],
            readinessProbe: {
              ...{ periodSeconds: 1, failureThreshold: 1 },
              httpGet: { path: "/ready", port: 8080 },
            },
            lifecycle: { preStop: { sleep: { seconds: 3 } } },
          },
        ],
      },
    },
  },
});

const service = {
  ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web" } },
  spec: {
    type: "LoadBalancer",
    selector: { app: "web" },
    ports: [{ port: 80, targetPort: 8080 }],
  },
};

/** A client that asks until /tmp/stop exists, and writes a line for each request. */
const client = (name: string, nodeName: string) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name } },
  spec: {
    ...{ nodeName, terminationGracePeriodSeconds: 0 },
    containers: [
      {
        ...{ name: "main", image: testImage },
        command: [
          ...["sh", "-c"],
          `until [ -e /tmp/start ]; do usleep 100000; done
until [ -e /tmp/stop ]; do
  answer=$(printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 10 $WEB_SERVICE_HOST 80 2>&1 | tail -n 1)
  echo "\${answer:-nothing}"
  usleep 20000
done > /tmp/log
touch /tmp/stopped; sleep 1000`,
        ],
      },
    ],
  },
});

testWith(requires("boxes", "kubectl", "nft"))(
  "up with real nodes: a rolling update loses no request, and a backend that is not ready gets none",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up", "--nodes", "3")).toMatchObject({ code: 0 });
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    const apply = async (...items: readonly object[]) => {
      const file = join(machine.dir, "manifests.json");
      writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
      expect(await kubectl("apply", "-f", file)).toMatchObject({ code: 0 });
    };
    const rolledOut = async () =>
      expect(await kubectl("rollout", "status", "deployment/web", "--timeout=120s")).toMatchObject({
        code: 0,
      });
    await apply(service, deployment("v1"));
    await rolledOut();
    // They are told the address of the service by variables, which exist once the service does.
    await apply(client("client-1", "node-1"), client("client-2", "node-2"));
    const clients = ["client-1", "client-2"];
    await kubectl("wait", "--for=condition=Ready", "pod", ...clients, "--timeout=60s");
    const path = "jsonpath={.status.loadBalancer.ingress[0].ip}";
    const host = await eventually(async () => {
      const { stdout } = await kubectl("get", "service", "web", "-o", path);
      expect(await ask({ host: stdout })).toMatch(/^200 v1 /);
      return stdout;
    });

    const load = startLoad(() => ask({ host }));
    const onClients = (...command: string[]) =>
      Promise.all(clients.map((name) => kubectl("exec", name, "--", ...command)));
    await onClients("touch", "/tmp/start");
    await apply(deployment("v2"));
    await rolledOut();
    // Until the last of the old ones has ended.
    await eventually(async () => {
      const { stdout } = await kubectl("get", "pods", "-l", "app=web", "-o", "name");
      expect(stdout.trim().split("\n")).toHaveLength(10);
    });
    await onClients("touch", "/tmp/stop");
    await eventually(async () => {
      for (const { code } of await onClients("test", "-e", "/tmp/stopped")) expect(code).toBe(0);
    });
    for (const { stdout } of await onClients("cat", "/tmp/log")) {
      const lines = stdout.trim().split("\n");
      expect(lines.filter((line) => !/^v[12] web-\S+$/.test(line))).toEqual([]);
      expect(lines.length).toBeGreaterThan(100);
    }
    const answers = load.sent.map(({ answer }) => answer);
    expect(answers.filter((answer) => !/^200 v[12] web-\S+\n$/.test(answer))).toEqual([]);
    expect(answers.length).toBeGreaterThan(100);

    // One of the backends is no longer ready.
    const connection = await connect({ path: machine.kubeconfig });
    try {
      const { stdout } = await kubectl("get", "pods", "-l", "app=web", "-o", "name");
      const name = stdout.split("\n", 1)[0]?.replace("pod/", "") ?? "";
      const isAsked = ({ answer }: { readonly answer: string }) => answer.includes(name);
      await eventually(() => expect(load.sent.slice(answers.length).some(isAsked)).toBe(true));
      await kubectl("exec", name, "--", "rm", "/www/ready");
      await waitFor(connection.client, Pod, {
        key: { namespace: "default", name },
        until: ({ status: { conditions = [] } }) =>
          conditions.some(({ type, status }) => type === "Ready" && status === "False"),
      });
      const unreadySince = performance.now();
      const before = load.sent.length;
      // Enough requests that each of ten backends would have got some.
      await eventually(() => expect(load.sent.length).toBeGreaterThan(before + 500));
      const sent = await load.stop();
      const late = sent.filter((one) => isAsked(one) && one.sentAt > unreadySince + 1000);
      expect(late).toEqual([]);
      expect(sent.filter(({ answer }) => !answer.startsWith("200 "))).toEqual([]);
    } finally {
      connection.close();
    }
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);
