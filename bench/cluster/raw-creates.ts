import { pods, type Session, send } from "../apiserver/apiserver-client.ts";
import { startWherry, stop } from "../apiserver/apiserver-process.ts";
import { measure } from "../store/store-measure.ts";
import { accountReady, administer, allGone, smallTemplate } from "./cluster-client.ts";

/** Objects that an API server is to create: their collection, and one of them. */
export interface RawObjects {
  readonly path: string;
  readonly body: (name: string) => object;
}

/** Pods of the template that the workloads have. */
export const smallPods: RawObjects = {
  path: pods("default"),
  body: (name) => ({
    apiVersion: "v1",
    kind: "Pod",
    ...smallTemplate("raw"),
    metadata: { name, labels: { app: "raw" } },
  }),
};

/** The API server alone: the reference of what controllers create. */
export interface RawCreates {
  /** How many objects a second it creates, 32 in flight. */
  perSecond(): Promise<number>;
  /** Deletes what it has created. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRawCreates(
  data: string,
  { path, body }: RawObjects,
): Promise<RawCreates> {
  const server = await startWherry(data);
  // A connection that is idle for long is closed.
  const connected = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const session = administer(server, data);
    try {
      return await work(session);
    } finally {
      session.close();
    }
  };
  await connected(accountReady);
  let count = 0;
  const create = (session: Session): Promise<unknown> =>
    send(session, { method: "POST", path, body: body(`raw-${count++}`) }, 201);
  return {
    perSecond: () =>
      connected(async (session) => {
        const rate = await measure({ workers: 32, seconds: 2 }, () => create(session));
        return rate.perSecond;
      }),
    clear: () =>
      connected(async (session) => {
        await send(session, { method: "DELETE", path }, 200);
        await allGone(session, path);
      }),
    stop: () => stop(server),
  };
}
