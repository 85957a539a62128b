import type { ByteStream } from "./network.ts";

/** The two ends of a connection within the process: each reads what the other writes. */
export function byteStreamPair(): [ByteStream, ByteStream] {
  const there = new Pipe();
  const back = new Pipe();
  return [endOf(there, back), endOf(back, there)];
}

const endOf = (incoming: Pipe, outgoing: Pipe): ByteStream => ({
  read: () => incoming.read(),
  write: (bytes) => outgoing.write(bytes),
  end: async () => outgoing.end(),
  destroy() {
    incoming.destroy();
    outgoing.destroy();
  },
});

/** One direction of a connection; a writer waits until its bytes are read. */
class Pipe {
  readonly #waiting: { readonly bytes: Uint8Array; readonly taken: () => void }[] = [];
  #wake: (() => void) | undefined;
  #isEnded = false;
  #isDestroyed = false;

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        next.taken();
        return next.bytes;
      }
      if (this.#isDestroyed) throw closed();
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isDestroyed || this.#isEnded) throw closed();
    if (bytes.length === 0) return;
    await new Promise<void>((taken) => {
      this.#waiting.push({ bytes, taken });
      this.#wake?.();
    });
    if (this.#isDestroyed) throw closed();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  destroy(): void {
    this.#isDestroyed = true;
    for (const { taken } of this.#waiting.splice(0)) taken();
    this.#wake?.();
  }
}

const closed = (): Error => new Error("the connection is closed");
