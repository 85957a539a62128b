import type { BindingSubject } from "../../../api/admissionregistration/v1/binding.ts";
import type { MatchResources } from "../../../api/admissionregistration/v1/match-resources.ts";
import type { ParamKind } from "../../../api/admissionregistration/v1/param.ts";
import type { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import type { KindOf, ObjectReader } from "../../objects/reader.ts";
import type { Resources } from "../../objects/resources.ts";
import { type RequestMatcher, requestMatcher } from "../matching/request-matcher.ts";

/** A policy, of either kind. */
export interface PolicyObject {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly paramKind?: ParamKind | undefined;
    readonly matchConstraints?: MatchResources | undefined;
    readonly failurePolicy?: string | undefined;
  };
}

/** A binding of a policy, of either kind. */
export interface BindingObject {
  readonly metadata: ObjectMeta;
  readonly spec: BindingSubject;
}

/** What one version of a policy was compiled to. */
interface Compiled<E> {
  readonly matches: RequestMatcher;
  readonly evaluator: E;
}

/** A policy that is in force, because it has bindings. */
export interface BoundPolicy<P, B, E> extends Compiled<E> {
  readonly policy: P;
  readonly bindings: readonly Bound<B>[];
}

export interface Bound<B> {
  readonly binding: B;
  readonly matches: RequestMatcher;
}

export interface PolicySourceOptions<P, B, E> {
  readonly reader: ObjectReader;
  readonly resources: Pick<Resources, "kinds">;
  readonly policies: KindOf<P>;
  readonly bindings: KindOf<B>;
  readonly compile: (policy: P) => E;
}

/** The policies in force, as the watch cache has them at each request. Each version of one is compiled once. */
export class PolicySource<P extends PolicyObject, B extends BindingObject, E> {
  readonly #options: PolicySourceOptions<P, B, E>;
  #inForce: readonly BoundPolicy<P, B, E>[] = [];
  /** The numbers of changes of policies and bindings that `#inForce` reflects. */
  #reflected: readonly [number, number] | undefined;
  #policies = new Map<string, Compiled<E>>();
  #bindings = new Map<string, RequestMatcher>();

  constructor(options: PolicySourceOptions<P, B, E>) {
    this.#options = options;
  }

  /** In the order of their names, as are the bindings of each. */
  inForce(): readonly BoundPolicy<P, B, E>[] {
    const { reader, policies, bindings } = this.#options;
    const changes = reader.cacheOf(policies)?.endOfEvents ?? 0;
    const changesOfBindings = reader.cacheOf(bindings)?.endOfEvents ?? 0;
    const [known, knownOfBindings] = this.#reflected ?? [];
    if (known !== changes || knownOfBindings !== changesOfBindings) {
      this.#inForce = this.#read();
      this.#reflected = [changes, changesOfBindings];
    }
    return this.#inForce;
  }

  #read(): readonly BoundPolicy<P, B, E>[] {
    const { reader, policies, bindings } = this.#options;
    if (!reader.serves(policies) || !reader.serves(bindings)) return [];
    const byPolicy = new Map<string, Bound<B>[]>();
    const matchers = new Map<string, RequestMatcher>();
    for (const binding of reader.listReadable(bindings)) {
      const version = versionOf(binding);
      const matches = this.#bindings.get(version) ?? this.#matcher(binding.spec.matchResources);
      matchers.set(version, matches);
      const { policyName = "" } = binding.spec;
      byPolicy.set(policyName, [...(byPolicy.get(policyName) ?? []), { binding, matches }]);
    }
    this.#bindings = matchers;
    const compiled = new Map<string, Compiled<E>>();
    const inForce = reader.listReadable(policies).flatMap((policy) => {
      const bound = byPolicy.get(policy.metadata.name ?? "");
      if (!bound) return [];
      const version = versionOf(policy);
      const parts = this.#policies.get(version) ?? this.#compile(policy);
      compiled.set(version, parts);
      return [{ policy, bindings: bound, ...parts }];
    });
    this.#policies = compiled;
    return inForce;
  }

  #compile(policy: P): Compiled<E> {
    const matches = this.#matcher(policy.spec.matchConstraints);
    return { matches, evaluator: this.#options.compile(policy) };
  }

  #matcher(meant: MatchResources | undefined): RequestMatcher {
    const { resourceRules: rules = [], excludeResourceRules: excluded } = meant ?? {};
    try {
      return requestMatcher(this.#options, {
        ...(meant ?? everything),
        // Without rules, all resources are meant.
        rules: rules.length > 0 ? rules : undefined,
        excluded,
      });
    } catch (error) {
      // A selector that is invalid concerns only the requests that the policy looks at.
      return async () => {
        throw error;
      };
    }
  }
}

/** A selector that is not given selects nothing. */
const everything = { namespaceSelector: {}, objectSelector: {} };

/** What changes with the spec of an object. */
const versionOf = ({ metadata: { uid, generation } }: PolicyObject | BindingObject): string =>
  `${uid} ${generation}`;
