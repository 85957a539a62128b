import type { ByteStream } from "../../base/network.ts";
import type { ApiResponse, StreamBody } from "./request.ts";

/**
 * A response that calls `ended` once it has been sent or its client is gone; undefined if all of it is there already.
 */
export function whenEnded(response: ApiResponse, ended: () => unknown): ApiResponse | undefined {
  const { body, values, takeOver } = response;
  let isOpen = true;
  const end = (): void => {
    if (isOpen) ended();
    isOpen = false;
  };
  if (takeOver) return { ...response, takeOver: (client) => takenOver(takeOver, client, end) };
  if (values) return { ...response, values: endingStream(values, end) };
  if (typeof body !== "object" || body === null) return undefined;
  if ("start" in body) return { ...response, body: endingStream(body, end) };
  if (Symbol.asyncIterator in body) return { ...response, body: endingPieces(body, end) };
  return undefined;
}

async function takenOver(
  takeOver: (client: ByteStream) => Promise<void>,
  client: ByteStream,
  end: () => void,
): Promise<void> {
  try {
    await takeOver(client);
  } finally {
    end();
  }
}

async function* endingPieces<Piece>(
  pieces: AsyncIterable<Piece>,
  end: () => void,
): AsyncGenerator<Piece> {
  try {
    yield* pieces;
  } finally {
    end();
  }
}

const endingStream = <Chunk>(stream: StreamBody<Chunk>, end: () => void): StreamBody<Chunk> => ({
  start(sink) {
    const stop = stream.start({
      write: (chunk) => sink.write(chunk),
      end() {
        end();
        sink.end();
      },
      onDrain: (resume) => sink.onDrain(resume),
    });
    return () => {
      end();
      stop();
    };
  },
});
