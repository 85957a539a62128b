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

/** A resource whose objects use something of quotas. */
export interface CountedResource {
  readonly name: string;
  readonly evaluator: AnyEvaluator;
  readonly kind: ResourceKind<KubernetesObject>;
  /** Not any more where nobody serves it: then there are no objects of it. */
  readonly isServed: boolean;
}

export interface CountedResourcesOptions {
  readonly informers: Informers;
  readonly evaluatorOf: EvaluatorOf;
  /** Is told of what may leave more of a quota: an object that has changed, or is gone. */
  onLess(resource: CountedResource, object: KubernetesObject, old?: KubernetesObject): void;
}

/** What there is to count. Objects are followed from when somebody first asks for them. */
export class CountedResources {
  readonly #options: CountedResourcesOptions;
  readonly #resources = new Map<string, CountedResource>();
  readonly #informers = new Map<string, Informer<KubernetesObject>>();

  constructor(options: CountedResourcesOptions) {
    this.#options = options;
  }

  /** Takes in what is served; the names of what is new or gone. What nobody answers for just now stays. */
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

  /** Those whose objects use any of what has such a name. */
  tracking(names: readonly string[]): readonly CountedResource[] {
    return [...this.#resources.values()].filter(({ evaluator }) =>
      names.some((name) => evaluator.tracks(name)),
    );
  }

  /** The objects of a resource, which are followed from now on. */
  follow(resource: CountedResource): Informer<KubernetesObject> {
    const { name, kind } = resource;
    let informer = this.#informers.get(name);
    if (!informer) {
      const { informers } = this.#options;
      // As the garbage collector has them, so that there is one of each.
      informer = kind.isMetadataOnly ? metadataInformer(informers, kind) : informers.of(kind);
      informer.addHandler({
        updated: (object, old) => this.#options.onLess(resource, object, old),
        deleted: (object) => this.#options.onLess(resource, object),
      });
      this.#informers.set(name, informer);
    }
    return informer;
  }

  /** What is known of a resource that is followed. */
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

/** What of a namespace can be made, found and deleted. */
const quotable = (apis: ServerApis): readonly ApiResource[] =>
  preferredResources(apis).filter(
    ({ scope, verbs }) =>
      scope === "Namespaced" &&
      ["create", "list", "watch", "delete"].every((verb) => verbs.includes(verb)),
  );

const nameOf = ({ group, plural }: { group: string; plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`;

/** What is merely counted is known by its metadata. */
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
