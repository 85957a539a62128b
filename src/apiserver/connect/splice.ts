import type { Clock, Timer } from "../../base/clock.ts";
import type { ByteStream } from "../../base/network.ts";

/**
 * Carries bytes both ways until both sides have ended; where one breaks, so does the other. A client
 * may end first and still be told the rest; once nothing more comes for it, it has to end soon.
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
    // Who went away is no fault of anybody here.
  } finally {
    leaving?.cancel();
    giveUp();
  }
}

const leaveTime = 10_000;

/** One at a time: what cannot be written is not read. */
async function pump(from: ByteStream, to: ByteStream): Promise<void> {
  for (;;) {
    const bytes = await from.read();
    if (!bytes) break;
    await to.write(bytes);
  }
  await to.end();
}
