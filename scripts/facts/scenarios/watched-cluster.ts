import type { Node } from "../../../src/api/core/v1/node/node.ts";
import type { Pod } from "../../../src/api/core/v1/pod/pod.ts";
import type { ApiClient, ApiObject, WatchType } from "../api-client.ts";
import { stable } from "../values.ts";
import type { ScenarioRun } from "./scenario-run.ts";
import { isClusterWide, watchedResources } from "./watched-resources.ts";

/** All watched objects, and to which scenario each belongs. */
export class WatchedCluster {
  readonly #objects = new Map<string, ApiObject>();
  readonly #runs = new Map<string, ScenarioRun>();
  readonly #onPod: (pod: Pod) => void;
  /** The namespaces of all scenarios that may run at the same time. */
  #namespaces: readonly string[] = [];

  constructor(onPod: (pod: Pod) => void) {
    this.#onPod = onPod;
  }

  async start(api: ApiClient, namespaces: readonly string[]): Promise<void> {
    this.#namespaces = namespaces;
    await Promise.all(
      Object.entries(watchedResources).map(([resource, path]) =>
        api.follow(path, (type, object) => this.#see(resource, type, object)),
      ),
    );
  }

  begin(namespace: string, serial: boolean): ScenarioRun {
    const now = Date.now();
    const run: ScenarioRun = {
      namespace,
      serial,
      began: Math.floor(now / 1000) * 1000,
      lastChange: now,
      lastObject: "nothing",
      seen: new Map(),
    };
    this.#runs.set(namespace, run);
    return run;
  }

  end(run: ScenarioRun): void {
    if (this.#runs.get(run.namespace) === run) this.#runs.delete(run.namespace);
  }

  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    return this.#objects.get(`${resource}/${namespace}/${name}`);
  }

  objectsIn(namespace: string): readonly { resource: string; object: ApiObject }[] {
    return [...this.#objects].flatMap(([key, object]) =>
      object.metadata.namespace === namespace
        ? [{ resource: key.slice(0, key.indexOf("/")), object }]
        : [],
    );
  }

  /** Whose a cluster-wide object is: that of the longest namespace that its name begins with. */
  namespaceOf(name: string): string | undefined {
    const owners = this.#namespaces.filter(
      (namespace) => name === namespace || name.startsWith(`${namespace}-`),
    );
    return owners.sort((a, b) => b.length - a.length)[0];
  }

  #see(resource: string, type: WatchType, object: ApiObject): void {
    const { namespace = "", name } = object.metadata;
    const key = `${resource}/${namespace}/${name}`;
    const old = this.#objects.get(key);
    if (type === "DELETED") this.#objects.delete(key);
    else this.#objects.set(key, object);
    const owner = isClusterWide(resource) ? this.namespaceOf(name) : namespace;
    const run = this.#runs.get(owner ?? "");
    if (run && (type === "DELETED" || !old || hasChanged(resource, old, object, run.serial))) {
      run.lastChange = Date.now();
      run.lastObject = `${type} ${key}`;
      if (!run.seen.has(key)) run.seen.set(key, { resource, object, order: run.seen.size });
    }
    if (resource === "pods" && type !== "DELETED") this.#onPod(object as Pod);
  }
}

function hasChanged(resource: string, old: ApiObject, object: ApiObject, serial: boolean): boolean {
  if (old.metadata.resourceVersion === object.metadata.resourceVersion) return false;
  if (resource === "pods" && !serial) return podEssence(old as Pod) !== podEssence(object as Pod);
  if (resource === "nodes") return nodeEssence(old as Node) !== nodeEssence(object as Node);
  return true;
}

/** Without messages: that of a pod that waits changes with the nodes of other scenarios. */
function podEssence({ metadata, spec, status }: Pod): string {
  const { resourceVersion: _, managedFields: __, ...rest } = metadata ?? {};
  return stable([rest, spec, { ...status, conditions: essential(status?.conditions) }]);
}

/** Without heartbeats. */
function nodeEssence({ metadata, spec, status }: Node): string {
  const { labels, annotations, deletionTimestamp } = metadata ?? {};
  return stable([labels, annotations, deletionTimestamp, spec, essential(status?.conditions)]);
}

const essential = (
  conditions: readonly { type: string; status: string; reason?: string | undefined }[] = [],
): unknown => conditions.map(({ type, status, reason }) => [type, status, reason]);
