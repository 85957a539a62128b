import type { Request } from "./apiserver-client.ts";
import type { Connection } from "./apiserver-http1.ts";
import { processorMs, type Server } from "./apiserver-process.ts";
import { median } from "./apiserver-verdict.ts";

export const inFlight = 32;
const rounds = 5;
/** The kernel counts processor time in hundredths of a second: a round takes many of them. */
const roundMs = 200;
/** Until the compiler has seen what there is to see. */
const warmMs = 2000;
/** Where others use the machine, the server may get little of it. */
const maxSeconds = 20;

/** What an operation asks of a server: one request, or several in a row. */
export interface Operation {
  readonly name: string;
  readonly workers?: number;
  /** The n-th request, after the answer to the one before where there are several. */
  readonly first: (n: number) => Request;
  readonly next?: (answer: Buffer, request: Request) => Request | undefined;
}

/** A server, and an operation that is asked of it. */
export interface Contender {
  readonly server: Server;
  readonly connection: Connection;
  readonly workers: number;
  /** Does the operation once. */
  answers(): Promise<Buffer[]>;
}

export function contender(server: Server, operation: Operation, connection: Connection): Contender {
  const { first, next, workers = inFlight } = operation;
  let number = 0;
  const answers = async () => {
    const all: Buffer[] = [];
    let request: Request | undefined = first(number++);
    while (request) {
      const { status, chunks } = await connection.ask(request);
      const body = Buffer.concat(chunks);
      if (status >= 300) throw new Error(`${request.path}: ${status}: ${body}`);
      all.push(body);
      request = next?.(body, request);
    }
    return all;
  };
  return { server, connection, workers, answers };
}

/** The median of each one's rounds, in microseconds per operation. */
export async function measureInTurns(contenders: readonly Contender[]): Promise<number[]> {
  for (const each of contenders) await round(each, warmMs);
  const micros = contenders.map(() => [] as number[]);
  for (let n = 0; n < rounds; n++)
    for (const [index, each] of contenders.entries())
      micros[index]?.push(await round(each, roundMs));
  return micros.map(median);
}

async function round({ server, workers, answers }: Contender, ms: number): Promise<number> {
  const end = performance.now() + maxSeconds * 1000;
  const isOver = (since: number): boolean =>
    processorMs(server) - since >= ms || performance.now() > end;
  const run = async (enough: (done: number) => boolean): Promise<number> => {
    let done = 0;
    const work = async () => {
      while (!enough(done)) {
        await answers();
        done++;
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    return done;
  };
  // Connections that were idle for too long are made again, which is not part of the operation.
  await run((done) => done >= workers);
  const before = processorMs(server);
  let ended = false;
  const done = await run((so) => {
    if (so % workers === 0) ended ||= isOver(before);
    return ended;
  });
  return ((processorMs(server) - before) * 1000) / done;
}
