import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configMapNamed, configMaps, podNamed, pods } from "./apiserver-client.ts";
import { connectBy, type Protocol } from "./apiserver-http1.ts";
import {
  otherCheckout,
  type Server,
  startAgainst,
  startBare,
  startWherry,
  stop,
} from "./apiserver-process.ts";
import { verdict } from "./apiserver-verdict.ts";
import {
  type Contender,
  contender,
  inFlight,
  measureInTurns,
  type Operation,
} from "./processor-time.ts";

const namespace = "production";
const listed = 2000;
const pageSize = 500;

/**
 * The processor time that the server's process takes for an operation, over either protocol, as a
 * ratio to a server that answers the same bytes and does no work; and that of the server of another
 * checkout, where one is given.
 */
export async function benchCpu(work: string): Promise<void> {
  const pki = join(work, "data", "pki");
  const own = await startWherry(join(work, "data"));
  const before = otherCheckout() ? await startAgainst(join(work, "before")) : undefined;
  const servers = [
    { server: own, pki },
    ...(before ? [{ server: before, pki: join(work, "before", "pki") }] : []),
  ];
  for (const { server, pki: keys } of servers) await prepare(server, keys);
  console.log(`\nprocessor time of the server per operation, ${inFlight} requests in flight`);
  const named = new Map<string, number>();
  for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
    for (const operation of operations(protocol)) {
      const contenders = servers.map(({ server, pki: keys }) =>
        contender(server, operation, connectBy(protocol, server.port, keys)),
      );
      const answers = await (contenders[0] as Contender).answers();
      const file = join(work, "answer.json");
      writeFileSync(file, answers[0] as Buffer);
      const bare = await startBare(protocol === "HTTP/2" ? "h2" : "https", pki, file);
      const connection = connectBy(protocol, bare.port, pki);
      const reference = contender(bare, repeated(operation, answers), connection);
      const [bareMicros, ...micros] = await measureInTurns([reference, ...contenders]);
      named.set(`${operation.name} ${protocol}`, micros[0] ?? 0);
      const shown = micros.map(
        (each) => `${each.toFixed(0).padStart(6)} µs ${ratio(each, bareMicros)}`,
      );
      console.log(
        `${protocol.padEnd(8)} ${operation.name.padEnd(30)} bare ${bareMicros?.toFixed(0).padStart(6)} µs; own ${shown.join("; before ")}`,
      );
      for (const each of [reference, ...contenders]) each.connection.close();
      await stop(bare);
    }
    const [whole, pages] = [`${wholeList} ${protocol}`, `${pagedList} ${protocol}`];
    verdict(
      `all pages of ${pageSize} to one whole list, ${protocol}`,
      (named.get(pages) ?? 0) / (named.get(whole) ?? 0),
      { most: 1.2, unit: "×" },
    );
  }
  await Promise.all(servers.map(({ server }) => stop(server)));
}

const ratio = (micros: number, bare = Number.NaN): string => `(${(micros / bare).toFixed(1)} ×)`;

const wholeList = `LIST of ${listed} pods`;
const pagedList = `LIST in pages of ${pageSize}`;
const writable = 256;

/** Names of objects that are written are of the protocol, so that creates do not meet. */
export function operations(protocol: Protocol): Operation[] {
  const path = configMaps(namespace);
  const prefix = protocol === "HTTP/2" ? "two" : "one";
  const patched = (n: number) => `${path}/settings-${n % writable}`;
  const change = (n: number) => ({ LOG_LEVEL: `level-${prefix}-${n}` });
  return [
    {
      name: "create ConfigMap",
      first: (n) => ({ method: "POST", path, body: configMapNamed(`${prefix}-${n}`) }),
    },
    {
      name: "create Pod",
      first: (n) => {
        const body = podNamed(`${prefix}-${n}`, "written");
        return { method: "POST", path: pods("written"), body };
      },
    },
    {
      name: "merge patch",
      first: (n) => ({
        method: "PATCH",
        path: patched(n),
        body: { data: change(n) },
        contentType: "application/merge-patch+json",
      }),
    },
    {
      name: "server-side apply",
      first: (n) => ({
        method: "PATCH",
        path: `${path}/applied-${n % writable}?fieldManager=bench`,
        body: configMapNamed(`applied-${n % writable}`, `level-${prefix}-${n}`),
        contentType: "application/apply-patch+yaml",
      }),
    },
    { name: "GET Pod", first: () => ({ method: "GET", path: `${pods(namespace)}/web-0` }) },
    {
      name: wholeList,
      workers: 4,
      first: () => ({ method: "GET", path: pods(namespace) }),
    },
    {
      name: pagedList,
      workers: 4,
      first: () => ({ method: "GET", path: `${pods(namespace)}?limit=${pageSize}` }),
      next: (answer) => {
        // The token stands before the objects: most of the answer need not be parsed.
        const token = /"continue":"([^"]+)"/.exec(answer.toString("latin1", 0, 1000))?.[1];
        if (token === undefined) return undefined;
        const query = `limit=${pageSize}&continue=${token}`;
        return { method: "GET", path: `${pods(namespace)}?${query}` };
      },
    },
  ];
}

/** The same operation for a server that gives the same answer to everything: as many requests. */
function repeated(operation: Operation, answers: readonly Buffer[]): Operation {
  const { next: _, ...rest } = operation;
  if (answers.length === 1) return rest;
  const requests = answers.length;
  const path = (left: number) => `${pods(namespace)}?left=${left}`;
  return {
    ...rest,
    first: () => ({ method: "GET", path: path(requests - 1) }),
    next: (_answer, request) => {
      const left = Number(/left=(\d+)/.exec(request.path)?.[1]);
      return left > 0 ? { method: "GET", path: path(left - 1) } : undefined;
    },
  };
}

/** Creates what is read and written later. */
export async function prepare(server: Server, pki: string): Promise<void> {
  const connection = connectBy("HTTP/2", server.port, pki);
  const create = async (path: string, body: object) => {
    const { status, chunks } = await connection.ask({ method: "POST", path, body });
    if (status !== 201) throw new Error(`${path}: ${status}: ${Buffer.concat(chunks)}`);
  };
  const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "web" } };
  for (const name of [namespace, "written"]) {
    await create("/api/v1/namespaces", { kind: "Namespace", apiVersion: "v1", metadata: { name } });
    await create(`/api/v1/namespaces/${name}/serviceaccounts`, account);
  }
  const worker = async (first: number) => {
    for (let n = first; n < listed; n += inFlight)
      await create(pods(namespace), podNamed(`web-${n}`, namespace));
    for (let n = first; n < writable; n += inFlight)
      await create(configMaps(namespace), configMapNamed(`settings-${n}`));
  };
  await Promise.all(Array.from({ length: inFlight }, (_, n) => worker(n)));
  connection.close();
}
