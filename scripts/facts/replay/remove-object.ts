import { isMembers, pick, sleep } from "../values.ts";
import type { ReplayClient } from "./recorded-case.ts";
import { resourcePath } from "./resource-path.ts";

/** Deletes an object that a case created, and waits until the server has forgotten it. */
export async function removeObject(client: ReplayClient, path: string): Promise<void> {
  if (fixture.has(path)) return;
  const { resource = "", name = "" } = resourcePath(path) ?? {};
  const remove = () => client.send({ method: "DELETE", path, body: deleteOptions });
  let answer = await remove();
  if (answer.status === 404) return;
  for (let i = 0; i < 200; i++) {
    // A policy that forbids the deletion may still be enforced for a second after it was deleted.
    if (i > 0 && (answer.status === 403 || answer.status === 422)) answer = await remove();
    const { status, body } = await client.send({ method: "GET", path });
    if (status === 404) break;
    if (resource === "namespaces") await finalizeNamespace(client, path, name);
    else if (hasOwnFinalizers(body)) await dropFinalizers(client, path);
    if (i > 0) await sleep(30);
  }
  if (resource === "customresourcedefinitions") await groupRemoved(client, name);
  if (takesEffectLater.has(resource)) await sleep(40);
}

const fixture = new Set([
  "/api/v1/namespaces/rec",
  "/api/v1/namespaces/rec/serviceaccounts/default",
]);

const deleteOptions = {
  kind: "DeleteOptions",
  apiVersion: "v1",
  gracePeriodSeconds: 0,
  propagationPolicy: "Background",
};

/** What the server reads from a cache: the next case would still meet the deleted object. */
const takesEffectLater = new Set([
  "limitranges",
  "resourcequotas",
  "priorityclasses",
  "runtimeclasses",
  "customresourcedefinitions",
  "apiservices",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "servicecidrs",
  "flowschemas",
  "prioritylevelconfigurations",
  "storageclasses",
  "ingressclasses",
  "clusterroles",
  "clusterrolebindings",
  "roles",
  "rolebindings",
]);

const hasOwnFinalizers = (object: unknown): boolean =>
  ((pick(object, "metadata.finalizers") ?? []) as readonly string[]).some(
    (finalizer) => finalizer !== "customresourcecleanup.apiextensions.k8s.io",
  );

const dropFinalizers = (client: ReplayClient, path: string) =>
  client.send({
    method: "PATCH",
    path,
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { finalizers: null } },
  });

const finalizeNamespace = (client: ReplayClient, path: string, name: string) =>
  client.send({
    method: "PUT",
    path: `${path}/finalize`,
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } },
  });

async function groupRemoved(client: ReplayClient, definition: string): Promise<void> {
  const group = definition.slice(definition.indexOf(".") + 1);
  for (let i = 0; i < 100; i++) {
    const groups = pick((await client.send({ method: "GET", path: "/apis" })).body, "groups");
    const served = Array.isArray(groups) && groups.some((g) => isMembers(g) && g.name === group);
    if (!served) return;
    await sleep(50);
  }
}
