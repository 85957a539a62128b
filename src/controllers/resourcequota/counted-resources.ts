import type { AnyEvaluator } from "../../api/core/v1/quota/evaluator.ts";
import type { EvaluatorOf } from "../../api/core/v1/quota/evaluators.ts";
import {
  type ApiResource,
  preferredResources,
  type ServerApis,
} from "../../client/discovery/server-apis.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import type { Informers } from "../../client/informer/informers.ts";
import {
  dynamicKind,
  type KubernetesObject,
  metadataOnly,
  type ResourceKind,
} from "../../client/resource-kind.ts";
import { metadataInformer } from "../metadata-informer.ts";

/** A resource whose objects count against quotas. */
export interface CountedResource {
  readonly name: string;
  readonly evaluator: AnyEvaluator;
  readonly kind: ResourceKind<KubernetesObject>;
  /** False if it is no longer served: then it has no objects. */
  readonly isServed: boolean;
}

export interface CountedResourcesOptions {
  readonly informers: Informers;
  readonly evaluatorOf: EvaluatorOf;
  /** Called for objects whose change or deletion may lower the usage of a quota. */
  onLess(resource: CountedResource, object: KubernetesObject, old?: KubernetesObject): void;
}

/** The resources that count against quotas. Objects are watched from the first request for them. */
export class CountedResources {
  readonly #options: CountedResourcesOptions;
  readonly #resources = new Map<string, CountedResource>();
  readonly #informers = new Map<string, Informer<KubernetesObject>>();

  constructor(options: CountedResourcesOptions) {
    this.#options = options;
  }

  /** Updates the served resources; returns the names of new and removed ones. Resources whose discovery failed are kept. */
  update(apis: ServerApis): readonly string[] {
    const served = new Map(quotable(apis).map((one) => [nameOf(one), one]));
    const changed: string[] = [];
    for (const [name, resource] of served) {
      const evaluator = this.#options.evaluatorOf(resource);
      const known = this.#resources.get(name);
      if (!evaluator || (known?.isServed && known.kind.version === resource.version)) continue;
      this.#forget(name);
      this.#resources.set(name, { name, evaluator, kind: kindOf(resource), isServed: true });
      changed.push(name);
    }
    for (const [name, known] of this.#resources) {
      const { group, version } = known.kind;
      const isUnknown = apis.failures.has(group === "" ? version : `${group}/${version}`);
      if (served.has(name) || !known.isServed || isUnknown) continue;
      this.#forget(name);
      this.#resources.set(name, { ...known, isServed: false });
      changed.push(name);
    }
    return changed;
  }

  /** The resources whose objects use any of these names of a quota. */
  tracking(names: readonly string[]): readonly CountedResource[] {
    return [...this.#resources.values()].filter(({ evaluator }) =>
      names.some((name) => evaluator.tracks(name)),
    );
  }

  /** The informer of a resource, started at the first call. */
  follow(resource: CountedResource): Informer<KubernetesObject> {
    const { name, kind } = resource;
    let informer = this.#informers.get(name);
    if (!informer) {
      const { informers } = this.#options;
      // The same informers as the garbage collector's, so that they are shared.
      informer = kind.isMetadataOnly ? metadataInformer(informers, kind) : informers.of(kind);
      informer.addHandler({
        updated: (object, old) => this.#options.onLess(resource, object, old),
        deleted: (object) => this.#options.onLess(resource, object),
      });
      this.#informers.set(name, informer);
    }
    return informer;
  }

  /** The informer of a resource, if it is watched. */
  known(name: string): Informer<KubernetesObject> | undefined {
    return this.#informers.get(name);
  }

  close(): void {
    for (const name of [...this.#informers.keys()]) this.#forget(name);
  }

  #forget(name: string): void {
    this.#informers.get(name)?.close();
    this.#informers.delete(name);
  }
}

/** The namespaced resources that can be created, listed and deleted. */
const quotable = (apis: ServerApis): readonly ApiResource[] =>
  preferredResources(apis).filter(
    ({ scope, verbs }) =>
      scope === "Namespaced" &&
      ["create", "list", "watch", "delete"].every((verb) => verbs.includes(verb)),
  );

const nameOf = ({ group, plural }: { group: string; plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`;

/** Objects that are only counted are watched as metadata. */
function kindOf(resource: ApiResource): ResourceKind<KubernetesObject> {
  const kind = dynamicKind(resource);
  return measured.has(nameOf(resource)) ? kind : metadataOnly(kind);
}

const measured: ReadonlySet<string> = new Set([
  "persistentvolumeclaims",
  "pods",
  "resourceclaims.resource.k8s.io",
  "services",
]);
