import type { BindingLike } from "../../api/rbac/v1/reconciled.ts";
import type { Subject } from "../../api/rbac/v1/subject.ts";
import type { User } from "../request/identity.ts";

/** A binding and the key of its role in the cache, which is computed once rather than for each request. */
export interface Grant {
  readonly binding: BindingLike;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleKey: string;
}

/**
 * The bindings of one namespace, or of the cluster, by subject. With the bindings `a` of the user jane
 * and `b` of jane and the group devs, `#users` has jane: [a, b], and `#groups` has devs: [b]. Lists
 * are in the order of the bindings' names.
 */
export class BindingIndex {
  readonly #users = new Map<string, Grant[]>();
  readonly #groups = new Map<string, Grant[]>();

  add(grant: Grant): void {
    const name = nameOf(grant);
    this.#eachSubject(grant, (lists, key) => {
      const list = lists.get(key) ?? [];
      const place = placeOf(list, name);
      // A binding may name a subject twice.
      if (list[place]?.binding === grant.binding) return;
      list.splice(place, 0, grant);
      lists.set(key, list);
    });
  }

  remove(grant: Grant): void {
    const name = nameOf(grant);
    this.#eachSubject(grant, (lists, key) => {
      const list = lists.get(key) ?? [];
      const place = placeOf(list, name);
      if (list[place] && nameOf(list[place]) === name) list.splice(place, 1);
      if (list.length === 0) lists.delete(key);
    });
  }

  /**
   * Visits the bindings of a user, then those of each group, until the visitor returns true; returns whether
   * it did. A binding to several of these subjects is visited more than once.
   */
  visit(user: User, visitor: (grant: Grant) => boolean): boolean {
    const own = this.#users.get(user.name);
    if (own?.some(visitor)) return true;
    for (const group of user.groups) if (this.#groups.get(group)?.some(visitor)) return true;
    return false;
  }

  #eachSubject(
    { binding, namespace }: Grant,
    use: (lists: Map<string, Grant[]>, key: string) => void,
  ): void {
    for (const subject of binding.subjects ?? []) {
      if (subject.kind === "Group") use(this.#groups, subject.name);
      else {
        const user = userNamed(subject, namespace);
        if (user !== undefined) use(this.#users, user);
      }
    }
  }
}

/** The first subject of a binding that matches a user. */
export const subjectOf = ({ binding, namespace }: Grant, user: User): Subject | undefined =>
  (binding.subjects ?? []).find((subject) =>
    subject.kind === "Group"
      ? user.groups.includes(subject.name)
      : userNamed(subject, namespace) === user.name,
  );

/** A service account without a namespace is in that of the binding. */
function userNamed({ kind, name, namespace }: Subject, here: string): string | undefined {
  if (kind === "User") return name;
  const place = namespace || here;
  if (kind !== "ServiceAccount" || place === "") return undefined;
  return `system:serviceaccount:${place}:${name}`;
}

const nameOf = ({ binding }: Grant): string => binding.metadata.name ?? "";

/** The index of a binding in a list sorted by name, or the index to insert it at. */
function placeOf(list: readonly Grant[], name: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nameOf(list[middle] as Grant) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
