import type { BindingLike } from "../../api/rbac/v1/reconciled.ts";
import type { Subject } from "../../api/rbac/v1/subject.ts";
import type { User } from "../identity.ts";

/** A binding, and which of its subjects a user is: the first one. */
export interface Membership {
  readonly binding: BindingLike;
  readonly subject: Subject;
}

/** A subject of a binding in the list of all bindings of that subject. */
interface Entry extends Membership {
  readonly name: string;
  readonly position: number;
}

/**
 * The bindings of one namespace, or of the cluster, by subject. With the bindings `a` of the user jane
 * and `b` of jane and the group devs, `#users` has jane: [a, b], and `#groups` has devs: [b]. Lists
 * are in the order of the bindings' names.
 */
export class BindingIndex {
  readonly #users = new Map<string, Entry[]>();
  readonly #groups = new Map<string, Entry[]>();
  readonly #namespace: string;

  /** `namespace` is that of service accounts that name none; empty outside of namespaces. */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  add(binding: BindingLike): void {
    const name = binding.metadata.name ?? "";
    this.#each(binding, (lists, key, position) => {
      const list = lists.get(key) ?? [];
      const place = placeOf(list, name);
      // The first subject of several that are the same counts.
      if (list[place]?.name === name) return;
      const subject = (binding.subjects ?? [])[position] as Subject;
      list.splice(place, 0, { name, position, binding, subject });
      lists.set(key, list);
    });
  }

  remove(binding: BindingLike): void {
    const name = binding.metadata.name ?? "";
    this.#each(binding, (lists, key) => {
      const list = lists.get(key) ?? [];
      const place = placeOf(list, name);
      if (list[place]?.name === name) list.splice(place, 1);
      if (list.length === 0) lists.delete(key);
    });
  }

  /** Calls with each binding of a user, in order, until the answer is true; answers whether it was. */
  visit(user: User, visitor: (membership: Membership) => boolean): boolean {
    const lists: Entry[][] = [];
    const own = this.#users.get(user.name);
    if (own) lists.push(own);
    for (const group of user.groups) {
      const list = this.#groups.get(group);
      if (list) lists.push(list);
    }
    if (lists.length <= 1) return (lists[0] ?? []).some(visitor);
    return visitMerged(lists, visitor);
  }

  #each(
    { subjects = [] }: BindingLike,
    use: (lists: Map<string, Entry[]>, key: string, position: number) => void,
  ): void {
    for (const [position, subject] of (subjects ?? []).entries()) {
      const { kind, name } = subject;
      const namespace = subject.namespace || this.#namespace;
      if (kind === "User") use(this.#users, name, position);
      else if (kind === "Group") use(this.#groups, name, position);
      else if (kind === "ServiceAccount" && namespace !== "")
        use(this.#users, `system:serviceaccount:${namespace}:${name}`, position);
    }
  }
}

/** Where the entry of a name is in a list, or would be. */
function placeOf(list: readonly Entry[], name: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as Entry).name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Goes through several lists in order at once; a binding that is in several is met once. */
function visitMerged(
  lists: readonly (readonly Entry[])[],
  visitor: (membership: Membership) => boolean,
): boolean {
  const cursors = lists.map((list) => ({ list, place: 0 }));
  for (;;) {
    let first: Entry | undefined;
    for (const { list, place } of cursors) {
      const entry = list[place];
      if (entry && (!first || comesBefore(entry, first))) first = entry;
    }
    if (!first) return false;
    if (visitor(first)) return true;
    for (const cursor of cursors)
      if (cursor.list[cursor.place]?.name === first.name) cursor.place++;
  }
}

const comesBefore = (a: Entry, b: Entry): boolean =>
  a.name < b.name || (a.name === b.name && a.position < b.position);
