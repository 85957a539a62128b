import type { ByteStream } from "../../base/network.ts";

/** Carries bytes both ways until both sides have ended; where one breaks, so does the other. */
export async function splice(a: ByteStream, b: ByteStream): Promise<void> {
  try {
    await Promise.all([pump(a, b), pump(b, a)]);
  } catch {
    // Who went away is no fault of anybody here.
  } finally {
    a.destroy();
    b.destroy();
  }
}

/** One at a time: what cannot be written is not read. */
async function pump(from: ByteStream, to: ByteStream): Promise<void> {
  for (;;) {
    const bytes = await from.read();
    if (!bytes) break;
    await to.write(bytes);
  }
  await to.end();
}
