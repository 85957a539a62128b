import { expect, test } from "vitest";
import { type Attributes, admissionChain } from "../admission.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";

const admitted = async (group: string, plural: string, finalizers?: string[]) => {
  const metadata = { ...(finalizers && { finalizers }) };
  const attributes = {
    operation: "CREATE",
    address: { kind: { group, plural } },
    object: { metadata },
  };
  await admissionChain([storageObjectInUseProtection]).admit(
    attributes as unknown as Attributes<never>,
  );
  return metadata.finalizers;
};

test.each([
  ["a claim", "", "persistentvolumeclaims", undefined, ["kubernetes.io/pvc-protection"]],
  ["a volume", "", "persistentvolumes", ["a/b"], ["a/b", "kubernetes.io/pv-protection"]],
  [
    "a claim that has it",
    "",
    "persistentvolumeclaims",
    ["kubernetes.io/pvc-protection"],
    ["kubernetes.io/pvc-protection"],
  ],
  ["another kind", "", "configmaps", undefined, undefined],
] as const)("StorageObjectInUseProtection: %s", async (_, group, plural, given, expected) => {
  expect(await admitted(group, plural, given && [...given])).toEqual(expected);
});
