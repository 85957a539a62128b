import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import type { BindingLike, RoleLike } from "../../api/rbac/v1/reconciled.ts";
import { type RoleRef, rbacGroup } from "../../api/rbac/v1/role-ref.ts";
import type { Resources } from "../objects/resources.ts";
import type { Stored } from "../objects/stored.ts";
import type { User } from "../request/identity.ts";
import { followCache } from "../watch/follow-cache.ts";
import type { ResourceCache, WatchCache } from "../watch/watch-cache.ts";
import { BindingIndex, type Grant } from "./binding-index.ts";
import { type NodeRelations, nodeRelations } from "./node-relations.ts";

/** Visits a role of a user; its rules are undefined where it does not exist. True ends the visit. */
export type Visitor = (grant: Grant, rules: readonly PolicyRule[] | undefined) => boolean;

/** The roles of users, from the watch cache. */
export interface Policy {
  /** Visits the roles of a user, those of the cluster first, until the visitor returns true. */
  visit(user: User, namespace: string, visitor: Visitor): void;
  /** The rules of a role that is bound in a namespace, or in the cluster; undefined if there is none. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  /** The objects that nodes may read. */
  readonly nodes: NodeRelations;
  close(): void;
}

/** Reads the policy of a cluster; bindings are indexed on first use. */
export function clusterPolicy(cache: WatchCache, resources: Resources): Policy {
  const of = (plural: string): ResourceCache | undefined => {
    const kind = resources.find(rbacGroup, "v1", plural);
    return kind && cache.of(kind);
  };
  const roles = of("roles");
  const clusterRoles = of("clusterroles");
  const nodes = nodeRelations(cache, resources);
  let indices: Indices | undefined;

  /** The key of a role in the cache. */
  const keyOf = ({ kind, name }: RoleRef, namespace: string): string => {
    if (kind === "ClusterRole") return `${clusterRoles?.prefix}${name}`;
    return kind === "Role" ? `${roles?.prefix}${namespace}/${name}` : "";
  };
  const rulesAt = (kind: string, key: string): readonly PolicyRule[] | undefined => {
    const stored = (kind === "ClusterRole" ? clusterRoles : roles)?.get(key);
    return stored && ((stored.object as unknown as RoleLike).rules ?? []);
  };
  const grantBy = (binding: BindingLike): Grant => {
    const namespace = binding.metadata.namespace ?? "";
    return { binding, namespace, roleKey: keyOf(binding.roleRef, namespace) };
  };

  return {
    rulesOf: (ref, namespace) => rulesAt(ref.kind, keyOf(ref, namespace)),
    visit(user, namespace, visitor) {
      indices ??= followBindings(grantBy, of("clusterrolebindings"), of("rolebindings"));
      const see = (grant: Grant) =>
        visitor(grant, rulesAt(grant.binding.roleRef.kind, grant.roleKey));
      if (indices.cluster.visit(user, see) || namespace === "") return;
      indices.namespaces.get(namespace)?.visit(user, see);
    },
    nodes,
    close() {
      indices?.close();
      nodes.close();
    },
  };
}

interface Indices {
  readonly cluster: BindingIndex;
  readonly namespaces: ReadonlyMap<string, BindingIndex>;
  close(): void;
}

type GrantBy = (binding: BindingLike) => Grant;

function followBindings(
  grantBy: GrantBy,
  clusterBindings: ResourceCache | undefined,
  bindings: ResourceCache | undefined,
): Indices {
  const cluster = new BindingIndex();
  const namespaces = new Map<string, BindingIndex>();
  const within = (namespace: string): BindingIndex => {
    let index = namespaces.get(namespace);
    if (!index) {
      index = new BindingIndex();
      namespaces.set(namespace, index);
    }
    return index;
  };
  const stops = [
    follow(clusterBindings, grantBy, () => cluster),
    follow(bindings, grantBy, ({ namespace }) => within(namespace)),
  ];
  return {
    cluster,
    namespaces,
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** Keeps indices up to date with a cache; the returned function stops it. */
function follow(
  cache: ResourceCache | undefined,
  grantBy: GrantBy,
  indexOf: (grant: Grant) => BindingIndex,
): () => void {
  const grantIn = ({ object }: Stored) => grantBy(object as unknown as BindingLike);
  return followCache(cache, {
    add(stored) {
      const grant = grantIn(stored);
      indexOf(grant).add(grant);
    },
    remove(stored) {
      const grant = grantIn(stored);
      indexOf(grant).remove(grant);
    },
  });
}
