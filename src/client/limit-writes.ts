import type { Transport } from "./transport.ts";

/**
 * A limit for the writes that several transports make together: at most `most` are under way, others
 * wait for their turn. Reads pass.
 */
export function limitWrites(most: number): (transport: Transport) => Transport {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  const done = (): void => {
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  };
  return (transport) => async (request) => {
    if (request.method === "GET" || request.method === "HEAD") return transport(request);
    if (underWay < most) underWay++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await transport(request);
    } finally {
      done();
    }
  };
}
