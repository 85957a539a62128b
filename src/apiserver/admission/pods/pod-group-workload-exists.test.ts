import { expect, test } from "vitest";
import type { AnyKind } from "../../objects/object.ts";
import { openParts, resources, write } from "../../verbs/verb-parts.test-support.ts";
import { rejectionBy } from "../attributes.test-support.ts";
import { podGroupWorkloadExists } from "./pod-group-workload-exists.ts";

const kindOf = (plural: string) =>
  resources.find("scheduling.k8s.io", "v1alpha2", plural) as AnyKind;
const madeFrom = (workloadName: string, podGroupTemplateName: string) => ({
  podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } },
});
const refused = (why: string) =>
  `podgroups.scheduling.k8s.io "a" is forbidden: PodGroup rejected: ${why}`;

test.each([
  ["a template that there is", madeFrom("w", "t"), undefined],
  ["no template", {}, undefined],
  ["no workload", madeFrom("x", "t"), refused('Workload "x" not found')],
  [
    "another template",
    madeFrom("w", "x"),
    refused('PodGroupTemplate "x" not found in Workload "w"'),
  ],
  ["a workload that ends", madeFrom("ending", "t"), refused('Workload "ending" is being deleted')],
])("podGroupWorkloadExists: a group from %s", async (_, spec, wanted) => {
  const parts = await openParts();
  const workload = {
    spec: { podGroupTemplates: [{ name: "t", schedulingPolicy: { basic: {} } }] },
  };
  await write(parts, kindOf("workloads"), "w", workload);
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  await write(parts, kindOf("workloads"), "ending", { ...workload, metadata });
  const plugin = podGroupWorkloadExists(parts);
  expect(await rejectionBy(plugin, { spec, address: { kind: kindOf("podgroups") } })).toEqual(
    wanted,
  );
});
