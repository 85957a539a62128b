import { type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** A request of a client under load, with the time at which it was sent. */
export interface SentRequest {
  readonly sentAt: number;
  /** The status code and the body, or the error. */
  readonly answer: string;
}

export interface Load {
  /** All requests that have ended. */
  readonly sent: readonly SentRequest[];
  /** Stops clients; resolves when their requests have ended. */
  stop(): Promise<readonly SentRequest[]>;
}

/** Has some clients ask again and again, each on a new connection, about 200 times a second together. */
export function startLoad(ask: () => Promise<string>, clients = 4): Load {
  const sent: SentRequest[] = [];
  let isStopped = false;
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const sentAt = performance.now();
      sent.push({ sentAt, answer: await ask().catch(String) });
      await delay(5 * clients);
    }
  };
  const running = Array.from({ length: clients }, client);
  return {
    sent,
    async stop() {
      isStopped = true;
      await Promise.all(running);
      return sent;
    },
  };
}

/** Sends a request on a connection of its own; resolves with the status code and the body. */
export const ask = (options: RequestOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request({ agent: false, timeout: 10_000, ...options })
      .on("response", (response) =>
        text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject),
      )
      .on("timeout", () => sent.destroy(new Error("there was no response in time")))
      .on("error", reject)
      .end();
  });
