import type { Duplex } from "node:stream";
import type { ByteStream } from "../base/network.ts";

/**
 * A Node stream as a `ByteStream`, with backpressure in both directions. `describe` gives the messages of
 * its errors.
 */
export function byteStream(
  duplex: Duplex,
  describe = (error: Error): string => error.message,
): ByteStream {
  let failure: Error | undefined;
  let ended = false;
  let wakeReader: () => void = nothing;
  let wakeWriter: () => void = nothing;
  const wake = (): void => {
    wakeReader();
    wakeWriter();
  };
  duplex.on("readable", () => wakeReader());
  duplex.on("drain", () => wakeWriter());
  duplex.on("end", () => {
    ended = true;
    wakeReader();
  });
  duplex.on("error", (error: Error) => {
    failure ??= new Error(describe(error), { cause: error });
    wake();
  });
  duplex.on("close", () => {
    failure ??= new Error("the connection is closed");
    wake();
  });

  return {
    async read() {
      for (;;) {
        const bytes = duplex.read() as Uint8Array | null;
        if (bytes !== null) return bytes;
        if (ended || duplex.readableEnded) return undefined;
        if (failure) throw failure;
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
        wakeReader = nothing;
      }
    },

    async write(bytes) {
      if (failure) throw failure;
      if (duplex.write(bytes)) return;
      await new Promise<void>((resolve) => {
        wakeWriter = resolve;
      });
      wakeWriter = nothing;
      if (failure) throw failure;
    },

    end() {
      return new Promise((resolve) => {
        if (duplex.destroyed) resolve();
        else {
          duplex.once("close", resolve);
          duplex.end(() => resolve());
        }
      });
    },

    destroy() {
      duplex.destroy();
    },
  };
}

function nothing(): void {}
