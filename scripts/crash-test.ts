// Kills a writing store again and again, and checks what is left:
// node scripts/run.mjs scripts/crash-test.ts [--rounds 200] [--seed N]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SeededRandom } from "../src/base/random.ts";
import { realClock } from "../src/platform/real-clock.ts";
import { openLmdbStore } from "../src/store/lmdb/lmdb-store.ts";
import { CrashChecker } from "./crash-checker.ts";
import { readCrashLog } from "./crash-log.ts";
import { type WriterOptions, writeUntilKilled } from "./crash-writer.ts";

const longestLife = 300;

const [, program = "", mode, writerOptions] = process.argv;
if (mode === "writer") await writeUntilKilled(JSON.parse(writerOptions ?? "") as WriterOptions);
else await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: "200" }, seed: { type: "string" } },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const rounds = Number(values.rounds);
  const root = mkdtempSync(join(process.cwd(), "node_modules", ".crash-test-"));
  console.log(`seed ${seed}: killing a writer ${rounds} times in ${root}`);
  await runRounds({ root, seed, rounds });
  rmSync(root, { recursive: true });
}

interface RoundsOptions {
  readonly root: string;
  readonly seed: number;
  readonly rounds: number;
}

async function runRounds({ root, seed, rounds }: RoundsOptions): Promise<void> {
  const directory = join(root, "store");
  const random = new SeededRandom(seed);
  const checker = new CrashChecker();
  const total = { acknowledged: 0, unheard: 0 };
  for (let round = 0; round < rounds; round++) {
    const log = join(root, `${round}.log`);
    const from = checker.revision;
    await runAndKill({ directory, log, seed: seed * 1000 + round, from }, random);
    const store = await openLmdbStore({ path: directory, clock: realClock });
    const { acknowledged, unheard } = await checker.check(store, readCrashLog(log));
    await store.close();
    rmSync(log, { force: true });
    total.acknowledged += acknowledged;
    total.unheard += unheard;
    if ((round + 1) % 20 === 0) report(round + 1, checker.revision, total);
  }
  if (total.acknowledged < rounds) throw new Error("the writers hardly wrote: nothing was tested");
}

function report(
  round: number,
  revision: number,
  total: { acknowledged: number; unheard: number },
): void {
  const { acknowledged, unheard } = total;
  console.log(
    `${round} kills, revision ${revision}: ${acknowledged} acknowledged commits are all there, ${unheard} more were not heard of`,
  );
}

/** Most writers are killed while they write; some while they open the store. */
async function runAndKill(options: WriterOptions, random: SeededRandom): Promise<void> {
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
