import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { measure } from "../store/store-measure.ts";
import {
  configMapNamed,
  configMaps,
  createNamespace,
  follow,
  open,
  type Session,
  send,
} from "./apiserver-client.ts";
import { megabytes, type Server, startWherry, stop } from "./apiserver-process.ts";
import { quantile, verdict } from "./apiserver-verdict.ts";

const namespace = "production";
const path = configMaps(namespace);
const streamsPerConnection = 100;
const watchers = 100;
const writers = 32;

/** How soon a hundred watchers hear of changes that come one at a time, and how many they can take. */
export async function benchWatchers(work: string): Promise<void> {
  await withServer(work, async ({ server, pki, session }) => {
    const events = new Counter();
    const sessions = await watch({ server, pki, count: watchers, onEvents: (n) => events.add(n) });
    for (let n = 0; n < writers; n++) await put(session, n, "first");
    await events.reached(writers * watchers);
    await oneAtATime(session, events);
    await fullSpeed(session, events);
    for (const each of sessions) each.close();
  });
}

/** 50 updates per second: the time from the answer until the last watcher has heard. */
async function oneAtATime(session: Session, events: Counter): Promise<void> {
  const latencies: number[] = [];
  const warmUp = 50;
  for (let n = 0; n < warmUp + 350; n++) {
    const due = performance.now() + 20;
    const told = events.reached(events.count + watchers);
    await put(session, n % writers, `level-${n}`);
    const answered = performance.now();
    const last = await told;
    if (n >= warmUp) latencies.push(Math.max(0, last - answered));
    await delay(Math.max(0, due - performance.now()));
  }
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  console.log(
    `\n${watchers} watchers, 50 updates/s: the last has heard ${p50.toFixed(1)} ms after the answer (median)`,
  );
  verdict("from the answer to the last watcher, p99", p99, { most: 50, unit: "ms" });
}

/** As many updates as there can be while every watcher hears of each. */
async function fullSpeed(session: Session, events: Counter): Promise<void> {
  const rates: number[] = [];
  let updates = 0;
  const update = (n: number) => {
    updates++;
    return put(session, n % writers, `full-${updates}`);
  };
  for (let round = 0; round < 4; round++) {
    const before = { events: events.count, updates, at: performance.now() };
    // Its warm-up counts too: all that is written is to be heard of.
    await measure({ workers: writers, seconds: 1.5 }, update);
    await events.reached(before.events + (updates - before.updates) * watchers);
    const seconds = (performance.now() - before.at) / 1000;
    if (round > 0) rates.push((events.count - before.events) / seconds);
  }
  const shown = rates.map((rate) => Math.round(rate).toLocaleString("en")).join(", ");
  console.log(`\n${watchers} watchers at full speed, rounds: ${shown} events/s`);
  const rate = quantile(rates, 0.5);
  verdict("events delivered", rate, { least: 100_000, unit: "events/s" });
}

const idleWatchers = 10_000;

/** What watchers cost that have nothing to hear of. */
export async function benchIdleWatchers(work: string): Promise<void> {
  await withServer(work, async ({ server, pki, session }) => {
    const before = megabytes(server);
    let heard = 0;
    const onEvents = (n: number) => {
      heard += n;
    };
    const sessions = await watch({ server, pki, count: idleWatchers, onEvents });
    await delay(2000);
    const more = megabytes(server) - before;
    console.log(`\n${idleWatchers} idle watchers on ${sessions.length} connections`);
    verdict("memory of idle watchers", more, { most: 150, unit: "MB" });
    await put(session, 0, "first");
    const deadline = performance.now() + 10_000;
    while (heard < idleWatchers && performance.now() < deadline) await delay(20);
    if (heard !== idleWatchers) throw new Error(`${heard} watchers heard of a change`);
    for (const each of sessions) each.destroy();
  });
}

/** Counts what all watchers hear, and says when it was as much as expected. */
class Counter {
  count = 0;
  #goal = Number.POSITIVE_INFINITY;
  #reached: (at: number) => void = () => {};

  add(events: number): void {
    this.count += events;
    if (this.count < this.#goal) return;
    this.#goal = Number.POSITIVE_INFINITY;
    this.#reached(performance.now());
  }

  /** Resolves to the time at which so many events had come in all; fails where they do not. */
  reached(goal: number): Promise<number> {
    if (this.count >= goal) return Promise.resolve(performance.now());
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`${this.count} of ${goal} events have come`));
      const timer = setTimeout(late, 30_000);
      this.#goal = goal;
      this.#reached = (at) => {
        clearTimeout(timer);
        resolve(at);
      };
    });
  }
}

async function watch({
  server,
  pki,
  count,
  onEvents,
}: {
  readonly server: Server;
  readonly pki: string;
  readonly count: number;
  readonly onEvents: (events: number) => void;
}): Promise<Session[]> {
  const onData = (chunk: Buffer) => onEvents(linesIn(chunk));
  const sessions: Session[] = [];
  for (let left = count; left > 0; left -= streamsPerConnection) {
    const session = open(server.port, pki);
    sessions.push(session);
    const streams = Math.min(left, streamsPerConnection);
    const start = () => follow(session, `${path}?watch=1`, onData);
    await Promise.all(Array.from({ length: streams }, start));
  }
  return sessions;
}

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  return lines;
}

async function put(session: Session, number: number, level: string): Promise<void> {
  const name = `settings-${number}`;
  const body = configMapNamed(name, level);
  if (level === "first") await send(session, { method: "POST", path, body }, 201);
  else await send(session, { method: "PUT", path: `${path}/${name}`, body }, 200);
}

interface Bench {
  readonly server: Server;
  readonly pki: string;
  readonly session: Session;
}

async function withServer(work: string, bench: (context: Bench) => Promise<void>): Promise<void> {
  const data = join(work, "data");
  const pki = join(data, "pki");
  const server = await startWherry(data);
  const session = open(server.port, pki);
  await createNamespace(session, namespace);
  await bench({ server, pki, session });
  session.close();
  await stop(server);
}
