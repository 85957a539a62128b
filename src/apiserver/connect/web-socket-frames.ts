import { opcodes } from "../../base/web-socket-frame.ts";

/** What a client says beside messages: those are for nobody. */
export type ClientSign =
  | { readonly type: "ping"; readonly payload: Uint8Array }
  | { readonly type: "close" }
  | { readonly type: "violation" };

/** Reads what a client sends, in pieces of any size; of messages nothing is kept. */
export class ClientFrames {
  /** What was read of a head, or of a sign. */
  #gathered: number[] = [];
  /** Bytes of a message that are still to come. */
  #skipping = 0;

  *push(bytes: Uint8Array): Generator<ClientSign> {
    let at = 0;
    while (at < bytes.length) {
      if (this.#skipping > 0) {
        const skipped = Math.min(this.#skipping, bytes.length - at);
        this.#skipping -= skipped;
        at += skipped;
        continue;
      }
      this.#gathered.push(bytes[at++] ?? 0);
      const sign = this.#read();
      if (sign) yield sign;
    }
  }

  /** Looks at what was gathered: a whole sign is told, the head of a message lets it be skipped. */
  #read(): ClientSign | undefined {
    const [first = 0, second] = this.#gathered;
    if (second === undefined) return undefined;
    if ((second & 0x80) === 0) return this.#done({ type: "violation" });
    const opcode = first & 0x0f;
    const short = second & 0x7f;
    const isSign = opcode >= 8;
    if (isSign && short > 125) return this.#done({ type: "violation" });
    const extra = short < 126 ? 0 : short === 126 ? 2 : 8;
    const head = 2 + extra + 4;
    if (this.#gathered.length < head) return undefined;
    if (!isSign) {
      const size = this.#gathered.slice(2, 2 + extra).reduce((sum, byte) => sum * 256 + byte, 0);
      this.#skipping = extra === 0 ? short : size;
      return this.#done(undefined);
    }
    if (this.#gathered.length < head + short) return undefined;
    const mask = this.#gathered.slice(head - 4, head);
    const masked = this.#gathered.slice(head);
    const payload = Uint8Array.from(masked, (byte, i) => byte ^ (mask[i % 4] ?? 0));
    if (opcode === opcodes.ping) return this.#done({ type: "ping", payload });
    return this.#done(opcode === opcodes.close ? { type: "close" } : undefined);
  }

  #done(sign: ClientSign | undefined): ClientSign | undefined {
    this.#gathered = [];
    return sign;
  }
}
