import { type Allowed, classLines } from "./class-lines.ts";
import type { CompiledPolicy, Direction, Peer, Ports } from "./compiled-policy.ts";
import type { Family } from "./family.ts";
import type { NamedPorts } from "./named-ports.ts";
import type { PeerGroups } from "./peer-groups.ts";
import { type Way, ways } from "./policy-table.ts";
import type { TableContents } from "./table-contents.ts";

export interface IsolationClassesOptions {
  readonly family: Family;
  readonly contents: TableContents;
  readonly groups: PeerGroups;
  readonly ports: NamedPorts;
}

/** What is allowed in a direction to the pods that the same policies select. Its chains never change. */
export interface IsolationClass {
  readonly key: string;
  readonly direction: Direction;
  readonly policies: readonly CompiledPolicy[];
  readonly id: number;
  users: number;
}

/** The chain of a class. */
export const classChain = ({ direction, id }: IsolationClass, way: Way): string =>
  `${direction}-${way}-${id}`;

/** The classes of a node's pods. */
export class IsolationClasses {
  readonly #options: IsolationClassesOptions;
  readonly #classes = new Map<string, IsolationClass>();
  /** Policies get another number when they change, as they are then compiled anew. */
  readonly #numbers = new WeakMap<CompiledPolicy, number>();
  #lastNumber = 0;
  #lastId = 0;

  constructor(options: IsolationClassesOptions) {
    this.#options = options;
  }

  /** Returns the class of the policies, for one more user. */
  acquire(direction: Direction, policies: readonly CompiledPolicy[]): IsolationClass {
    const numbers = policies.map((policy) => this.#numberOf(policy)).toSorted((a, b) => a - b);
    const key = `${direction} ${numbers.join()}`;
    let found = this.#classes.get(key);
    if (!found) {
      found = { key, direction, policies, id: ++this.#lastId, users: 0 };
      this.#classes.set(key, found);
      this.#write(found);
    }
    found.users++;
    return found;
  }

  release(released: IsolationClass): void {
    if (--released.users > 0) return;
    const { family, contents, groups, ports } = this.#options;
    this.#classes.delete(released.key);
    for (const way of ways) contents.setChain(`${family} ${classChain(released, way)}`, undefined);
    for (const [peer, port] of this.#pairsOf(released)) {
      if (peer && "pods" in peer) groups.release(peer.pods);
      if (port && "name" in port) ports.release(port);
    }
  }

  #numberOf(policy: CompiledPolicy): number {
    let number = this.#numbers.get(policy);
    if (number === undefined) {
      number = ++this.#lastNumber;
      this.#numbers.set(policy, number);
    }
    return number;
  }

  #write(added: IsolationClass): void {
    const { family, contents } = this.#options;
    const allowed = this.#pairsOf(added).map((pair) => this.#allowed(pair));
    for (const way of ways)
      contents.setChain(
        `${family} ${classChain(added, way)}`,
        classLines(family, { direction: added.direction, way, allowed }),
      );
  }

  #allowed([peer, port]: Pair): Allowed {
    const { groups, ports } = this.#options;
    return {
      ...(peer && {
        peers: "pods" in peer ? { set: groups.acquire(peer.pods) } : { blocks: peer.blocks },
      }),
      ...(port && {
        ports:
          "name" in port
            ? { protocol: port.protocol, set: ports.acquire(port) }
            : { protocol: port.protocol, numbers: port.numbers },
      }),
    };
  }

  /** The combinations of peers and ports that the policies of a class allow in this family. */
  #pairsOf({ policies, direction }: IsolationClass): readonly Pair[] {
    return policies.flatMap(({ rules }) =>
      (rules[direction] ?? []).flatMap(({ peers, ports }) =>
        (peers ?? [undefined])
          .filter((peer) => !peer || "pods" in peer || peer.family === this.#options.family)
          .flatMap((peer) => portChoices(ports).map((port): Pair => [peer, port])),
      ),
    );
  }
}

type Pair = readonly [Peer | undefined, PortChoice | undefined];

type PortChoice = ReturnType<typeof portChoices>[number];

function portChoices(ports: Ports | undefined) {
  if (!ports) return [undefined];
  return [
    ...[...ports.numbers].map(([protocol, numbers]) => ({ protocol, numbers })),
    ...ports.names,
  ];
}
