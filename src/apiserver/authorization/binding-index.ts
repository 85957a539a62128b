import type { BindingLike } from "../../api/rbac/v1/reconciled.ts";
import type { Subject } from "../../api/rbac/v1/subject.ts";
import type { User } from "../request/identity.ts";

/** A binding, and the place of its role in the cache: worked out once, and not for each request. */
export interface Grant {
  readonly binding: BindingLike;
  /** Empty for a binding of the cluster. */
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
      // A binding may name somebody twice.
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
   * Calls with the bindings of a user, then with those of each group, until the answer is true; answers
   * whether it was. A binding is met more than once if it is to several of them.
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

/** The first of the subjects of a binding that a user is. */
export const subjectOf = ({ binding, namespace }: Grant, user: User): Subject | undefined =>
  (binding.subjects ?? []).find((subject) =>
    subject.kind === "Group"
      ? user.groups.includes(subject.name)
      : userNamed(subject, namespace) === user.name,
  );

/** Service accounts that name no namespace are of that of the binding. */
function userNamed({ kind, name, namespace }: Subject, here: string): string | undefined {
  if (kind === "User") return name;
  const place = namespace || here;
  if (kind !== "ServiceAccount" || place === "") return undefined;
  return `system:serviceaccount:${place}:${name}`;
}

const nameOf = ({ binding }: Grant): string => binding.metadata.name ?? "";

/** Where the binding of a name is in a list, or would be. */
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
