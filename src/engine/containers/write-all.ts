import type { Writable } from "node:stream";

/** Writes what a client sends to a child's input, and ends it; a child that has ended reads no more. */
export async function writeAll(
  stdin: Writable | null,
  input: AsyncIterable<Uint8Array> | undefined,
): Promise<void> {
  if (!stdin || !input) return;
  stdin.on("error", () => {});
  try {
    for await (const bytes of input) {
      if (stdin.destroyed) return;
      if (!stdin.write(bytes))
        await new Promise<void>((resolve) => {
          stdin.once("drain", resolve).once("close", resolve);
        });
    }
  } catch {
    // The client has disconnected.
  }
  stdin.end();
}
