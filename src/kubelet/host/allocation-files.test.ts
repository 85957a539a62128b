import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openAllocationFiles } from "./allocation-files.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "allocations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const resources = { pod: { limits: { cpu: "1" } }, containers: { c: { requests: { cpu: "1" } } } };

test("openAllocationFiles: finds what was stored before a restart", async () => {
  const { allocated, actuated } = await openAllocationFiles(folder);
  await Promise.all([
    allocated.set("a", resources),
    allocated.set("b", { containers: {} }),
    actuated.set("a", { containers: {} }),
  ]);
  allocated.remove("b");
  await allocated.set("c", { containers: {} });
  const again = await openAllocationFiles(folder);
  expect(again.allocated.get("a")).toEqual(resources);
  expect(again.allocated.get("b")).toBeUndefined();
  expect(again.actuated.get("a")).toEqual({ containers: {} });
  again.allocated.retain(new Set(["c"]));
  expect([again.allocated.get("a"), again.allocated.get("c")]).toEqual([
    undefined,
    { containers: {} },
  ]);
});

test("openAllocationFiles: reads upstream's files", async () => {
  const data =
    '{"entries":{"pod1":{"ContainerResources":{"container1":{"requests":{"cpu":"1Ki","memory":"1Ki"}}}}}}';
  const path = join(folder, "allocated_pods_state");
  await writeFile(path, JSON.stringify({ data, checksum: 1_178_570_812 }));
  const { allocated } = await openAllocationFiles(folder);
  expect(allocated.get("pod1")).toEqual({
    containers: { container1: { requests: { cpu: "1Ki", memory: "1Ki" } } },
  });
  await allocated.set("pod2", resources);
  expect(JSON.parse(JSON.parse(await readFile(path, "utf8")).data).entries.pod2).toEqual({
    ContainerResources: resources.containers,
    PodLevelResources: resources.pod,
  });
});

test("openAllocationFiles: a damaged file is told from a missing one", async () => {
  await writeFile(join(folder, "actuated_pods_state"), '{"data":"{}","checksum":1}');
  await expect(openAllocationFiles(folder)).rejects.toThrow(
    "could not restore state from checkpoint, please drain this node and delete pod resource information checkpoint file",
  );
});
