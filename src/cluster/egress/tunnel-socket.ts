import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** What is below a tunnel. */
export interface TunnelSide {
  send(bytes: Uint8Array): void;
  /** Ends the connection; `ended` of the socket follows. */
  close(): void;
}

/** Bytes that a reader may be behind: a tunnel cannot hold its sender back. */
const mostUnread = 64 * 2 ** 20;

/** A connection in a tunnel, with those methods of a socket that clients of HTTP call. */
export class TunnelSocket extends Duplex {
  readonly #side: TunnelSide;
  bytesRead = 0;

  constructor(side: TunnelSide) {
    super({ allowHalfOpen: true });
    this.#side = side;
  }

  /** This connection where a socket is expected. */
  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  /** Called with bytes of the other end. */
  received(bytes: Uint8Array): void {
    this.bytesRead += bytes.length;
    this.push(bytes);
    if (this.readableLength > mostUnread)
      this.destroy(new Error("too much was received that is not read"));
  }

  /** Called when the other end has closed the connection. */
  ended(error?: Error): void {
    if (error) this.destroy(error);
    else this.push(null);
  }

  override _read(): void {}

  override _write(bytes: Uint8Array, _: unknown, done: () => void): void {
    this.#side.send(bytes);
    done();
  }

  /** Connections in a tunnel have no directions that end by themselves. */
  override _final(done: () => void): void {
    this.#side.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#side.close();
    done(error);
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  setTimeout(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
