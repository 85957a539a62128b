import { rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { StatusError } from "../../api/meta/v1/status-error.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { mustRun } from "../../platform/run-child.ts";
import { manifestsOf, startRealNode } from "./real-node.test-support.ts";

const manifest = (text: string, container = "", name = "web") => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {name: web, image: "${testImage}", command: [sh, -c, "echo ${text}; exec sleep 1000"]${container}}
`;

testWith(requires("containers", "kubectl"))(
  "startNode: a static pod runs by its file, with or without an API server",
  async () => {
    const cluster = await startRealNode();
    const file = join(manifestsOf(cluster.root), "web.yaml");
    const kubectl = (...args: string[]) =>
      mustRun("kubectl", ["--kubeconfig", cluster.kubeconfig, ...args]);
    const mirror = () => cluster.pod("web-node-1");
    const containerId = () =>
      cluster.kubelet.pod("default", "web-node-1")?.status.containerStatuses?.[0]?.containerID;
    const isRunning = async () => (await mirror().catch(() => undefined))?.status.phase;
    writeFileSync(file, manifest("first"));
    await expect.poll(isRunning, { timeout: 20_000 }).toBe("Running");
    expect(await kubectl("logs", "web-node-1")).toBe("first\n");
    expect(await kubectl("exec", "web-node-1", "--", "hostname")).toBe("web-node-1\n");
    const before = containerId();
    const { uid } = (await mirror()).metadata;
    await kubectl("delete", "pod", "web-node-1", "--wait=false");
    await expect
      .poll(async () => (await mirror().catch(() => undefined))?.metadata.uid ?? uid)
      .not.toBe(uid);

    await cluster.stopServer();
    await cluster.restartNode();
    await expect.poll(containerId, { timeout: 10_000 }).toBe(before);
    writeFileSync(file, manifest("second"));
    await expect.poll(() => containerId() ?? before, { timeout: 15_000 }).not.toBe(before);

    await cluster.startServer();
    await expect
      .poll(async () => (await mirror()).status.containerStatuses?.[0]?.containerID, {
        timeout: 20_000,
      })
      .toBe(containerId());
    expect(await kubectl("logs", "web-node-1")).toBe("second\n");
    rmSync(file);
    await expect.poll(() => cluster.kubelet.pods(), { timeout: 15_000 }).toEqual([]);
    const failure = () => mirror().catch(({ reason }: StatusError) => reason);
    await expect.poll(failure).toBe("NotFound");
  },
);

testWith(requires("containers"))(
  "startNode: without an API server, static pods run and the kubelet's API shows them",
  async () => {
    const cluster = await startRealNode({ isStandalone: true, configuration: standalone });
    const folder = manifestsOf(cluster.root);
    const variable = ", envFrom: [{configMapRef: {name: settings}}]";
    writeFileSync(join(folder, "web.yaml"), manifest("hello"));
    writeFileSync(join(folder, "other.yaml"), manifest("hello", variable, "other"));
    const pods = async () => {
      const { items } = await podsAt(cluster.port);
      return items.map(({ metadata, status }) => {
        const { running, waiting } = status.containerStatuses?.[0]?.state ?? {};
        return `${metadata.name} ${running ? "running" : waiting?.message}`;
      });
    };
    await expect
      .poll(pods, { timeout: 20_000 })
      .toEqual([
        "other-node-1 couldn't get configMap default/settings, no kubeClient defined",
        "web-node-1 running",
      ]);
    expect((await cluster.client.list(Node)).items).toEqual([]);
    expect((await cluster.client.list(Pod, { namespace: "default" })).items).toEqual([]);
  },
);

const standalone: Partial<KubeletConfiguration> = {
  authentication: {
    anonymous: { enabled: true },
    webhook: { enabled: false, cacheTTL: "2m0s" },
    x509: {},
  },
  authorization: {
    mode: "AlwaysAllow",
    webhook: { cacheAuthorizedTTL: "5m0s", cacheUnauthorizedTTL: "30s" },
  },
  featureGates: { PreventStaticPodAPIReferences: false },
};

/** What the API of a kubelet on this machine says of its pods. */
function podsAt(port: number): Promise<{ readonly items: readonly Pod[] }> {
  return new Promise((resolve, reject) => {
    get(`https://127.0.0.1:${port}/pods`, { rejectUnauthorized: false }, async (response) => {
      const pieces = await response.toArray();
      resolve(JSON.parse(Buffer.concat(pieces).toString()));
    }).on("error", reject);
  });
}
