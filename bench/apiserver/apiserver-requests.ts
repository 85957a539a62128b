import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  configMapNamed,
  configMaps,
  createNamespace,
  measureBytes,
  open,
  podNamed,
  pods,
  type Request,
  type Session,
  send,
} from "./apiserver-client.ts";
import { type Server, startBare, startWherry, stop } from "./apiserver-process.ts";
import { type Contender, compare } from "./apiserver-verdict.ts";

const namespace = "production";

/** Reading one object. */
export async function benchGet(work: string): Promise<void> {
  await withServer(work, async ({ own, sameBytes }) => {
    const { session } = own;
    const path = `${pods(namespace)}/web`;
    await send(session, { method: "POST", path: pods(namespace), body: pod("web") }, 201);
    const request = { method: "GET", path };
    const reference = await sameBytes(await send(session, request, 200));
    await compare("GET of a Pod", {
      own: asking(own, request),
      bare: asking(reference, request),
      least: 0.6,
    });
  });
}

const listed = 2000;

/** Reading many objects at once. */
export async function benchList(work: string): Promise<void> {
  await withServer(work, async ({ own, sameBytes }) => {
    const { session } = own;
    const path = pods(namespace);
    const create = async (worker: number) => {
      for (let n = worker; n < listed; n += 32)
        await send(session, { method: "POST", path, body: pod(`web-${n}`) }, 201);
    };
    await Promise.all(Array.from({ length: 32 }, (_, worker) => create(worker)));
    const request = { method: "GET", path };
    const list = await send(session, request, 200);
    const { items } = JSON.parse(list.toString()) as { items: unknown[] };
    if (items.length !== listed) throw new Error(`${items.length} pods are listed`);
    const reference = await sameBytes(list);
    await compare(`LIST of ${listed} pods`, {
      own: asking(own, request),
      bare: asking(reference, request),
      workers: 4,
      warmUp: 100,
      size: { of: list.length / 1e6, unit: " MB" },
      least: 0.6,
    });
  });
}

/** Creating objects, which are on disk when the answer comes. */
export async function benchCreates(work: string): Promise<void> {
  await withServer(work, async ({ own, sameBytes }) => {
    const { session } = own;
    let number = 0;
    const race = async (what: string, path: string, object: (name: string) => object) => {
      const request = () => ({ method: "POST", path, body: object(`web-${++number}`) });
      const reference = await sameBytes(await send(session, request(), 201));
      await compare(`durable create of a ${what}`, {
        own: { server: own.server, ask: () => measureBytes(session, request(), 201) },
        bare: {
          server: reference.server,
          ask: () => measureBytes(reference.session, request(), 201),
        },
        least: 0.25,
      });
    };
    // The kind with the most to default and to validate, and one with little.
    await race("Pod", pods(namespace), pod);
    await race("ConfigMap", configMaps(namespace), configMapNamed);
  });
}

const pod = (name: string): object => podNamed(name, namespace);

interface Connected {
  readonly server: Server;
  readonly session: Session;
}

const asking = ({ server, session }: Connected, request: Request): Contender => ({
  server,
  ask: () => measureBytes(session, request, 200),
});

interface Bench {
  readonly own: Connected;
  /** A bare server that answers with these bytes. */
  readonly sameBytes: (bytes: Buffer) => Promise<Connected>;
}

async function withServer(work: string, bench: (context: Bench) => Promise<void>): Promise<void> {
  const data = join(work, "data");
  const pki = join(data, "pki");
  const connected: Connected[] = [];
  const connect = (server: Server): Connected => {
    const connection = { server, session: open(server.port, pki) };
    connected.push(connection);
    return connection;
  };
  const own = connect(await startWherry(data));
  await createNamespace(own.session, namespace);
  const file = join(work, "answer.json");
  await bench({
    own,
    sameBytes: async (bytes) => {
      writeFileSync(file, bytes);
      return connect(await startBare("h2", pki, file));
    },
  });
  for (const { session } of connected) session.close();
  await Promise.all(connected.map(({ server }) => stop(server)));
}
