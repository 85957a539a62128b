import type { Readable } from "node:stream";
import type { DockerOutput } from "./docker-route.ts";

/** Writes all bytes of a stream; it is ended early when the client is gone. */
export async function pipe(from: Readable, { write, signal }: DockerOutput): Promise<void> {
  const stop = (): void => void from.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const bytes of from as AsyncIterable<Uint8Array>) await write(bytes);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
