import { StatusError } from "../api/meta/v1/status-error.ts";
import { apiVersionOf } from "../schema/kind.ts";
import { compactTo } from "./compactor.ts";
import { create } from "./create.ts";
import type { AnyKind, ObjectDraft } from "./object.ts";
import { find, type Registry, type RequestContext } from "./registry.ts";
import type { Resources } from "./resources.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates what every new cluster has, where it is missing. */
export async function bootstrap(registry: Registry, resources: Resources): Promise<void> {
  const isNew = registry.cache.revision === 1;
  const namespace = resources.find("", "v1", "namespaces");
  const account = resources.find("", "v1", "serviceaccounts");
  await Promise.all(
    namespaces.map(async (name) => {
      if (namespace) await ensure(registry, namespace, { namespace: "", name });
      // Without it no pod could be created there.
      if (account) await ensure(registry, account, { namespace: name, name: "default" });
    }),
  );
  // How a cluster came to be is nobody's history.
  if (isNew) await compactTo(registry.store, registry.cache.revision);
}

async function ensure(
  registry: Registry,
  kind: AnyKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  if (await find(registry, { kind, namespace, name })) return;
  const draft: ObjectDraft = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { name },
    spec: {},
  };
  const context: RequestContext = {
    user: { name: "system:apiserver", groups: ["system:masters"] },
    dryRun: false,
    fieldManager: "kube-apiserver",
    warnings: [],
  };
  try {
    await create(registry, { kind, namespace }, { draft, context });
  } catch (error) {
    // Another server on the same store may be first.
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  }
}
