import type { Clock, Timer } from "../../base/clock.ts";
import type { ByteStream } from "../../base/network.ts";

/**
 * Copies bytes both ways until both sides have ended; when one fails, the other is closed. A client may end
 * first and still receive the rest; once the other side has ended, the client must end soon.
 */
export async function splice(client: ByteStream, server: ByteStream, clock: Clock): Promise<void> {
  let leaving: Timer | undefined;
  const giveUp = (): void => {
    client.destroy();
    server.destroy();
  };
  const answer = async (): Promise<void> => {
    await pump(server, client);
    leaving = clock.setTimer(leaveTime, giveUp);
  };
  try {
    await Promise.all([pump(client, server), answer()]);
  } catch {
    // A peer may close at any time, which is not an error here.
  } finally {
    leaving?.cancel();
    giveUp();
  }
}

const leaveTime = 10_000;

/** Copies chunk by chunk: reading waits for writing. */
async function pump(from: ByteStream, to: ByteStream): Promise<void> {
  for (;;) {
    const bytes = await from.read();
    if (!bytes) break;
    await to.write(bytes);
  }
  await to.end();
}
