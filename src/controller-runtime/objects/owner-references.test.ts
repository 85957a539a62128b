import { expect, test } from "vitest";
import {
  AlreadyOwnedError,
  controllerOf,
  isControlledBy,
  isOwnedBy,
  withController,
  withOwner,
  withoutController,
  withoutOwner,
} from "./owner-references.ts";

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", uid: "u1" },
};
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "default" },
};
const reference = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u1" };

test("an object has one controller reference, which is replaced if its version changes", () => {
  const owned = withController(pod, web);
  expect(controllerOf(owned)).toEqual({ ...reference, controller: true, blockOwnerDeletion: true });
  expect(pod.metadata).not.toHaveProperty("ownerReferences");
  const older = { ...web, apiVersion: "apps/v1beta1", metadata: { ...web.metadata, uid: "u0" } };
  const twice = withController(withController(pod, older), web, { blockOwnerDeletion: false });
  expect(twice.metadata).toHaveProperty("ownerReferences", [
    { ...reference, controller: true, blockOwnerDeletion: false },
  ]);
  expect([isControlledBy(owned, web), isControlledBy(owned, older)]).toEqual([true, false]);
});

test("an object has one controller, and any number of owners", () => {
  const other = { ...web, metadata: { ...web.metadata, name: "other", uid: "u2" } };
  const owned = withController(pod, other);
  expect(() => withController(owned, web)).toThrow(AlreadyOwnedError);
  expect(() => withController(owned, web)).toThrow(
    "Object default/web-1 is already owned by another Deployment controller other",
  );
  const both = withOwner(owned, web);
  expect([isOwnedBy(both, web), isOwnedBy(both, other), isOwnedBy(pod, web)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(withoutOwner(both, other).metadata).toHaveProperty("ownerReferences", [reference]);
});

test("a namespaced owner can only own objects of its namespace", () => {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u3" } };
  expect(() => withController(node, web)).toThrow(
    "cluster-scoped resource must not have a namespace-scoped owner, owner's namespace default",
  );
  const elsewhere = { ...pod, metadata: { ...pod.metadata, namespace: "other" } };
  expect(() => withOwner(elsewhere, web)).toThrow(
    "cross-namespace owner references are disallowed, owner's namespace default, obj's namespace other",
  );
  expect(isOwnedBy(withOwner(elsewhere, node), node)).toBe(true);
});

test("only an existing owner or controller can be removed", () => {
  expect(() => withoutOwner(pod, web)).toThrow("*v1.Pod does not have any owner references");
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u3" } };
  const owned = withOwner(pod, node);
  expect(() => withoutOwner(owned, web)).toThrow(
    "*v1.Pod does not have an owner reference for *v1.Deployment",
  );
  expect(() => withoutController(owned, node)).toThrow(
    "*v1.Pod does not have a owner reference with controller equals true",
  );
  const controlled = withController(owned, web);
  expect(() => withoutController(controlled, node)).toThrow(
    "*v1.Node owner is not the controller reference for *v1.Pod",
  );
  const other = { ...web, metadata: { ...web.metadata, name: "other" } };
  expect(() => withoutController(controlled, other)).toThrow(
    "*v1.Pod does not have an controller reference for *v1.Deployment",
  );
  expect(controllerOf(withoutController(controlled, web))).toBeUndefined();
});
