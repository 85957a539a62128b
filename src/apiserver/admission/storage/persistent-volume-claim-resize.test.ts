import { expect, test } from "vitest";
import { openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, kindAt } from "../attributes.test-support.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";

const claim = (storage: string, storageClassName?: string) => ({
  resources: { requests: { storage } },
  ...(storageClassName !== undefined && { storageClassName }),
});

/** The outcome of changing a claim of 1Gi. */
async function outcomeOf(spec: object, old: object, more: object = {}): Promise<unknown> {
  const parts = await openParts();
  const kind = kindAt("storage.k8s.io", "storageclasses");
  await write(parts, kind, "grows", { provisioner: "p", allowVolumeExpansion: true });
  await write(parts, kind, "stays", { provisioner: "p" });
  const request = attributes({
    kind: "PersistentVolumeClaim",
    operation: "UPDATE",
    spec,
    old: { metadata: {}, status: { phase: "Bound" }, ...old },
    ...more,
  });
  const plugin = persistentVolumeClaimResize(parts);
  return admissionChain([plugin])
    .validate(request as never)
    .catch((error: Error) => error.message);
}

const unbound =
  'persistentvolumeclaims "a" is forbidden: Only bound persistent volume claims can be expanded';
const fixed =
  'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
const small = (name?: string) => ({ spec: claim("1Gi", name) });

test.each([
  ["the same size", claim("1024Mi", "stays"), small("stays"), undefined],
  ["a smaller size", claim("1Mi", "stays"), small("stays"), undefined],
  ["a claim that can grow", claim("2Gi", "grows"), small("grows"), undefined],
  ["a claim that cannot", claim("2Gi", "stays"), small("stays"), fixed],
  ["a claim of no class", claim("2Gi"), small(), fixed],
  ["a claim of another class", claim("2Gi", "grows"), small("stays"), fixed],
  ["a claim of a class that is gone", claim("2Gi", "gone"), small("gone"), fixed],
  [
    "a claim without a volume",
    claim("2Gi", "grows"),
    { ...small("grows"), status: { phase: "Pending" } },
    unbound,
  ],
])("persistentVolumeClaimResize: %s", async (_, spec, old, rejection) => {
  expect(await outcomeOf(spec, old)).toEqual(rejection);
});

test("persistentVolumeClaimResize: a status is left alone", async () => {
  const given = { subresource: "status" };
  expect(await outcomeOf(claim("2Gi", "stays"), small("stays"), given)).toBe(undefined);
});
