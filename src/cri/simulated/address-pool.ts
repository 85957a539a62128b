import { RuntimeError } from "../runtime-service.ts";

/** The addresses of a node's pods: a range of 256 without the first two and the last. */
export class AddressPool {
  /** `10.244.3` of `10.244.3.0/24`. */
  readonly #network: string;
  readonly #taken = new Set<number>();

  constructor(cidr: string) {
    const [, network] = /^(\d+\.\d+\.\d+)\.0\/24$/.exec(cidr) ?? [];
    if (network === undefined) throw new RangeError(`no range of 256 addresses: ${cidr}`);
    this.#network = network;
  }

  /** Allocates the lowest free address. */
  take(): string {
    for (let last = first; last <= most; last++)
      if (!this.#taken.has(last)) {
        this.#taken.add(last);
        return `${this.#network}.${last}`;
      }
    throw new RuntimeError(
      "Unknown",
      `failed to allocate for range 0: no IP addresses available in range set: ${this.#network}.1-${this.#network}.254`,
    );
  }

  /** Marks an address as allocated. */
  reserve(address: string): void {
    const last = this.#lastOf(address);
    if (last !== undefined) this.#taken.add(last);
  }

  release(address: string): void {
    const last = this.#lastOf(address);
    if (last !== undefined) this.#taken.delete(last);
  }

  #lastOf(address: string): number | undefined {
    const at = address.lastIndexOf(".");
    return address.slice(0, at) === this.#network ? Number(address.slice(at + 1)) : undefined;
  }
}

const first = 2;
const most = 254;
