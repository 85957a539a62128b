// Pods on a real node of wherry up: their starts, their ends, and what an idle node costs. npm run bench node
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
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
import { wherryProgram } from "../../test/wherry-program.ts";
import { collected } from "../engine/engine-process.ts";
import { median, verdict } from "../engine/engine-verdict.ts";

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
const upstream = { one: 540, ten: 1700, thirty: 3500, delete: 3000, cpu: 4.2, memory: 748 };

async function bench(): Promise<void> {
  const began = performance.now();
  await wherry(["up"]);
  console.log(`wherry up: ${Math.round(performance.now() - began)} ms`);
  await wherry(
    ["image", "load", "--cluster", "wherry", "-"],
    await collected(ociArchive(busyboxImage(), image)),
  );
  const { client, close } = await connect({ path: env.KUBECONFIG, inCluster: false });
  const pods = watchPods(client);
  try {
    const singles: number[] = [];
    await pods.start(["warm"]);
    await pods.end(["warm"]);
    for (let i = 0; i < 8; i++) singles.push(await pods.start([`one-${i}`]));
    show("create to Running, one by one", median(singles), upstream.one, "ms");
    const ends: number[] = [];
    for (let i = 0; i < 8; i++) ends.push(await pods.end([`one-${i}`]));
    show("delete with a grace of 1 s", median(ends), upstream.delete, "ms");
    const ten = names("ten", 10);
    show("create to Running, ten at once", await pods.start(ten), upstream.ten, "ms");
    await pods.end(ten);
    const thirty = names("thirty", 30);
    show("create to Running, thirty at once", await pods.start(thirty), upstream.thirty, "ms");
    await wait(15_000);
    const [box] = await runningBoxes(join(home, "data/wherry/clusters/wherry/data"));
    const before = usageOf(box?.root ?? "");
    await wait(20_000);
    const after = usageOf(box?.root ?? "");
    const percent = ((after.cpuSeconds - before.cpuSeconds) / 20) * 100;
    show("CPU with 30 idle pods", percent, upstream.cpu, "% of a core", 0.24);
    show("memory with 30 idle pods", after.megabytes, upstream.memory, "MB", 0.25);
    await pods.end(thirty);
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
function watchPods(client: Client) {
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
        await Promise.all(all.map((name) => client.create(Pod, benchPod(name) as never)));
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

const benchPod = (name: string) => ({
  metadata: { name, namespace: "default" },
  spec: {
    containers: [{ name: "c", image, command: ["sleep", "100000"], imagePullPolicy: "Never" }],
  },
});

/** The CPU time and the memory of all processes of a box but those of containers. */
function usageOf(root: string): { readonly cpuSeconds: number; readonly megabytes: number } {
  const init = /\d+/.exec(root)?.[0] ?? "self";
  const space = namespaceOf(init);
  let ticks = 0;
  let kilobytes = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (namespaceOf(pid) !== space) continue;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    ticks += Number(stat[11]) + Number(stat[12]);
    kilobytes += Number(
      /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1],
    );
  }
  return { cpuSeconds: ticks / 100, megabytes: kilobytes / 1024 };
}

/** The process namespace of a process, of which containers have their own; empty if it has ended. */
function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return "";
  }
}

wherryProgram();
try {
  await bench();
} finally {
  await wherry(["delete", "--yes"]).catch(() => {});
  rmSync(home, { recursive: true, force: true });
}
