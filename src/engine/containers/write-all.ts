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
      if (!stdin.write(bytes)) await room(stdin);
    }
  } catch {
    // The client has disconnected.
  }
  stdin.end();
}

/** Resolves when more can be written, or nothing ever will be. */
function room(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off("drain", done).off("close", done);
      resolve();
    };
    stdin.on("drain", done).on("close", done);
  });
}
