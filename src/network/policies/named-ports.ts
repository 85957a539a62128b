import type { Family } from "./family.ts";
import { entryOf, type Key, type KnownObjects } from "./known-objects.ts";
import type { PolicyPod, Protocol } from "./policy-pod.ts";
import { addressType } from "./policy-table.ts";
import type { ObjectName, TableContents } from "./table-contents.ts";

export interface NamedPortsOptions {
  readonly family: Family;
  readonly known: KnownObjects;
  readonly contents: TableContents;
  readonly addressesOf: (key: Key) => readonly string[];
}

export interface PortName {
  readonly name: string;
  readonly protocol: Protocol;
}

/** The sets with the addresses of pods and the numbers of their ports that rules name. */
export class NamedPorts {
  readonly #options: NamedPortsOptions;
  readonly #sets = new Map<string, { readonly set: string; users: number }>();
  #lastId = 0;

  constructor(options: NamedPortsOptions) {
    this.#options = options;
  }

  /** Returns the set of a name, for one more user. */
  acquire(port: PortName): string {
    const found = entryOf(this.#sets, textOf(port), () => this.#add(port));
    found.users++;
    return found.set;
  }

  release(port: PortName): void {
    const found = this.#sets.get(textOf(port));
    if (!found || --found.users > 0) return;
    this.#sets.delete(textOf(port));
    this.#options.contents.setSet(this.#name(found.set), undefined);
  }

  add(pod: PolicyPod, addresses: readonly string[]): void {
    this.#write(pod, addresses, "");
  }

  /** Removes the ports of a pod as it was when they were added. */
  remove(pod: PolicyPod, addresses: readonly string[]): void {
    this.#write(pod, addresses, undefined);
  }

  #add(port: PortName): { readonly set: string; users: number } {
    const { family, known, contents, addressesOf } = this.#options;
    const set = `ports-${++this.#lastId}`;
    contents.setSet(this.#name(set), `type ${addressType(family)} . inet_service;`);
    for (const [key, { ports }] of known.pods)
      for (const { name, protocol, number } of ports)
        if (name === port.name && protocol === port.protocol)
          for (const address of addressesOf(key))
            contents.setElement(this.#name(set), `${address} . ${number}`, "");
    return { set, users: 0 };
  }

  #write({ ports }: PolicyPod, addresses: readonly string[], value: "" | undefined): void {
    for (const port of ports) {
      const found = this.#sets.get(textOf(port));
      if (!found) continue;
      for (const address of addresses)
        this.#options.contents.setElement(
          this.#name(found.set),
          `${address} . ${port.number}`,
          value,
        );
    }
  }

  #name(set: string): ObjectName {
    return `${this.#options.family} ${set}`;
  }
}

const textOf = ({ name, protocol }: PortName): string => `${protocol} ${name}`;
