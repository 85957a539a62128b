import { inContextAsync, KustomizeError } from "../kustomize-error.ts";
import { gvkText } from "../resources/gvk.ts";
import type { Origin } from "../resources/origin.ts";
import { resIdText } from "../resources/res-id.ts";
import type { Resource } from "../resources/resource.ts";
import { builtInGenerator, builtInTransformer } from "./built-in-plugins.ts";
import type { Configured, Generator, PluginContext, Transformer } from "./plugin.ts";

/** The transformer that an object configures. */
export async function loadTransformer(
  resource: Resource,
  context: PluginContext,
): Promise<Configured<Transformer>> {
  checkBuiltIn(resource);
  const make = builtInTransformer(resource.kind);
  if (make === undefined) {
    if (builtInGenerator(resource.kind) === undefined) throw unknownPlugin(resource);
    throw new KustomizeError(`plugin ${resIdText(resource.originalId)} not a transformer`);
  }
  const plugin = await configure(resource, async () => await make(resource.value, context));
  return { plugin, origin: originOf(resource) };
}

/** The generator that an object configures. */
export async function loadGenerator(
  resource: Resource,
  context: PluginContext,
): Promise<Configured<Generator>> {
  return await inContextAsync("failed to load generator", async () => {
    checkBuiltIn(resource);
    const make = builtInGenerator(resource.kind);
    if (make === undefined) {
      if (builtInTransformer(resource.kind) === undefined) throw unknownPlugin(resource);
      throw new KustomizeError(`plugin ${resIdText(resource.originalId)} not a generator`);
    }
    const plugin = await configure(resource, async () => await make(resource.value, context));
    return { plugin, origin: originOf(resource) };
  });
}

/** Programs and containers are not run: only what is built in. */
function checkBuiltIn({ apiVersion, originalId }: Resource): void {
  if (apiVersion === "builtin") return;
  throw new KustomizeError(
    `external plugins disabled; unable to load external plugin '${originalId.kind}'`,
  );
}

const unknownPlugin = (resource: Resource): KustomizeError =>
  new KustomizeError(`unable to load builtin ${gvkText(resource.gvk)}`);

const configure = <T>(resource: Resource, make: () => Promise<T>): Promise<T> =>
  inContextAsync(`plugin ${resIdText(resource.originalId)} fails configuration`, make);

function originOf(resource: Resource): Origin | undefined {
  const { origin, apiVersion, kind, name, namespace } = resource;
  if (origin === undefined) return undefined;
  const { repo, ref, path } = origin;
  return {
    ...(repo === undefined ? {} : { repo }),
    ...(ref === undefined ? {} : { ref }),
    ...(path === undefined ? {} : { configuredIn: path }),
    configuredBy: { apiVersion, kind, name, namespace },
  };
}
