import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { mustRun } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

const container = {
  image: testImage,
  imagePullPolicy: "Never",
  volumeMounts: [
    { name: "scratch", mountPath: "/scratch" },
    { name: "settings", mountPath: "/settings" },
    { name: "info", mountPath: "/info" },
  ],
};

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 3,
        volumes: [
          { name: "scratch", emptyDir: {} },
          {
            name: "settings",
            projected: {
              sources: [{ configMap: { name: "settings" } }, { secret: { name: "keys" } }],
            },
          },
          {
            name: "info",
            downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] },
          },
        ],
        initContainers: [
          {
            ...{ ...container, name: "prepare" },
            command: ["sh", "-c", "cat /settings/greeting /settings/key > /scratch/index.html"],
          },
          {
            ...{ ...container, name: "sidecar", restartPolicy: "Always" },
            command: ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done"],
          },
        ],
        containers: [
          {
            ...{ ...container, name: "web", ports: [{ name: "http", containerPort: 8080 }] },
            command: ["httpd", "-f", "-p", "8080", "-h", "/scratch"],
            readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 1 },
            livenessProbe: { exec: { command: ["test", "-e", "/scratch/started"] } },
            lifecycle: {
              postStart: { exec: { command: ["touch", "/scratch/started"] } },
              preStop: { exec: { command: ["sh", "-c", "kill 1"] } },
            },
          },
        ],
      },
    },
  },
};

testWith(requires("containers", "kubectl"))(
  "a deployment with probes, hooks, sidecars and volumes rolls out on real containers",
  async () => {
    const { kubeconfig } = await startRealNode();
    const kubectl = (args: readonly string[], input?: string) =>
      mustRun("kubectl", ["--kubeconfig", kubeconfig, ...args], { input });
    await kubectl(["create", "configmap", "settings", "--from-literal=greeting=hello "]);
    await kubectl(["create", "secret", "generic", "keys", "--from-literal=key=secret"]);
    await kubectl(["apply", "-f", "-"], JSON.stringify(deployment));
    const rolledOut = 'deployment "web" successfully rolled out';
    expect(await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"])).toContain(
      rolledOut,
    );
    const names = async (): Promise<readonly string[]> =>
      (await kubectl(["get", "pods", "-l", "app=web", "-o", "name"])).trim().split("\n");
    const [first = ""] = await names();
    const page = ["wget", "-qO-", "http://localhost:8080/"];
    expect(await kubectl(["exec", first, "-c", "web", "--", ...page])).toBe("hello secret");
    const name = await kubectl(["exec", first, "-c", "sidecar", "--", "cat", "/info/name"]);
    expect(`pod/${name}`).toBe(first);

    // An ephemeral container sees the processes of the one that it is to debug.
    const debug = ["--image", testImage, "--target=web", "-c", "look", "--", "ps"];
    await kubectl(["debug", first, ...debug]);
    await expect
      .poll(() => kubectl(["logs", first, "-c", "look"]).catch(String), { timeout: 20_000 })
      .toContain("httpd -f -p 8080");

    await kubectl(["rollout", "restart", "deployment/web"]);
    expect(await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"])).toContain(
      rolledOut,
    );
    await expect.poll(names, { timeout: 30_000 }).not.toContain(first);
    await kubectl(["delete", "deployment", "web", "--wait"]);
    await expect.poll(names, { timeout: 30_000 }).toEqual([""]);
  },
  180_000,
);
