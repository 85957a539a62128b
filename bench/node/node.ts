// Pods on a real node of wherry up: their starts, their ends, and what an idle node costs. npm run bench node
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import type { Client } from "../../src/client/client.ts";
import { createInformers } from "../../src/client/informer/informers.ts";
import { runningBoxes } from "../../src/cluster/node/node-boxes.ts";
import { busyboxImage, ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { mustRun } from "../../src/platform/run-child.ts";
import { systemRandom } from "../../src/platform/system-entropy.ts";
import { containerdImage } from "../../test/cri/containerd.test-support.ts";
import { wherryProgram } from "../../test/wherry-program.ts";
import { collected } from "../engine/engine-process.ts";
import { median, verdict } from "../engine/engine-verdict.ts";
import { namespaceOf, type ProcessUsage, usageOf } from "./process-usage.ts";
import { startUpstreamNode } from "./upstream-node.ts";

const image = "registry.test/bench:1";
const home = mkdtempSync(join(tmpdir(), "wherry-bench-"));
const env = {
  ...process.env,
  HOME: home,
  XDG_DATA_HOME: join(home, "data"),
  KUBECONFIG: join(home, "kubeconfig"),
};
const wherry = (args: readonly string[], input?: Uint8Array): Promise<string> =>
  mustRun(process.execPath, [wherryProgram(), ...args], { env, input });

/** What upstream's kubelet v1.36.4 took on containerd 2.1.9, measured at rest on two cores. */
const recorded: Figures = {
  ...{ one: 540, ten: 1700, thirty: 3500, delete: 3000, cpu: 4.2, memory: 748 },
};

/** Times in milliseconds, the share of a core in percent, megabytes. */
interface Figures {
  /** From create to Running: one by one, and many at once. */
  readonly one: number;
  readonly ten: number;
  readonly thirty: number;
  /** With a grace of 1 s. */
  readonly delete: number;
  /** With 30 idle pods. */
  readonly cpu: number;
  readonly memory: number;
}

async function bench(): Promise<void> {
  const began = performance.now();
  await wherry(["up"]);
  console.log(`wherry up: ${Math.round(performance.now() - began)} ms`);
  await wherry(
    ["image", "load", "--cluster", "wherry", "-"],
    await collected(ociArchive(busyboxImage(), image)),
  );
  const [box] = await runningBoxes(join(home, "data/wherry/clusters/wherry/data"));
  const space = namespaceOf(/\d+/.exec(box?.root ?? "")?.[0] ?? "self");
  const ours = await measure(image, () => usageOf((pid) => namespaceOf(pid) === space));
  const { KUBELET: kubelet } = process.env;
  const theirs = kubelet === undefined ? recorded : await measureUpstream(kubelet);
  console.log(
    kubelet === undefined
      ? "reference: upstream's kubelet as it was recorded; give its path in KUBELET to run it here"
      : "reference: upstream's kubelet on containerd, in this run",
  );
  show("create to Running, one by one", ours.one, theirs.one, "ms");
  show("create to Running, ten at once", ours.ten, theirs.ten, "ms");
  show("create to Running, thirty at once", ours.thirty, theirs.thirty, "ms");
  show("delete with a grace of 1 s", ours.delete, theirs.delete, "ms");
  show("CPU with 30 idle pods", ours.cpu, theirs.cpu, "% of a core", 0.24);
  show("memory with 30 idle pods", ours.memory, theirs.memory, "MB", 0.25);
}

/** Runs upstream's kubelet as the node of another cluster. */
async function measureUpstream(kubelet: string): Promise<Figures> {
  await wherry(["delete", "--yes"]);
  await wherry(["up", "--simulated", "--nodes", "0"]);
  const bootstrapKubeconfig = join(home, "bootstrap");
  await writeBootstrapKubeconfig(bootstrapKubeconfig);
  const node = await startUpstreamNode({ kubelet, home, bootstrapKubeconfig });
  try {
    return await measure(containerdImage, node.usage);
  } finally {
    await node.close();
  }
}

async function writeBootstrapKubeconfig(path: string): Promise<void> {
  const token = (await wherry(["token", "create"])).trim();
  const config = JSON.parse(
    await mustRun("kubectl", ["config", "view", "--raw", "-o", "json"], { env }),
  );
  const [user] = config.users;
  writeFileSync(path, JSON.stringify({ ...config, users: [{ name: user.name, user: { token } }] }));
}

async function measure(image: string, usage: () => ProcessUsage): Promise<Figures> {
  const { client, close } = await connect({ path: env.KUBECONFIG, inCluster: false });
  const pods = watchPods(client, image);
  try {
    await pods.start(["warm"]);
    await pods.end(["warm"]);
    const singles: number[] = [];
    for (let i = 0; i < 8; i++) singles.push(await pods.start([`one-${i}`]));
    const ends: number[] = [];
    for (let i = 0; i < 8; i++) ends.push(await pods.end([`one-${i}`]));
    const ten = await pods.start(names("ten", 10));
    await pods.end(names("ten", 10));
    const thirty = await pods.start(names("thirty", 30));
    await wait(15_000);
    const before = usage();
    await wait(20_000);
    const after = usage();
    await pods.end(names("thirty", 30));
    return {
      ...{ one: median(singles), ten, thirty, delete: median(ends) },
      cpu: ((after.cpuSeconds - before.cpuSeconds) / 20) * 100,
      memory: after.megabytes,
    };
  } finally {
    pods.close();
    close();
  }
}

/** Prints a measurement beside upstream's, of which the aim is a part. */
const show = (what: string, ours: number, theirs: number, unit: string, bound = 0.3): void =>
  verdict(what, ours, theirs, { unit, bound });

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

/** Starts and ends pods, and waits by a watch. */
function watchPods(client: Client, image: string) {
  const informers = createInformers({ client, clock: realClock, random: systemRandom });
  const informer = informers.of(Pod, { namespace: "default" });
  let changed = (): void => {};
  informer.addHandler({
    added: () => changed(),
    updated: () => changed(),
    deleted: () => changed(),
  });
  const until = (isDone: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      changed = () => {
        if (isDone()) resolve();
      };
      changed();
    });
  const of = (name: string): Pod | undefined => informer.get({ namespace: "default", name });
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
  };
  return {
    start: (all: readonly string[]) =>
      timed(async () => {
        await Promise.all(all.map((name) => client.create(Pod, benchPod(name, image) as never)));
        await until(() => all.every((name) => of(name)?.status.phase === "Running"));
      }),
    end: (all: readonly string[]) =>
      timed(async () => {
        const keys = all.map((name) => ({ namespace: "default", name }));
        await Promise.all(keys.map((key) => client.delete(Pod, key, { gracePeriodSeconds: 1 })));
        await until(() => all.every((name) => of(name) === undefined));
      }),
    close: () => informers.close(),
  };
}

const benchPod = (name: string, image: string) => ({
  metadata: { name, namespace: "default" },
  spec: {
    containers: [{ name: "c", image, command: ["sleep", "100000"], imagePullPolicy: "Never" }],
  },
});

wherryProgram();
try {
  await bench();
} finally {
  await wherry(["delete", "--yes"]).catch(() => {});
  rmSync(home, { recursive: true, force: true });
}
