import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { runChild } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

const timeout = 20_000;
const namespace = "default";

testWith(requires("containers", "kubectl"))(
  "a real pod: volumes are mounted, follow their objects, and leave nothing",
  async () => {
    const { client, kubeconfig, root, pod, restartNode } = await startRealNode();
    const sh = async (script: string): Promise<string> => {
      const args = ["--kubeconfig", kubeconfig, "exec", "p", "--", "sh", "-c", script];
      return (await runChild("kubectl", args)).stdout;
    };
    onTestFinished(async () => {
      await client.delete(Pod, { namespace, name: "p" }).catch(() => {});
      const gone = () => pod("p").then(Boolean, () => false);
      await expect.poll(gone, { timeout }).toBe(false);
    });
    await client.create(ConfigMap, { metadata: { name: "m", namespace }, data: { a: "1" } });
    const secret = { metadata: { name: "s", namespace }, stringData: { b: "2" } };
    await client.create(Secret, secret);
    const mount = (name: string, more = {}) => ({ name, mountPath: `/${name}`, ...more });
    await client.create(Pod, {
      metadata: { name: "p", namespace },
      spec: {
        terminationGracePeriodSeconds: 1,
        securityContext: { fsGroup: 2000, runAsUser: 1000 },
        containers: [
          {
            ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
            volumeMounts: [
              ...[mount("m"), mount("s"), mount("e"), mount("r"), mount("i")],
              { name: "e", mountPath: "/part", subPath: "x/y" },
            ],
          },
        ],
        volumes: [
          { name: "m", configMap: { name: "m" } },
          { name: "s", secret: { secretName: "s" } },
          { name: "e", emptyDir: {} },
          { name: "r", emptyDir: { medium: "Memory", sizeLimit: "4Mi" } },
          { name: "i", image: { reference: testImage } },
        ],
      },
    } as never);
    await expect.poll(async () => (await pod("p")).status.phase, { timeout }).toBe("Running");
    expect(await sh("cat /m/a /s/b; echo x > /part/f; cat /e/x/y/f; ls -d /i/bin")).toBe(
      "12x\n/i/bin\n",
    );
    const tokens = "/var/run/secrets/kubernetes.io/serviceaccount";
    expect(await sh(`grep -E ' (/s|/r|${tokens}) ' /proc/mounts | cut -d' ' -f1-3`)).toBe(
      `tmpfs /s tmpfs\ntmpfs /r tmpfs\ntmpfs ${tokens} tmpfs\n`,
    );
    expect(
      await sh(`df -k /r | tail -1 | awk '{ print $2 }'; stat -L -c '%a %u:%g' ${tokens}/token`),
    ).toBe("4096\n640 1000:2000\n");
    expect(await sh("touch /s/x 2>&1; touch /e/ok && stat -c %g /e/ok")).toMatch(
      /Read-only.*\n2000\n/,
    );
    await client.update(ConfigMap, { metadata: { name: "m", namespace }, data: { a: "3" } });
    await expect.poll(() => sh("cat /m/a"), { timeout: 5000 }).toBe("3");
    await restartNode();
    await client.update(ConfigMap, { metadata: { name: "m", namespace }, data: { a: "4" } });
    await expect.poll(() => sh("cat /m/a"), { timeout }).toBe("4");
    expect(await sh("cat /part/f")).toBe("x\n");
    await client.delete(Pod, { namespace, name: "p" });
    const left = () => readdir(join(root, "kubelet/pods"));
    await expect.poll(left, { timeout }).toEqual([]);
    const mounts = await readFile("/proc/self/mountinfo", "utf8");
    expect(mounts.split("\n").filter((line) => line.includes(join(root, "kubelet/pods")))).toEqual(
      [],
    );
  },
);
