import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { testEngine } from "../engine.test-support.ts";

testWith(requires("containers", "catatonit"))(
  "a sandbox whose process namespace nobody holds is not ready, and can be replaced",
  async () => {
    const test = await testEngine();
    onTestFinished(() => test.remove());
    const config = (attempt: number) => ({
      ...{ metadata: { name: "p", namespace: "d", uid: "u", attempt }, hostname: "p" },
      ...{ hostNetwork: true, labels: {}, annotations: {} },
      security: { namespaces: { network: "node", pid: "pod", ipc: "pod" } } as const,
    });
    // A kill in between leaves a sandbox without its holder.
    await test.engine.sandboxes.run(config(0));
    const whole = await test.runtime.runPodSandbox(config(1));
    const states = async () =>
      (await test.runtime.listPodSandboxes()).map(({ metadata, state }) => [
        metadata.attempt,
        state,
      ]);
    expect((await states()).sort()).toEqual([
      [0, "notReady"],
      [1, "ready"],
    ]);
    await test.reopen();
    expect(await test.runtime.podSandboxStatus(whole)).toMatchObject({ state: "ready" });
  },
);
