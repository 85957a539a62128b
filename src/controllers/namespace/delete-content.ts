import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Client } from "../../client/client.ts";
import type { ApiResource } from "../../client/discovery/server-apis.ts";
import { dynamicKind, type MetadataObject, metadataOnly } from "../../client/resource-kind.ts";

/** What is left of the objects of a resource in a namespace after the deletion. */
export interface ContentLeft {
  /** After how many seconds it may be gone; 0 if that is unknown, or nothing is left. */
  readonly estimate: number;
  readonly count: number;
  /** How many of them have a finalizer, by its name. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why they could not be deleted. */
  readonly fault?: string | undefined;
}

export interface ContentOptions {
  readonly client: Client;
  readonly namespace: string;
  /** How many milliseconds ago the namespace was deleted. */
  readonly deletedForMs: number;
}

/** How many seconds the owner of a finalizer may take. */
const finalizerSeconds = 15;

/** Deletes all objects of a resource in a namespace: as a collection if possible, else one by one. */
export async function deleteContent(
  resource: ApiResource,
  options: ContentOptions,
): Promise<ContentLeft> {
  const { namespace } = options;
  let estimate = 0;
  try {
    estimate = await graceEstimate(resource, options);
    if (!(await deleteAtOnce(resource, options))) await deleteEach(resource, options);
    const left = await list(resource, options);
    if (!left || left.length === 0) return { ...nothing, estimate: left ? 0 : estimate };
    const finalizers = finalizerCounts(left);
    const count = left.length;
    if (estimate > 0) return { estimate, count, finalizers };
    if (finalizers.size > 0) return { estimate: finalizerSeconds, count, finalizers };
    const fault = `unexpected items still remain in namespace: ${namespace} for gvr: ${text(resource)}`;
    return { estimate: 0, count, finalizers, fault };
  } catch (error) {
    return { ...nothing, estimate, fault: errorMessage(error) };
  }
}

const nothing = { estimate: 0, count: 0, finalizers: new Map<string, number>() } as const;

/** The longest grace period of the pods, unless that time has passed already. */
async function graceEstimate(
  { group, plural }: ApiResource,
  { client, namespace, deletedForMs }: ContentOptions,
): Promise<number> {
  if (group !== "" || plural !== "pods") return 0;
  const { items } = await client.list(Pod, { namespace });
  const graces = items
    .filter(({ status: { phase } }) => phase !== "Succeeded" && phase !== "Failed")
    .map(({ spec }) => spec.terminationGracePeriodSeconds ?? 0);
  // There may be too many for the arguments of a function.
  const estimate = graces.reduce((most, grace) => Math.max(most, grace), 0);
  return deletedForMs >= estimate * 1000 ? 0 : estimate;
}

/** Deletes the collection; false if the server does not support it. */
async function deleteAtOnce(
  resource: ApiResource,
  { client, namespace }: ContentOptions,
): Promise<boolean> {
  if (!resource.verbs.includes("deletecollection")) return false;
  const call = client.deleteCollection(dynamicKind(resource), { namespace, propagationPolicy });
  return (await ifServed(call.then(() => true))) ?? false;
}

async function deleteEach(resource: ApiResource, options: ContentOptions): Promise<void> {
  const { client, namespace } = options;
  const kind = metadataOnly(dynamicKind(resource));
  for (const { metadata } of (await list(resource, options)) ?? [])
    await ifServed(
      client.delete(kind, { namespace, name: metadata.name ?? "" }, { propagationPolicy }),
    );
}

/** The objects that exist; undefined if they cannot be listed. */
async function list(
  resource: ApiResource,
  { client, namespace }: ContentOptions,
): Promise<readonly MetadataObject[] | undefined> {
  if (!resource.verbs.includes("list")) return undefined;
  return (await ifServed(client.list(metadataOnly(dynamicKind(resource)), { namespace })))?.items;
}

/** Nothing is orphaned, because everything in the namespace is deleted. */
const propagationPolicy = "Background";

/** Undefined if the resource does not exist, or does not support the call. */
async function ifServed<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (StatusError.is(error, "MethodNotAllowed", "NotFound")) return undefined;
    throw error;
  }
}

function finalizerCounts(objects: readonly MetadataObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of objects)
    for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const text = ({ group, version, plural }: ApiResource): string =>
  `${group}/${version}, Resource=${plural}`;
