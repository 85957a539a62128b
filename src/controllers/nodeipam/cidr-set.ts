import { type Cidr, contains, type Ip, masked } from "../../schema/values/ip.ts";

/** Counts what happens to the ranges of a set. */
export interface CidrSetMetrics {
  allocated(count: number): void;
  released(count: number): void;
  /** How many ranges were looked at until one was free. */
  tried(count: number): void;
  /** The part of all ranges that is in use, from 0 to 1. */
  usage(part: number): void;
}

/**
 * The ranges of one size that a network is divided into, and which of them are in use: 10.244.0.0/16 has 256
 * ranges with a mask of 24 bits. A range that was released is used again after all others.
 */
export class CidrSet {
  readonly network: Cidr;
  readonly size: number;
  readonly #prefix: number;
  readonly #metrics: CidrSetMetrics | undefined;
  readonly #used = new Set<number>();
  #next = 0;

  constructor(network: Cidr, prefix: number, metrics?: CidrSetMetrics) {
    this.network = masked(network);
    this.size = 2 ** (prefix - network.prefix);
    this.#prefix = prefix;
    this.#metrics = metrics;
  }

  /** A free range, which is in use from now on; undefined if there is none. */
  allocateNext(): Cidr | undefined {
    if (this.#used.size === this.size) return undefined;
    let tries = 0;
    while (this.#used.has(this.#next)) {
      this.#next = (this.#next + 1) % this.size;
      tries++;
    }
    const index = this.#next;
    this.#next = (index + 1) % this.size;
    this.#used.add(index);
    this.#metrics?.allocated(1);
    this.#metrics?.tried(tries);
    this.#report();
    return this.#at(index);
  }

  /** Marks all ranges as used that a network overlaps; false if it is outside. */
  occupy(cidr: Cidr): boolean {
    const found = this.#indexes(cidr);
    const free = found?.filter((index) => !this.#used.has(index)) ?? [];
    for (const index of free) this.#used.add(index);
    this.#metrics?.allocated(free.length);
    this.#report();
    return found !== undefined;
  }

  /** Marks all ranges as free that a network overlaps; false if it is outside. */
  release(cidr: Cidr): boolean {
    const found = this.#indexes(cidr);
    const freed = found?.filter((index) => this.#used.delete(index)) ?? [];
    this.#metrics?.released(freed.length);
    this.#report();
    return found !== undefined;
  }

  #report(): void {
    this.#metrics?.usage(this.#used.size / this.size);
  }

  #at(index: number): Cidr {
    const { version, bits } = this.network.ip;
    const ip: Ip = { version, bits: bits + (BigInt(index) << this.#hostBits) };
    return { ip, prefix: this.#prefix };
  }

  #indexes(given: Cidr): readonly number[] | undefined {
    const cidr = masked(given);
    const isLarger = cidr.prefix <= this.network.prefix;
    if (!contains(isLarger ? cidr : this.network, isLarger ? this.network.ip : cidr.ip))
      return undefined;
    if (isLarger) return Array.from({ length: this.size }, (_, i) => i);
    const first = Number((cidr.ip.bits - this.network.ip.bits) >> this.#hostBits);
    const length = Math.max(1, 2 ** (this.#prefix - cidr.prefix));
    return Array.from({ length }, (_, i) => first + i);
  }

  get #hostBits(): bigint {
    return BigInt((this.network.ip.version === 4 ? 32 : 128) - this.#prefix);
  }
}
