import { type Clock, sleep, type Timer } from "../../base/clock.ts";
import type { ByteStream } from "../../base/network.ts";

export interface SpliceOptions {
  readonly clock: Clock;
  /** How many bytes are copied in a second, each way; any number if not given or 0. */
  readonly bytesPerSecond?: number | undefined;
}

/**
 * Copies bytes both ways until both sides have ended; when one fails, the other is closed. A client may end
 * first and still receive the rest; once the other side has ended, the client must end soon.
 */
export async function splice(
  client: ByteStream,
  server: ByteStream,
  { clock, bytesPerSecond = 0 }: SpliceOptions,
): Promise<void> {
  const over = new AbortController();
  const pace = (): Pace => pacing(bytesPerSecond, { clock, signal: over.signal });
  let leaving: Timer | undefined;
  const giveUp = (): void => {
    client.destroy();
    server.destroy();
  };
  const answer = async (): Promise<void> => {
    await pump(server, client, pace());
    leaving = clock.setTimer(leaveTime, giveUp);
  };
  try {
    await Promise.all([pump(client, server, pace()), answer()]);
  } catch {
    // A peer may close at any time, which is not an error here.
  } finally {
    leaving?.cancel();
    over.abort();
    giveUp();
  }
}

const leaveTime = 10_000;

/** Waits as long as so many bytes take. */
type Pace = (bytes: number) => Promise<void>;

function pacing(
  bytesPerSecond: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Pace {
  // Where a second is over, what was not used of it is lost.
  let next = 0;
  return async (bytes) => {
    if (bytesPerSecond <= 0) return;
    const now = clock.now();
    next = Math.max(next, now) + (bytes * 1000) / bytesPerSecond;
    await sleep(clock, next - now, signal);
  };
}

/** Copies chunk by chunk: reading waits for writing, and for the pace. */
async function pump(from: ByteStream, to: ByteStream, pace: Pace): Promise<void> {
  for (;;) {
    const bytes = await from.read();
    if (!bytes) break;
    await to.write(bytes);
    await pace(bytes.length);
  }
  await to.end();
}
