import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../../src/base/random.ts";
import { checkSnapshot, entriesOf } from "../../src/cluster/snapshot/restore-snapshot.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import type { Entry } from "../../src/store/store.ts";
import { CrashChecker, type FoundSnapshot } from "./crash-checker.ts";
import { readCrashLog } from "./crash-log.ts";
import type { WriterOptions } from "./crash-writer.ts";

export interface CrashOptions {
  readonly seed: number;
  /** How often something is killed. */
  readonly rounds: number;
  readonly report: (line: string) => void;
}

/** The longest that a writer lives once it writes, in milliseconds. */
const longestLife = 300;

/** Kills a process that writes to a store on disk, again and again; throws if what is left is wrong. */
export async function crashLmdb(program: string, options: CrashOptions): Promise<void> {
  const { seed, rounds } = options;
  const root = mkdtempSync(join(process.cwd(), "node_modules", ".crash-test-"));
  options.report(`seed ${seed}: killing a writer ${rounds} times in ${root}`);
  const directory = join(root, "store");
  const snapshot = join(root, "snapshot");
  const random = new SeededRandom(seed);
  const checker = new CrashChecker();
  const total = { acknowledged: 0, unheard: 0, snapshots: 0, shrunk: 0 };
  for (let round = 0; round < rounds; round++) {
    const log = join(root, `${round}.log`);
    const from = checker.revision;
    const writer = { directory, log, seed: seed * 1000 + round, from, snapshot };
    const file = fileOf(directory);
    await runAndKill(program, writer, random);
    if (fileOf(directory) !== file) total.shrunk++;
    const store = await openLmdbStore({ path: directory, clock: realClock });
    const found = existsSync(snapshot) ? await readSnapshot(snapshot) : undefined;
    const result = await checker.check(store, readCrashLog(log), found);
    await store.close();
    rmSync(log, { force: true });
    rmSync(snapshot, { force: true });
    total.acknowledged += result.acknowledged;
    total.unheard += result.unheard;
    if (found !== undefined) total.snapshots++;
    if ((round + 1) % 20 !== 0) continue;
    const { acknowledged, unheard, snapshots, shrunk } = total;
    options.report(
      `${round + 1} kills, revision ${checker.revision}: ${acknowledged} acknowledged commits are all there, ${unheard} more were not heard of, ${snapshots} snapshots are right, ${shrunk} times the file was replaced by a smaller one`,
    );
  }
  if (total.acknowledged < rounds) throw new Error("the writers hardly wrote: nothing was tested");
  rmSync(root, { recursive: true });
}

/** Which file holds the store. */
function fileOf(directory: string): number | undefined {
  return statSync(join(directory, "data.mdb"), { throwIfNoEntry: false })?.ino;
}

/** Most writers are killed while they write; some while they open the store. */
async function runAndKill(
  program: string,
  options: WriterOptions,
  random: SeededRandom,
): Promise<void> {
  const arguments_ = [program, "writer", JSON.stringify(options)];
  const child = spawn(process.execPath, arguments_, { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const life = random.next() * longestLife;
  if (random.next() > 0.1) await Promise.race([once(child.stdout, "data"), exit]);
  await Promise.race([new Promise((resolve) => setTimeout(resolve, life)), exit]);
  child.kill("SIGKILL");
  const [code, signal] = await exit;
  if (signal !== "SIGKILL") throw new Error(`the writer ended by itself with ${String(code)}`);
}

async function readSnapshot(file: string): Promise<FoundSnapshot> {
  const { revision } = await checkSnapshot(file);
  const entries: Entry[] = [];
  for await (const entry of entriesOf(file)) entries.push(entry);
  return { revision, entries };
}
