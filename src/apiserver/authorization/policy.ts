import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import type { BindingLike, RoleLike } from "../../api/rbac/v1/reconciled.ts";
import { type RoleRef, rbacGroup } from "../../api/rbac/v1/role-ref.ts";
import type { ResourceCache, WatchCache } from "../cache.ts";
import type { User } from "../identity.ts";
import type { Resources } from "../resources.ts";
import type { Stored } from "../stored.ts";
import { BindingIndex, type Membership } from "./binding-index.ts";

/** A role that somebody has. */
export interface Grant extends Membership {
  /** Empty for a binding of the cluster. */
  readonly namespace: string;
  /** Undefined where the role does not exist. */
  readonly rules: readonly PolicyRule[] | undefined;
}

/** Who has which roles, from the watch cache. */
export interface Policy {
  /** Calls with each role of a user, those of the cluster first, until the answer is true. */
  visit(user: User, namespace: string, visitor: (grant: Grant) => boolean): void;
  /** The rules of a role that is bound in a namespace, or in the cluster; undefined if there is none. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  close(): void;
}

/** Reads the policy of a cluster; bindings are indexed when they are asked for the first time. */
export function clusterPolicy(cache: WatchCache, resources: Resources): Policy {
  const of = (plural: string): ResourceCache | undefined => {
    const kind = resources.find(rbacGroup, "v1", plural);
    return kind && cache.of(kind);
  };
  const roles = of("roles");
  const clusterRoles = of("clusterroles");
  let indices: Indices | undefined;

  const rulesOf = ({ kind, name }: RoleRef, namespace: string) => {
    const stored =
      kind === "ClusterRole"
        ? clusterRoles?.get(`${clusterRoles.prefix}${name}`)
        : kind === "Role"
          ? roles?.get(`${roles.prefix}${namespace}/${name}`)
          : undefined;
    return stored && ((stored.object as unknown as RoleLike).rules ?? []);
  };

  return {
    rulesOf,
    visit(user, namespace, visitor) {
      indices ??= followBindings(of("clusterrolebindings"), of("rolebindings"));
      const visitIn = (place: string) => (membership: Membership) =>
        visitor({
          ...membership,
          namespace: place,
          rules: rulesOf(membership.binding.roleRef, place),
        });
      if (indices.cluster.visit(user, visitIn("")) || namespace === "") return;
      indices.namespaces.get(namespace)?.visit(user, visitIn(namespace));
    },
    close: () => indices?.close(),
  };
}

interface Indices {
  readonly cluster: BindingIndex;
  readonly namespaces: ReadonlyMap<string, BindingIndex>;
  close(): void;
}

function followBindings(
  clusterBindings: ResourceCache | undefined,
  bindings: ResourceCache | undefined,
): Indices {
  const cluster = new BindingIndex("");
  const namespaces = new Map<string, BindingIndex>();
  const within = (namespace: string): BindingIndex => {
    let index = namespaces.get(namespace);
    if (!index) {
      index = new BindingIndex(namespace);
      namespaces.set(namespace, index);
    }
    return index;
  };
  const stops = [
    follow(clusterBindings, () => cluster),
    follow(bindings, ({ metadata }) => within(metadata.namespace ?? "")),
  ];
  return {
    cluster,
    namespaces,
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** Keeps indices as a cache has it, from now on; the result ends it. */
function follow(
  cache: ResourceCache | undefined,
  indexOf: (binding: BindingLike) => BindingIndex,
): () => void {
  if (!cache) return () => {};
  const bindingIn = (stored: Stored) => stored.object as unknown as BindingLike;
  for (const stored of cache.list(cache.prefix)) {
    const binding = bindingIn(stored);
    indexOf(binding).add(binding);
  }
  let next = cache.endOfEvents;
  const watcher = {
    changed() {
      for (; next < cache.endOfEvents; next++) {
        const { type, object, previous } = cache.eventAt(next) ?? {};
        if (previous) indexOf(bindingIn(previous)).remove(bindingIn(previous));
        if (object && type !== "DELETED") indexOf(bindingIn(object)).add(bindingIn(object));
      }
    },
    end() {},
  };
  cache.watchers.add(watcher);
  return () => cache.watchers.delete(watcher);
}
