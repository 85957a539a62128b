import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { runChild } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

const timeout = 20_000;
const namespace = "default";

const podWith = (name: string, spec: object) =>
  ({
    metadata: { name, namespace },
    spec: {
      ...{ hostUsers: false, terminationGracePeriodSeconds: 1 },
      containers: [{ name: "c", image: testImage, command: ["sleep", "1000"] }],
      ...spec,
    },
  }) as never;

testWith(requires("containers", "userNamespaces", "kubectl"))(
  "pods with users of their own: no two have the same, volumes are theirs, and IDs become free",
  async () => {
    const { client, kubeconfig, disk, pod, nodeName, restartNode } = await startRealNode();
    const sh = async (name: string, script: string): Promise<string> => {
      const args = ["--kubeconfig", kubeconfig, "exec", name, "--", "sh", "-c", script];
      const { stdout, stderr } = await runChild("kubectl", args);
      return stdout + stderr;
    };
    const runs = (name: string) =>
      expect.poll(async () => (await pod(name)).status.phase, { timeout }).toBe("Running");
    const { status } = await client.get(Node, { name: nodeName });
    expect(status.runtimeHandlers?.map(({ features }) => features?.userNamespaces)).toEqual([
      true,
      true,
    ]);
    await client.create(ConfigMap, { metadata: { name: "m", namespace }, data: { a: "1" } });
    const mount = (name: string) => ({ name, mountPath: `/${name}` });
    const securityContext = { fsGroup: 2000, runAsUser: 1000, runAsGroup: 3000 };
    const volumes = [
      { name: "m", configMap: { name: "m" } },
      { name: "e", emptyDir: {} },
      { name: "i", image: { reference: testImage } },
    ];
    const container = {
      ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
      volumeMounts: [mount("m"), mount("e"), mount("i")],
      readinessProbe: { exec: { command: ["test", "-O", "/proc/self"] }, periodSeconds: 1 },
    };
    await client.create(Pod, podWith("one", { securityContext, volumes, containers: [container] }));
    await client.create(Pod, podWith("two", {}));
    await Promise.all([runs("one"), runs("two")]);
    expect(await sh("one", "id; touch /e/x; stat -L -c %u:%g /m/a /e/x /i/bin /etc/hosts")).toBe(
      "uid=1000 gid=3000 groups=2000,3000\n0:2000\n1000:2000\n0:0\n0:0\n",
    );
    const map = async (name: string) => (await sh(name, "cat /proc/self/uid_map")).trim();
    const maps = [await map("one"), await map("two")];
    expect(maps[0]).toMatch(/^0 +\d+ +65536$/);
    expect(maps[0]).not.toBe(maps[1]);
    const { uid = "" } = (await pod("one")).metadata;
    const file = join(disk, "kubelet/pods", uid, "userns");
    const [mapping] = JSON.parse(await readFile(file, "utf8")).uidMappings;
    expect(maps[0]?.split(/ +/)[1]).toBe(String(mapping.hostId));

    await restartNode();
    expect(await map("one")).toBe(maps[0]);
    for (const name of ["one", "two"]) await client.delete(Pod, { namespace, name });
    const gone = () => readFile(file, "utf8").catch((error: Error) => error.message);
    await expect.poll(gone, { timeout }).toMatch("ENOENT");
  },
  60_000,
);

const missing = requires("userNamespaces");

testWith(
  requires("containers") ?? (missing ? undefined : "needs a runc that does not map IDs of mounts"),
)(
  "a node without user namespaces says so, and does not run a pod with users of the node instead",
  async () => {
    const { client, pod, nodeName } = await startRealNode();
    const { status } = await client.get(Node, { name: nodeName });
    const features = status.runtimeHandlers?.map((one) => one.features?.userNamespaces);
    expect(features).toEqual([false, false]);
    await client.create(Pod, podWith("p", {}));
    const messages = async () => {
      const { items } = await client.list(Event, { namespace });
      return items.filter(({ reason }) => reason === "FailedCreatePodSandBox");
    };
    await expect.poll(messages, { timeout }).not.toEqual([]);
    expect((await messages())[0]?.message).toBe(
      "Failed to create pod sandbox: can't set `spec.hostUsers: false`, runtime does not support user namespaces",
    );
    expect((await pod("p")).status.phase).toBe("Pending");
  },
  60_000,
);
