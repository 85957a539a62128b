import type { Clock, Timer } from "../../base/clock.ts";
import type { ByteStream } from "../../base/network.ts";

/** An open connection that waits for its next request. */
interface Idle {
  readonly connection: KeptConnection;
  readonly timer: Timer;
}

/** Open connections that wait for their next request, by the target that they lead to. */
export class KeptConnections {
  readonly #clock: Clock;
  /** By target; the one that waits for the shortest time is the last. */
  readonly #idle = new Map<string, Idle[]>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A connection to the target, which no longer waits; undefined if there is none. */
  take(target: string): KeptConnection | undefined {
    const found = this.#idle.get(target)?.at(-1);
    if (found) this.#remove(target, found);
    return found?.connection;
  }

  /** Lets a connection wait for at most `ms`. It is closed at once if too many wait already. */
  keep(target: string, connection: KeptConnection, ms: number): void {
    const waiting = this.#idle.get(target) ?? [];
    if (this.#isClosed || waiting.length >= mostPerTarget || ms <= 0) {
      connection.destroy();
      return;
    }
    const timer = this.#clock.setTimer(ms, () => drop());
    const idle = { connection, timer };
    const drop = (): void => {
      if (this.#remove(target, idle)) connection.destroy();
    };
    this.#idle.set(target, [...waiting, idle]);
    connection.onNextRead(drop);
  }

  /** Closes all connections that wait, and from now on those that would. */
  close(): void {
    this.#isClosed = true;
    for (const { connection, timer } of [...this.#idle.values()].flat()) {
      timer.cancel();
      connection.destroy();
    }
    this.#idle.clear();
  }

  /** Whether it was waiting. */
  #remove(target: string, idle: Idle): boolean {
    const waiting = this.#idle.get(target) ?? [];
    if (!waiting.includes(idle)) return false;
    idle.timer.cancel();
    const rest = waiting.filter((other) => other !== idle);
    if (rest.length > 0) this.#idle.set(target, rest);
    else this.#idle.delete(target);
    return true;
  }
}

const mostPerTarget = 25;

/** A connection that is read from while it waits, which shows when its server closes it. */
export class KeptConnection implements ByteStream {
  readonly #stream: ByteStream;
  /** A read that began while the connection waited; the next `read` returns it. */
  #begun: Promise<Uint8Array | undefined> | undefined;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Reads ahead, and calls back when bytes come, the server closes the connection, or it breaks. */
  onNextRead(call: () => void): void {
    this.#begun = this.#stream.read();
    this.#begun.then(call, call);
  }

  read(): Promise<Uint8Array | undefined> {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun ?? this.#stream.read();
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#stream.write(bytes);
  }

  end(): Promise<void> {
    return this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
