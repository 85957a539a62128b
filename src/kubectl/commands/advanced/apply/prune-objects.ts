import type { Client } from "../../../../client/client.ts";
import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { helper } from "../../../resource/helper.ts";
import { deletionOptions, type Propagation } from "../../shared/deletion-flags.ts";
import type { DryRun } from "../../shared/dry-run.ts";
import type { PrintObject } from "../../shared/object-output.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";

/** How objects are pruned. */
export interface PruneOptions {
  readonly client: Client;
  readonly dryRun: DryRun;
  readonly propagation: Propagation;
  readonly gracePeriod: number;
  readonly signal: AbortSignal;
  readonly print: PrintObject;
  onWarning(text: string): void;
}

/** Deletes objects that were applied once and are not among those that were applied now. */
export async function pruneObjects(
  kinds: readonly DiscoveredKind[],
  scope: {
    readonly namespaces: readonly string[];
    readonly labelSelector: string;
    readonly visited: ReadonlySet<string>;
  },
  options: PruneOptions,
): Promise<void> {
  const isNamespaced = ({ scope: of }: DiscoveredKind): boolean => of === "Namespaced";
  const prune = async (kind: DiscoveredKind, namespace: string): Promise<void> => {
    const parameters = { labelSelector: scope.labelSelector || undefined };
    const list = await helper(options.client, kind, options).list(namespace, parameters);
    for (const object of itemsOf(list, kind)) {
      const { annotations, uid = "" } = object.metadata;
      if (annotations?.[lastAppliedAnnotation] === undefined || scope.visited.has(uid)) continue;
      await pruneObject(object, { kind, namespace }, options);
    }
  };
  const failed = (what: string, { group, version, kind }: DiscoveredKind, error: Error): Error =>
    new Error(`error pruning ${what} object ${group}/${version}, Kind=${kind}: ${error.message}`, {
      cause: error,
    });
  for (const namespace of scope.namespaces)
    for (const kind of kinds.filter(isNamespaced))
      await prune(kind, namespace).catch((error: Error) => {
        throw failed("namespaced", kind, error);
      });
  for (const kind of kinds.filter((one) => !isNamespaced(one)))
    await prune(kind, "").catch((error: Error) => {
      throw failed("nonNamespaced", kind, error);
    });
}

/** Deletes one object, unless it is a dry run, and prints that. */
export async function pruneObject(
  object: DynamicObject,
  { kind, namespace }: { readonly kind: DiscoveredKind; readonly namespace: string },
  { client, dryRun, gracePeriod, propagation, signal, print, onWarning }: PruneOptions,
): Promise<void> {
  if (dryRun !== "client") {
    const requests = helper(client, kind, { isDryRun: dryRun === "server", signal, onWarning });
    const place = { namespace, name: object.metadata.name ?? "" };
    const how = deletionOptions(gracePeriod, propagation);
    await requests.delete(place, { apiVersion: "v1", kind: "DeleteOptions", ...how });
  }
  print(object);
}

/** The items of a list, which need not say their kind themselves. */
export function itemsOf(list: DynamicObject, kind: DiscoveredKind): readonly DynamicObject[] {
  const { group, version } = kind;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const items = (list.items ?? []) as readonly DynamicObject[];
  return items.map((item) => ({ ...item, apiVersion, kind: kind.kind }));
}
