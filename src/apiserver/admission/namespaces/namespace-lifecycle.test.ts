import { expect, test } from "vitest";
import { coreKind, openParts, type TestParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain, type Operation } from "../admission.ts";
import { attributes, kindAt } from "../attributes.test-support.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";

async function openNamespaces(): Promise<TestParts> {
  const parts = await openParts();
  const kind = coreKind("Namespace");
  await write(parts, kind, "default", { status: { phase: "Active" } });
  await write(parts, kind, "ending", { status: { phase: "Terminating" } });
  return parts;
}

const ending =
  'configmaps "a" is forbidden: unable to create new content in namespace ending because it is being terminated';

test.each([
  ["CREATE", "default", "admitted"],
  ["CREATE", "none", 'namespaces "none" not found'],
  ["CREATE", "ending", ending],
  ["UPDATE", "ending", "admitted"],
  ["UPDATE", "none", 'namespaces "none" not found'],
  ["DELETE", "none", "admitted"],
] as const)("namespaceLifecycle: %s in %s", async (operation: Operation, namespace, wanted) => {
  const parts = await openNamespaces();
  const plugin = namespaceLifecycle(parts);
  const request = attributes({ kind: "ConfigMap", operation, address: { namespace } });
  const outcome = admissionChain([plugin])
    .admit(request)
    .then(
      () => "admitted",
      (error: Error) => error.message,
    );
  expect(await outcome).toEqual(wanted);
});

test.each([
  [
    "Namespace",
    "DELETE",
    "default",
    'namespaces "default" is forbidden: this namespace may not be deleted',
  ],
  [
    "Namespace",
    "DELETE",
    "kube-system",
    'namespaces "kube-system" is forbidden: this namespace may not be deleted',
  ],
  [
    "Namespace",
    "DELETE",
    "kube-public",
    'namespaces "kube-public" is forbidden: this namespace may not be deleted',
  ],
  ["Namespace", "DELETE", "kube-node-lease", undefined],
  ["Namespace", "UPDATE", "default", undefined],
  ["ConfigMap", "DELETE", "default", undefined],
] as const)("namespaceLifecycle: a %s: %s of %s", async (kind, operation, name, wanted) => {
  const parts = await openNamespaces();
  const plugin = namespaceLifecycle(parts);
  const request = attributes({ kind, operation, address: { name } });
  const outcome = admissionChain([plugin]).admit(request);
  if (wanted === undefined) await outcome;
  else await expect(outcome).rejects.toThrow(wanted);
});

test("namespaceLifecycle: a review does not reveal whether a namespace exists", async () => {
  const parts = await openNamespaces();
  const kind = kindAt("authorization.k8s.io", "localsubjectaccessreviews");
  const request = attributes({ address: { kind, namespace: "none" } });
  await admissionChain([namespaceLifecycle(parts)]).admit(request);
});

test("namespaceLifecycle: a namespace that the cache has costs no question to the store", async () => {
  const parts = await openNamespaces();
  let questions = 0;
  const ask = parts.reader.store.currentRevision.bind(parts.reader.store);
  parts.reader.store.currentRevision = () => {
    questions++;
    return ask();
  };
  const admit = (namespace: string) =>
    admissionChain([namespaceLifecycle(parts)])
      .admit(attributes({ kind: "ConfigMap", operation: "CREATE", address: { namespace } }))
      .catch(() => {});
  await admit("default");
  expect(questions).toEqual(0);
  await admit("none");
  expect(questions).toEqual(1);
});
