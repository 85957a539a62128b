import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { klog } from "../../shared/klog.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";
import { defaultKinds } from "../apply/prune-list.ts";
import { itemsOf } from "../apply/prune-objects.ts";

/** What was visited, so that it is not pruned, and where. */
export interface Visited {
  readonly uids: Set<string>;
  readonly namespaces: Set<string>;
}

/** The objects that an apply would prune; an error ends the search, and is logged. */
export async function prunableObjects(
  context: Pick<CommandContext, "factory" | "io" | "signal">,
  { uids, namespaces }: Visited,
  { allowed, selector }: { readonly allowed: readonly DiscoveredKind[]; readonly selector: string },
): Promise<readonly DynamicObject[]> {
  const { factory, signal } = context;
  const found: DynamicObject[] = [];
  const search = async (kind: DiscoveredKind, namespace: string): Promise<void> => {
    const requests = helper(await factory.client(), kind, {
      signal,
      onWarning: (text) => factory.warn(text),
    });
    const list = await requests.list(namespace, { labelSelector: selector || undefined });
    const isPrunable = ({ metadata: { annotations, uid = "" } }: DynamicObject): boolean =>
      annotations?.[lastAppliedAnnotation] !== undefined && !uids.has(uid);
    found.push(...itemsOf(list, kind).filter(isPrunable));
  };
  const isNamespaced = ({ scope }: DiscoveredKind): boolean => scope === "Namespaced";
  const places = (kinds: readonly DiscoveredKind[]) => [
    ...[...namespaces].flatMap((namespace) =>
      kinds.filter(isNamespaced).map((kind) => ({ kind, namespace })),
    ),
    ...kinds.filter((kind) => !isNamespaced(kind)).map((kind) => ({ kind, namespace: "" })),
  ];
  try {
    for (const { kind, namespace } of places(await kindsToPrune(context, allowed)))
      await search(kind, namespace).catch((error: Error) => {
        const scope = isNamespaced(kind) ? "namespaced" : "nonNamespaced";
        const gvk = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
        throw new Error(`error pruning ${scope} object ${gvk}: ${error.message}`, { cause: error });
      });
  } catch (error) {
    signal.throwIfAborted();
    const why = (error as Error).message;
    klog(context, "W", `pruning failed and could not be evaluated err: ${why}`, "diff.go:760");
  }
  return found;
}

async function kindsToPrune(
  context: Pick<CommandContext, "factory" | "io">,
  allowed: readonly DiscoveredKind[],
): Promise<readonly DiscoveredKind[]> {
  if (allowed.length > 0) return allowed;
  klog(context, "W", clusterScopedWarning, "prune.go:71");
  return defaultKinds(await context.factory.mapper());
}

const clusterScopedWarning =
  "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.";
