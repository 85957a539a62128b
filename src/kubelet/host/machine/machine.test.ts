import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, release, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Node } from "../../../api/core/v1/node/node.ts";
import { noLog } from "../../../base/log.ts";
import { SeededRandom } from "../../../base/random.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { SimulatedRuntime } from "../../../cri/simulated/simulated-runtime.ts";
import { createRuntimeHealth } from "../../node/runtime-health.ts";
import { readFilesystem } from "./filesystem.ts";
import { openMachine } from "./machine.ts";
import { createMachineFindings } from "./machine-findings.ts";
import { nodeAddresses } from "./node-addresses.ts";

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "machine-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test("a machine is what its files say, and is read again after five minutes", async () => {
  const root = await folderWith({
    "proc/meminfo": "MemTotal: 1000 kB\nSwapTotal: 20 kB\n",
    "proc/sys/kernel/random/boot_id": "boot\n",
    "sys/devices/system/cpu/online": "0-7\n",
    "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "4\n",
    "sys/class/dmi/id/product_uuid": "uuid\n",
    "var/lib/dbus/machine-id": "id\n",
    "usr/lib/os-release": 'PRETTY_NAME="Some Linux"\n',
  });
  const clock = new VirtualClock();
  const machine = openMachine(clock, root);
  const info = await machine.info();
  expect(info).toMatchObject({
    cpus: 8,
    memoryBytes: 1_024_000,
    swapBytes: 20_480,
    hugePages: [{ pageBytes: 2 ** 21, count: 4 }],
    machineID: "id",
    systemUUID: "uuid",
    bootID: "boot",
    kernelVersion: release(),
    osImage: "Some Linux",
  });
  await writeFile(join(root, "proc/meminfo"), "MemTotal: 2000 kB\n");
  expect(await machine.info()).toBe(info);
  await clock.advance(300_000);
  expect(await machine.info()).toMatchObject({ memoryBytes: 2_048_000, swapBytes: 0 });
});

test("the findings of this machine, with options in place of what is found", async () => {
  const clock = new VirtualClock();
  const runtime = new SimulatedRuntime({
    clock,
    random: new SeededRandom(0),
    podCidr: "10.0.0.0/24",
  });
  onTestFinished(() => runtime.close());
  const ranges: string[] = [];
  const updateRuntimeConfig = async ({ podCidr }: { readonly podCidr: string }) =>
    void ranges.push(podCidr);
  Object.assign(runtime, { updateRuntimeConfig });
  const find = createMachineFindings({
    runtime,
    health: createRuntimeHealth({ runtime, clock, log: noLog }),
    clock,
    log: noLog,
    rootDir: tmpdir(),
    maxPods: 110,
    podsPerCore: 0,
    nodeName: "192.0.2.1",
    nodeIPs: [],
    node: () => ({ spec: { podCIDRs: ["10.0.0.0/24", "2001:db8::/64"] } }) as unknown as Node,
    capacity: { memory: "2Gi" },
    info: { machineID: "mine" },
    evictionReserve: ({ memory = "" }) => ({ memory }),
    problems: () => ["node is shutting down"],
  });
  const { capacity, info, ...findings } = await find();
  await find();
  const { capacityBytes } = await readFilesystem(tmpdir());
  expect(Number(capacity?.cpu)).toBeGreaterThan(0);
  expect(capacity).toMatchObject({ memory: "2Gi", pods: "110" });
  expect(capacity?.["ephemeral-storage"]).toMatch(new RegExp(`^(${capacityBytes}|\\d+[KMG]i)$`));
  expect(info).toMatchObject({
    machineID: "mine",
    bootID: (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim(),
    kernelVersion: release(),
    containerRuntimeVersion: expect.stringMatching(/^\w+:\/\/\w+/),
  });
  expect(findings).toMatchObject({
    addresses: ["192.0.2.1"],
    evictionReserve: { memory: "2Gi" },
    problems: ["node is shutting down"],
  });
  expect(ranges).toEqual(["10.0.0.0/24,2001:db8::/64"]);
});

test("the addresses of a node are the configured ones, if the machine has them, or are found", async () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outer = own.find(({ internal, family }) => !internal && family === "IPv4")?.address;
  if (outer === undefined) return;
  expect(await nodeAddresses({ nodeName: "n", nodeIPs: [outer] })).toEqual([outer]);
  expect(await nodeAddresses({ nodeName: outer, nodeIPs: ["0.0.0.0"] })).toEqual([outer]);
  await expect(nodeAddresses({ nodeName: "n", nodeIPs: ["192.0.2.99"] })).rejects.toThrow(
    `failed to validate nodeIP: node IP: "192.0.2.99" not found in the host's network interfaces`,
  );
  await expect(nodeAddresses({ nodeName: "n", nodeIPs: [outer, "::1"] })).rejects.toThrow(
    "failed to validate secondaryNodeIP: nodeIP can't be loopback address",
  );
});
