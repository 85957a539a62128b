import { expect, test } from "vitest";
import { openParts } from "../verbs/verb-parts.test-support.ts";
import { allowing, rejectionBy } from "./attributes.test-support.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";

const owner = (more: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "rs",
  uid: "1",
  ...more,
});
const blocking = owner({ blockOwnerDeletion: true });
const created = (...ownerReferences: object[]) => ({ metadata: { ownerReferences } });
const updated = (before: readonly object[], now: readonly object[]) => ({
  operation: "UPDATE" as const,
  ...created(...now),
  old: created(...before),
});
const refused = (why: string) => `pods "a" is forbidden: ${why}`;
const noDelete = refused("cannot set an ownerRef on a resource you can't delete: , <nil>");
const noFinalizers = refused(
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
);
const noMapping = (version: string, kind: string, why: string) =>
  refused(
    `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${version} Kind ${kind}: ${why}`,
  );

const mayDelete = "delete pods a";
const mayHold = "update apps/replicasets/finalizers rs";
const mayHoldAll = "update */*/finalizers *";

test.each([
  ["no owner", [], created(), undefined],
  ["an owner at creation", [], created(owner()), undefined],
  ["an owner that is held", [], created(blocking), noFinalizers],
  ["an owner that may be held", [mayHold], created(blocking), undefined],
  ["an owner of who may hold everything", [mayHoldAll], created(blocking), undefined],
  ["the same owner", [], updated([blocking], [blocking]), undefined],
  ["another owner", [], updated([], [owner()]), noDelete],
  ["another owner, of who may delete", [mayDelete], updated([], [owner()]), undefined],
  ["no owner any more", [], updated([owner()], []), noDelete],
  ["an owner that is held now", [mayDelete], updated([owner()], [blocking]), noFinalizers],
  [
    "an owner that was held already, beside another",
    [mayDelete],
    updated([blocking], [blocking, owner({ uid: "2" })]),
    undefined,
  ],
  ["an owner let go", [mayDelete], updated([blocking], [owner()]), undefined],
  [
    "another version of the owner's kind",
    [mayHold],
    created(owner({ apiVersion: "apps/v9", blockOwnerDeletion: true })),
    undefined,
  ],
  [
    "an owner of no kind",
    [],
    created(owner({ kind: "Nope", blockOwnerDeletion: true })),
    noMapping("apps/v1", "Nope", 'no matches for kind "Nope" in version "apps/v1"'),
  ],
  [
    "an owner of no version",
    [],
    created(owner({ apiVersion: "a/b/c", blockOwnerDeletion: true })),
    noMapping("a/b/c", "ReplicaSet", "unexpected GroupVersion string: a/b/c"),
  ],
  ["the status of a pod", [], { ...updated([], [owner()]), subresource: "status" }, undefined],
])("ownerReferencesPermissionEnforcement: %s", async (_, allowed, given, wanted) => {
  const opened = await openParts();
  const parts = { ...opened, access: { ...opened.access, authorizer: allowing(...allowed) } };
  const plugin = ownerReferencesPermissionEnforcement(parts);
  expect(await rejectionBy(plugin, given)).toEqual(wanted);
});
