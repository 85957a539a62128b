import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { type ExpansionPlan, planExpansion, preResizeCapacity } from "./plan-expansion.ts";

interface Sizes {
  readonly requested: string;
  readonly recorded: string;
  readonly offered: string;
  readonly allocated?: string;
  readonly progress?: string;
  readonly former?: string;
  readonly source?: object;
}

const flex = { flexVolume: { driver: "example.com/flex" } };
const expand = (size: string): ExpansionPlan => ({
  type: "expand",
  size,
  resizer: "example.com/flex",
});

each<[string, Sizes, ExpansionPlan]>([
  [
    "a claim that has its size",
    { requested: "1Gi", recorded: "1Gi", offered: "1Gi" },
    { type: "nothing" },
  ],
  [
    "a volume of a driver",
    { requested: "2Gi", recorded: "1Gi", offered: "1Gi", source: { csi: {} } },
    { type: "external" },
  ],
  [
    "a volume that a driver took over",
    { requested: "2Gi", recorded: "1Gi", offered: "1Gi", source: { awsElasticBlockStore: {} } },
    { type: "external", plugin: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com" },
  ],
  [
    "a claim that requests more",
    { requested: "2Gi", recorded: "1Gi", offered: "1Gi" },
    expand("2Gi"),
  ],
  [
    "one that requests even more while the volume grows",
    {
      ...{ requested: "3Gi", recorded: "1Gi", offered: "1Gi", allocated: "2Gi" },
      progress: "ControllerResizeInProgress",
    },
    expand("2Gi"),
  ],
  [
    "one whose former request could not be had",
    {
      ...{ requested: "2Gi", recorded: "1Gi", offered: "1Gi", allocated: "9Gi" },
      progress: "ControllerResizeInfeasible",
    },
    expand("2Gi"),
  ],
  [
    "a volume that has grown, and the node has not",
    {
      ...{ requested: "2Gi", recorded: "1Gi", offered: "2Gi", allocated: "2Gi" },
      progress: "NodeResizePending",
    },
    { type: "nothing" },
  ],
  [
    "a volume that the node could not grow",
    {
      ...{ requested: "2Gi", recorded: "1Gi", offered: "2Gi", allocated: "2Gi" },
      progress: "NodeResizeInfeasible",
    },
    { type: "wait for node" },
  ],
  [
    "a volume that has grown, which was not recorded",
    {
      ...{ requested: "2Gi", recorded: "1Gi", offered: "2Gi", allocated: "2Gi" },
      progress: "ControllerResizeInProgress",
    },
    expand("2Gi"),
  ],
  [
    "a node that is done",
    { requested: "2Gi", recorded: "2Gi", offered: "2Gi", former: "1Gi" },
    { type: "forget former size" },
  ],
])("planExpansion: %s", (_, sizes, expected) => {
  const { requested, recorded, offered, allocated, progress, former, source = flex } = sizes;
  const claim = {
    spec: { resources: { requests: { storage: requested } } },
    status: {
      capacity: { storage: recorded },
      ...(allocated && { allocatedResources: { storage: allocated } }),
      ...(progress && { allocatedResourceStatuses: { storage: progress } }),
    },
  } as unknown as PersistentVolumeClaim;
  const volume = {
    metadata: { annotations: former ? { [preResizeCapacity]: former } : undefined },
    spec: { capacity: { storage: offered }, ...source },
  } as unknown as PersistentVolume;
  expect(planExpansion(claim, volume)).toEqual(expected);
});
