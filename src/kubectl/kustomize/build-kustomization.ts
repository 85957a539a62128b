import { fieldSpec } from "./config/field-spec.ts";
import { isUserError, prefixed } from "./kustomize-error.ts";
import type { KustomizeFiles, KustomizeRemotes } from "./loading/kustomize-files.ts";
import { Loader } from "./loading/loader.ts";
import { goSyntaxText } from "./nodes/go-syntax-text.ts";
import { decodedNode, nodeValue } from "./nodes/node-value.ts";
import type { YamlNode } from "./nodes/yaml-node.ts";
import { mapTransformer } from "./plugins/field-transformers.ts";
import type { HelmOptions } from "./plugins/helm-chart.ts";
import { addHashes } from "./resources/hash.ts";
import { effectiveNamespace, noNamespace } from "./resources/res-id.ts";
import type { ResMap } from "./resources/res-map.ts";
import type { Resource } from "./resources/resource.ts";
import { sortResources } from "./resources/sort-resources.ts";
import { BuildState } from "./target/build-state.ts";
import { Target } from "./target/target.ts";

export interface KustomizeOptions {
  /** Whether files may be anywhere; by default only in or below the directory of a kustomization. */
  readonly loadRestrictor?: "LoadRestrictionsRootOnly" | "LoadRestrictionsNone";
  /** Sorts the result where the kustomization says nothing of that; `legacy` by default. */
  readonly reorder?: "legacy" | "none";
  readonly addManagedByLabel?: boolean;
  /** How Helm is called; without it, charts are refused. */
  readonly helm?: HelmOptions;
}

export interface KustomizeRequest {
  /** A directory with a kustomization, or a URL of one in a git repository. */
  readonly path: string;
  readonly files: KustomizeFiles;
  readonly remotes: KustomizeRemotes;
  readonly options?: KustomizeOptions;
}

/** The result of a build. */
export interface Kustomized {
  readonly objects: readonly unknown[];
  /** The objects as one text. */
  readonly yaml: string;
  /** The objects as the texts of files, by their names. */
  readonly files: ReadonlyMap<string, string>;
  /** What is printed to the standard error, line by line. */
  readonly warnings: readonly string[];
  /** What the original logs. */
  readonly logged: readonly string[];
}

/** Builds a kustomization, as `kubectl kustomize` does; throws a KustomizeError. */
export async function buildKustomization(request: KustomizeRequest): Promise<Kustomized> {
  const { path, files, remotes, options = {} } = request;
  const rootOnly = options.loadRestrictor !== "LoadRestrictionsNone";
  const loader = await Loader.open(path, { files, remotes, rootOnly });
  try {
    const state = new BuildState(options.helm);
    const logged: string[] = [];
    const map = await build(loader, state, { ...options, log: (text) => logged.push(text) });
    const { resources } = map;
    for (const resource of resources) checkValue(resource);
    return {
      objects: resources.map(({ value }) => value),
      yaml: resources.map(({ yaml }) => yaml).join("---\n"),
      files: fileTexts(resources),
      warnings: state.warnings,
      logged,
    };
  } finally {
    await loader.close();
  }
}

async function build(
  loader: Loader,
  state: BuildState,
  options: KustomizeOptions & { log(text: string): void },
): Promise<ResMap> {
  const target = await Target.load({ loader, state });
  await target.setSchema(true);
  const accumulated = await target.accumulate();
  addHashes(accumulated.map);
  accumulated.fixNameReferences();
  for (const warning of accumulated.resolveVariables()) state.warn(warning);
  accumulated.dropLocalConfig();
  const { map } = accumulated;
  const { sortOptions, buildMetadata } = target.kustomization;
  if (sortOptions !== undefined) {
    if (options.reorder !== undefined) options.log(twoOrders);
    sortResources(map, sortOptions);
  } else if (options.reorder !== "none") {
    sortResources(map, { order: "legacy" });
  }
  if (options.addManagedByLabel === true || buildMetadata.includes("managedByLabel")) {
    const labels = new Map([["app.kubernetes.io/managed-by", `kustomize-${version}`]]);
    mapTransformer(labels, [fieldSpec("metadata/labels", { create: true })]).transform(map);
  }
  for (const resource of map.resources) {
    resource.removeBuildAnnotations();
    if (!buildMetadata.includes("originAnnotations")) resource.setOrigin(undefined);
    if (!buildMetadata.includes("transformerAnnotations")) resource.clearTransformations();
  }
  return map;
}

/** Throws where an object is nothing that JSON can express. */
function checkValue({ node }: Resource): void {
  if (node === undefined) return;
  try {
    nodeValue(node);
  } catch (error) {
    throw prefixed(shownValue(node), error);
  }
}

function shownValue(node: YamlNode): string {
  try {
    return goSyntaxText(decodedNode(node));
  } catch (error) {
    if (!isUserError(error)) throw error;
    return "map[string]interface {}(nil)";
  }
}

/** The version whose rules these are. */
const version = "v5.8.1";

const twoOrders =
  "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). Using the kustomization file over the CLI flag.";

/** Files are named after kind and name, and after the namespace where there is more than one. */
function fileTexts(resources: readonly Resource[]): Map<string, string> {
  const namespaces = new Set(resources.map(({ id }) => effectiveNamespace(id)));
  namespaces.delete(noNamespace);
  return new Map(
    resources.map((resource) => {
      const { gvk, name, id } = resource;
      const namespace = effectiveNamespace(id);
      const parts = [gvk.group, gvk.version, gvk.kind].filter((part) => part !== "");
      const file = `${parts.join("_")}_${name}.yaml`;
      const isSplit = namespace !== noNamespace && namespaces.size > 1;
      return [(isSplit ? `${namespace}_${file}` : file).toLowerCase(), resource.yaml];
    }),
  );
}
