import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { runtimeSuite } from "../cri-suite.ts";
import { SimulatedImages } from "./simulated-images.ts";
import { SimulatedRuntime } from "./simulated-runtime.ts";

const open = () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const random = new SeededRandom(1);
  const runtime = new SimulatedRuntime({ clock, random, podCidr: "10.244.7.0/24" });
  return { clock, runtime, images: new SimulatedImages(clock) };
};

runtimeSuite("the simulated runtime", {
  lacks: ["processes"],
  image: "busybox",
  async open() {
    const { clock, runtime, images } = open();
    return {
      runtime,
      images,
      pass: (ms) => clock.advance(ms),
      close: async () => runtime.close(),
    };
  },
});

test("allocates the lowest free address of the range, until none is left", async () => {
  const { runtime } = open();
  const sandbox = (uid: string) =>
    runtime.runPodSandbox({
      metadata: { name: uid, namespace: "default", uid, attempt: 0 },
      hostname: uid,
      hostNetwork: false,
      labels: {},
      annotations: {},
    });
  const ids: string[] = [];
  for (let i = 0; i < 253; i++) ids.push(await sandbox(`pod-${i}`));
  const addressOf = async (id = "") => (await runtime.podSandboxStatus(id)).ips[0];
  expect([await addressOf(ids[0]), await addressOf(ids[252])]).toEqual([
    "10.244.7.2",
    "10.244.7.254",
  ]);
  await expect(sandbox("more")).rejects.toThrow(
    "failed to allocate for range 0: no IP addresses available in range set: 10.244.7.1-10.244.7.254",
  );
  await runtime.stopPodSandbox(ids[100] ?? "");
  expect(await addressOf(await sandbox("more"))).toBe("10.244.7.102");
});

test("images have full names", async () => {
  const { images } = open();
  for (const [name, tag] of [
    ["nginx", "docker.io/library/nginx:latest"],
    ["library/nginx:1.27", "docker.io/library/nginx:1.27"],
    ["registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.10"],
    ["localhost:5000/a/b", "localhost:5000/a/b:latest"],
  ] as const)
    expect((await images.pullImage(name)).repoTags).toEqual([tag]);
  expect((await images.pullImage("nginx")).repoDigests[0]).toMatch(
    /^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/,
  );
});
