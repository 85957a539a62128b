import type { Random } from "../../base/random.ts";
import type { List, Read, Recorded, Version, Write, WriteOutcome } from "./history.ts";

/** A client of a store; a call that throws did nothing, or was a read. */
export interface HistoryClient {
  get(key: string): Promise<Version | undefined>;
  list(): Promise<Omit<List, "type">>;
  /** Without a value, it deletes. */
  write(write: Omit<Write, "type" | "outcome">): Promise<WriteOutcome>;
}

export interface RecordOptions {
  /** Each runs one operation after the other; several may use one server. */
  readonly clients: readonly HistoryClient[];
  readonly keys: readonly string[];
  readonly random: Random;
  /** A shared clock, fine enough that no two calls have the same time. */
  readonly now: () => number;
  /** Whether clients should stop. */
  readonly ended: () => boolean;
  /** Waits after a response; if calls take only microtasks, it must yield to others. */
  readonly pause?: () => Promise<void>;
  /** Whether unconditional writes are included. Default: true. */
  readonly blind?: boolean;
}

/**
 * Runs clients that read and write the same few keys concurrently, and records operations and results.
 */
export async function recordHistory(options: RecordOptions): Promise<Recorded[]> {
  const histories = options.clients.map((client, index) => ask(client, index, options));
  return (await Promise.all(histories)).flat();
}

async function ask(
  client: HistoryClient,
  index: number,
  options: RecordOptions,
): Promise<Recorded[]> {
  const { random, now, ended, pause } = options;
  const recorded: Recorded[] = [];
  /** The versions that the client believes to be current. */
  const known = new Map<string, Version>();
  for (let number = 0; !ended(); number++) {
    const key = pick(options.keys, random);
    const call = now();
    const operation = await (random.next() < 0.35
      ? read(client, key, random).catch(() => undefined)
      : write(client, choose(`${index}.${number}`, key, { ...options, known })));
    const unknown = operation?.type === "write" && operation.outcome.type === "unknown";
    const end = unknown ? Number.POSITIVE_INFINITY : now();
    if (operation !== undefined) {
      recorded.push({ client: index, call, return: end, operation });
      learn(known, operation);
    }
    await pause?.();
  }
  return recorded;
}

async function read(client: HistoryClient, key: string, random: Random): Promise<Read | List> {
  if (random.next() < 0.15) return { type: "list", ...(await client.list()) };
  return { type: "read", key, found: await client.get(key) };
}

async function write(
  client: HistoryClient,
  request: Omit<Write, "type" | "outcome">,
): Promise<Write | undefined> {
  try {
    return { type: "write", ...request, outcome: await client.write(request) };
  } catch {
    return undefined;
  }
}

/** Chooses a creation, an update or deletion of a known version, or an unconditional update. */
function choose(
  value: string,
  key: string,
  {
    known,
    random,
    blind = true,
  }: Pick<RecordOptions, "random" | "blind"> & { known: Map<string, Version> },
): Omit<Write, "type" | "outcome"> {
  if (blind && random.next() < 0.05) return { key, value, ifRevision: undefined };
  const ifRevision = known.get(key)?.revision ?? 0;
  const deletes = ifRevision > 0 && random.next() < 0.25;
  return { key, value: deletes ? undefined : value, ifRevision };
}

function learn(known: Map<string, Version>, operation: Read | List | Write): void {
  if (operation.type === "read") {
    believe(known, operation.key, operation.found);
  } else if (operation.type === "list") {
    known.clear();
    for (const [key, version] of operation.found) known.set(key, version);
  } else if (operation.outcome.type !== "unknown") {
    believe(known, operation.key, left(operation));
  }
}

/** The version after a write, as far as its outcome tells. */
function left({ value, outcome }: Write): Version | undefined {
  if (outcome.type === "refused" && typeof outcome.current === "object") return outcome.current;
  if (outcome.type !== "done" || value === undefined) return undefined;
  return outcome.revision === undefined ? undefined : { value, revision: outcome.revision };
}

function believe(known: Map<string, Version>, key: string, version: Version | undefined): void {
  if (version === undefined) known.delete(key);
  else known.set(key, version);
}

function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random.next() * all.length)] as T;
}
