import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { TestAttributes } from "../attributes.test-support.ts";
import { rejectionOfNode } from "./node-requests.test-support.ts";

const metadata = { name: "a", namespace: "default", resourceVersion: "1" };
const claim = (status: object, more: object = {}) => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  metadata: { ...metadata, ...more },
  spec: { accessModes: ["ReadWriteOnce"], volumeName: "v" },
  status: { phase: "Bound", ...status },
});
const updated = (old: ReturnType<typeof claim>, now: ReturnType<typeof claim>): TestAttributes => ({
  kind: "PersistentVolumeClaim",
  operation: "UPDATE",
  subresource: "status",
  metadata: now.metadata,
  spec: now.spec,
  more: { status: now.status },
  old,
});
const rejected = (why: string) => `persistentvolumeclaims "a" is forbidden: ${why}`;

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  [
    "how large its volume is",
    updated(
      claim({ capacity: { storage: "1Gi" } }),
      claim(
        {
          capacity: { storage: "2Gi" },
          conditions: [{ type: "Resizing", status: "True" }],
          allocatedResources: { storage: "2Gi" },
          allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
        },
        { resourceVersion: "", managedFields: [{ manager: "kubelet" }] },
      ),
    ),
    undefined,
  ],
  [
    "itself",
    { kind: "PersistentVolumeClaim", operation: "UPDATE" },
    rejected("may only update PVC status"),
  ],
  [
    "a new one",
    { kind: "PersistentVolumeClaim", subresource: "status" },
    rejected('unexpected operation "CREATE"'),
  ],
])("claimStatuses: of a claim %s", async (_, given, wanted) => {
  expect(await rejectionOfNode(given)).toBe(wanted);
});

test("claimStatuses: a rejection shows all other changes", async () => {
  const given = updated(claim({}), claim({ phase: "Lost" }, { labels: { x: "y" } }));
  expect(await rejectionOfNode(given)).toMatchInlineSnapshot(`
    "persistentvolumeclaims "a" is forbidden: node "a" is not allowed to update fields other than status.quantity and status.conditions: @@ -1,6 +1,9 @@
     {
      "name": "a",
      "namespace": "default",
    + "labels": {
    +  "x": "y"
    + },
      "Spec": {
       "AccessModes": [
        "ReadWriteOnce"
    @@ -18,7 +21,7 @@
       "VolumeAttributesClassName": null
      },
      "Status": {
    -  "Phase": "Bound",
    +  "Phase": "Lost",
       "AccessModes": null,
       "Capacity": null,
       "Conditions": null,
    "
  `);
});

const volume = (finalizers: readonly string[], more: object = {}) => ({
  kind: "PersistentVolume",
  apiVersion: "v1",
  metadata: { name: "a", annotations: { "wherry.io/node": "a" }, finalizers, ...more },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], local: { path: "/x" } },
});
const volumeUpdate = (old: ReturnType<typeof volume>, now: ReturnType<typeof volume>) => ({
  kind: "PersistentVolume",
  operation: "UPDATE" as const,
  metadata: now.metadata,
  spec: now.spec,
  old,
});
const data = "wherry.io/local-data";
const another = { annotations: { "wherry.io/node": "b" } };

each<[what: string, given: TestAttributes, isAllowed: boolean]>([
  ["that it has data", volumeUpdate(volume(["x"]), volume(["x", data])), true],
  ["that it has none", volumeUpdate(volume(["x", data]), volume(["x"])), true],
  ["another finalizer", volumeUpdate(volume(["x"]), volume([])), false],
  ["a label", volumeUpdate(volume([]), volume([], { labels: { a: "b" } })), false],
  ["a volume of another node", volumeUpdate(volume([], another), volume([data], another)), false],
  ["whose volume it is", volumeUpdate(volume([], another), volume([data])), false],
  ["a new volume", { kind: "PersistentVolume", operation: "CREATE" }, false],
])("NodeRestriction: of a volume, a node may write %s", async (_, given, isAllowed) => {
  const why = await rejectionOfNode(given);
  if (isAllowed) expect(why).toBeUndefined();
  else expect(why).toContain('may only change the finalizer "wherry.io/local-data"');
});
