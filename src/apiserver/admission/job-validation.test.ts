import { expect, test } from "vitest";
import type { AnyKind } from "../objects/object.ts";
import { openParts, resources, write } from "../verbs/verb-parts.test-support.ts";
import { kindAt, rejectionBy } from "./attributes.test-support.ts";
import { jobValidation } from "./job-validation.ts";

const groups = resources.find("scheduling.k8s.io", "v1alpha2", "podgroups") as AnyKind;
const job = (uid: string, podGroupName?: string) => ({
  metadata: { name: "a", uid },
  spec: {
    parallelism: 1,
    template: { spec: podGroupName ? { schedulingGroup: { podGroupName } } : {} },
  },
});
const refused = (group: string) =>
  `jobs.batch "a" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "${group}"`;

test.each([
  ["one that names a gang", job("1", "gang"), 2, refused("gang")],
  ["one that names others", job("1", "basic"), 2, undefined],
  ["one that names nobody", job("1", "none"), 2, undefined],
  ["one that controls a gang", job("owner"), 2, refused("gang")],
  ["one that controls nothing", job("1"), 2, undefined],
  ["one that stays as it is", job("1", "gang"), 1, undefined],
])("jobValidation: %s", async (_, old, parallelism, wanted) => {
  const parts = await openParts();
  const controller = {
    apiVersion: "batch/v1",
    kind: "Job",
    name: "a",
    uid: "owner",
    controller: true,
  };
  await write(parts, groups, "gang", {
    metadata: { ownerReferences: [controller] },
    spec: { schedulingPolicy: { gang: { minCount: 1 } } },
  });
  await write(parts, groups, "basic", { spec: { schedulingPolicy: { basic: {} } } });
  const given = {
    operation: "UPDATE",
    address: { kind: kindAt("batch", "jobs") },
    spec: { ...old.spec, parallelism },
    old,
  } as const;
  const plugin = jobValidation(parts);
  expect(await rejectionBy(plugin, given)).toEqual(wanted);
  expect(await rejectionBy(plugin, { ...given, subresource: "status" })).toEqual(undefined);
});
