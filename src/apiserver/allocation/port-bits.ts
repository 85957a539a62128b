import type { Random } from "../../base/random.ts";

/** Ports from the first to the last, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** As upstream writes it. */
export const formatPortRange = ({ first, last }: PortRange): string => `${first}-${last}`;

/** Parses a stored range; undefined if it is invalid. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  return first === undefined ? undefined : { first: Number(first), last: Number(last) };
}

/**
 * The allocated ports of a range, one bit each: that of the first port is the lowest bit of byte 0.
 * The store has the same number with its highest byte first and without leading zeros: of 30000 to
 * 32767, with 30000 and 30009 taken, the bytes here are 01 02 00 …, and those in the store 02 01.
 */
export class PortBits {
  readonly range: PortRange;
  readonly #bytes: Uint8Array;

  constructor(range: PortRange, stored: Uint8Array = new Uint8Array()) {
    this.range = range;
    this.#bytes = new Uint8Array(Math.ceil((range.last - range.first + 1) / 8));
    const { length } = this.#bytes;
    for (let i = 0; i < length && i < stored.length; i++)
      this.#bytes[i] = stored[stored.length - 1 - i] ?? 0;
  }

  /** The bytes as they are stored. */
  get stored(): Uint8Array {
    const bytes = this.#bytes;
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end--;
    return bytes.slice(0, end).reverse();
  }

  has(port: number): boolean {
    const { index, bit } = this.#place(port);
    return ((this.#bytes[index] ?? 0) & bit) !== 0;
  }

  /** Allocates or releases a port; ports outside the range are ignored. */
  set(port: number, taken: boolean): void {
    if (!this.includes(port)) return;
    const { index, bit } = this.#place(port);
    const byte = this.#bytes[index] ?? 0;
    this.#bytes[index] = taken ? byte | bit : byte & ~bit;
  }

  includes(port: number): boolean {
    return port >= this.range.first && port <= this.range.last;
  }

  /** The allocated ports, in order. */
  *ports(): Generator<number> {
    for (let port = this.range.first; port <= this.range.last; port++)
      if (this.has(port)) yield port;
  }

  copy(): PortBits {
    return new PortBits(this.range, this.stored);
  }

  /** A free port: any of the upper band, and of the lower when that is full. */
  free(random: Random, isBusy: (port: number) => boolean): number | undefined {
    const { first, last } = this.range;
    const upper = first + lowerBand(last - first + 1);
    for (const [low, high] of [
      [upper, last],
      [first, upper - 1],
    ] as const) {
      const count = high - low + 1;
      const start = count > 0 ? Math.floor(random.next() * count) : 0;
      for (let i = 0; i < count; i++) {
        const port = low + ((start + i) % count);
        if (!this.has(port) && !isBusy(port)) return port;
      }
    }
    return undefined;
  }

  #place(port: number): { index: number; bit: number } {
    const offset = port - this.range.first;
    return { index: offset >> 3, bit: 1 << (offset & 7) };
  }
}

/** How many ports are left to clients that choose one themselves, as long as others are free. */
const lowerBand = (size: number): number =>
  size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128);
