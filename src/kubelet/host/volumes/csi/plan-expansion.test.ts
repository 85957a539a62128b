import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import type { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import { formatQuantity, parseQuantity } from "../../../../schema/values/quantity.ts";
import { planExpansion } from "./plan-expansion.ts";
import { notedStatus, type ResizeNote } from "./resized-claim.ts";

interface Row {
  /** The capacity of the persistent volume. */
  readonly offered?: string;
  /** The size on the node. */
  readonly current?: string;
  readonly requested?: string;
  readonly status: object;
  readonly modes?: readonly string[];
  readonly annotations?: object;
  readonly readOnly?: boolean;
  readonly hasFailed?: boolean;
  readonly plan: object;
}

const capacity = { storage: "1Gi" };
const allocated = (progress?: string, storage = "2Gi") => ({
  ...{ capacity, allocatedResources: { storage } },
  ...(progress && { allocatedResourceStatuses: { storage: progress } }),
});
const expand = { type: "expand", size: "2Gi", isTracked: true, isRecorded: false };
const everywhere = { capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } };

each<[title: string, row: Row]>([
  [
    "nothing is done for a volume that has its size",
    {
      offered: "1Gi",
      status: { capacity },
      plan: { type: "done", size: "1Gi" },
    },
  ],
  [
    "a larger one that waits for its node grows to what is allocated",
    {
      status: allocated("NodeResizePending"),
      plan: { ...expand, isLastTry: false },
    },
  ],
  [
    "one that was interrupted goes on",
    {
      status: allocated("NodeResizeInProgress"),
      plan: { ...expand, isLastTry: false },
    },
  ],
  [
    "one that the controller still grows waits",
    {
      status: allocated("ControllerResizeInProgress"),
      plan: { type: "wait" },
    },
  ],
  [
    "one that cannot grow waits for another request",
    {
      status: allocated("NodeResizeInfeasible"),
      plan: { type: "wait" },
    },
  ],
  [
    "one that the controller has grown completely is done",
    {
      status: everywhere,
      plan: { type: "done", size: "2Gi" },
    },
  ],
  [
    "one of several nodes grows on each of them, and the claim stays",
    {
      status: everywhere,
      modes: ["ReadWriteMany"],
      plan: { ...expand, isRecorded: true, isLastTry: false },
    },
  ],
  [
    "unless its claim says that nodes need not do that",
    {
      status: everywhere,
      modes: ["ReadWriteMany"],
      annotations: { "volume.kubernetes.io/node-expansion-not-required": "" },
      plan: { type: "done", size: "2Gi" },
    },
  ],
  [
    "an older resizer says nothing of its progress",
    {
      status: { capacity },
      plan: { ...expand, isTracked: false, isLastTry: false },
    },
  ],
  [
    "a volume that is only read does not grow",
    {
      status: allocated("NodeResizePending"),
      readOnly: true,
      plan: { type: "refuse", size: "2Gi" },
    },
  ],
  [
    "after a failure and another request it is tried for the last time",
    {
      status: allocated("NodeResizePending"),
      requested: "1500Mi",
      hasFailed: true,
      plan: { ...expand, isLastTry: true },
    },
  ],
])("planExpansion: %s", (_, row) => {
  const { offered = "2Gi", current = "1Gi", requested = "2Gi", readOnly = false } = row;
  const { status, modes = ["ReadWriteOnce"], annotations, hasFailed = false } = row;
  const plan = planExpansion({
    claim: {
      metadata: { annotations },
      spec: { accessModes: modes, resources: { requests: { storage: requested } } },
      status,
    } as unknown as PersistentVolumeClaim,
    persistentVolume: { spec: { capacity: { storage: offered } } } as unknown as PersistentVolume,
    ...{ current: parseQuantity(current), readOnly, hasFailed },
  });
  expect("size" in plan ? { ...plan, size: formatQuantity(plan.size) } : plan).toEqual(row.plan);
});

const pending = { type: "FileSystemResizePending", status: "True" };
const other = { type: "ModifyingVolume", status: "True" };
const error = (message: string) => ({
  ...{ type: "NodeResizeError", status: "True", lastTransitionTime: "1970-01-01T00:00:01Z" },
  message: `failed to expand pvc with ${message}`,
});

each<[title: string, row: { readonly note: ResizeNote; readonly patch: object }]>([
  [
    "begins",
    {
      note: { type: "begun" },
      patch: { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } },
    },
  ],
  [
    "finishes, and conditions of other things stay",
    {
      note: { type: "finished", size: "2Gi" },
      patch: {
        ...{ capacity: { storage: "2Gi" }, allocatedResourceStatuses: { storage: null } },
        conditions: [other],
      },
    },
  ],
  [
    "fails, and is tried again",
    {
      note: { type: "failed", why: "no", isInfeasible: false },
      patch: { conditions: [pending, other, error("no")] },
    },
  ],
  [
    "fails for good",
    {
      note: { type: "failed", why: "never", isInfeasible: true },
      patch: {
        allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
        conditions: [pending, other, error("never")],
      },
    },
  ],
])("notedStatus: the growth of a volume %s", (_, { note, patch }) => {
  const claim = { status: { conditions: [pending, other] } } as unknown as PersistentVolumeClaim;
  expect(notedStatus(claim, note, 1000)).toEqual(patch);
});
