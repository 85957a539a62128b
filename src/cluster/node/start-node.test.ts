import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { mustRun } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

testWith(requires("containers", "kubectl"))(
  "startNode: kubectl runs a pod, reads its log, and executes commands in it",
  async () => {
    const cluster = await startRealNode();
    const kubectl = (...args: string[]) =>
      mustRun("kubectl", ["--kubeconfig", cluster.kubeconfig, ...args]);
    await kubectl("run", "web", `--image=${testImage}`, "--", "sh", "-c", "echo hello; sleep 1000");
    await expect
      .poll(async () => (await cluster.pod("web")).status.phase, { timeout: 20_000 })
      .toBe("Running");
    expect(await kubectl("logs", "web")).toBe("hello\n");
    expect(await kubectl("exec", "web", "--", "hostname")).toBe("web\n");
    await cluster.restartNode();
    expect(await kubectl("exec", "web", "--", "hostname")).toBe("web\n");
    expect((await cluster.pod("web")).status.containerStatuses?.[0]?.restartCount).toBe(0);
    await kubectl("delete", "pod", "web", "--grace-period=1");
    expect((await cluster.client.list(Pod, { namespace: "default" })).items).toEqual([]);
  },
);
