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
