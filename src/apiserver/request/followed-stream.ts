import type { StreamBody } from "./request.ts";

/**
 * The same stream. `begin` is called when it starts, and the function that it returns when it ends or is stopped;
 * `wrote` is called with each chunk.
 */
export function followedStream<Chunk>(
  stream: StreamBody<Chunk>,
  { begin, wrote }: { readonly begin: () => () => void; readonly wrote?: (chunk: Chunk) => void },
): StreamBody<Chunk> {
  return {
    start(sink) {
      const end = begin();
      let isOpen = true;
      const ended = (): void => {
        if (isOpen) end();
        isOpen = false;
      };
      const stop = stream.start({
        write(chunk) {
          wrote?.(chunk);
          return sink.write(chunk);
        },
        end() {
          ended();
          sink.end();
        },
        onDrain: (resume) => sink.onDrain(resume),
      });
      return () => {
        ended();
        stop();
      };
    },
  };
}

export const isStream = (body: unknown): body is StreamBody =>
  typeof body === "object" && body !== null && "start" in body;
