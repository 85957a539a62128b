// Traces the system calls of a store with several writers, and checks that each acknowledgement follows
// a sync that began after the commit's pages were written:
// node scripts/build/run.mjs scripts/proofs/sync-trace.ts [--commits 200]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { realClock } from "../../src/platform/real-clock.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { checkSyncs, parseTrace } from "./sync-trace-check.ts";

const writers = 8;

const [, program = "", mode, directory = "", count = ""] = process.argv;
if (mode === "writer") await write(directory, Number(count));
else main();

function main(): void {
  const { values } = parseArgs({ options: { commits: { type: "string", default: "200" } } });
  const root = mkdtempSync(join(process.cwd(), "node_modules", ".sync-trace-"));
  const trace = join(root, "trace");
  const calls = "openat,write,writev,pwrite64,pwritev,fsync,fdatasync,msync,sync_file_range";
  const strace = ["-f", "-ttt", "-y", "-s", "1000000", "-e", `trace=${calls}`, "-o", trace];
  const writer = [process.execPath, program, "writer", join(root, "store"), values.commits];
  const { status, error } = spawnSync("strace", [...strace, ...writer], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (error !== undefined || status !== 0) {
    throw new Error(`strace failed with ${String(status)}`, { cause: error });
  }
  const result = checkSyncs(parseTrace(readFileSync(trace, "latin1")));
  console.log(
    `${result.acknowledged} acknowledgements, each after one of ${result.syncs} syncs begun after its pages were written`,
  );
  rmSync(root, { recursive: true });
  if (result.acknowledged !== Number(values.commits)) process.exitCode = 1;
}

/** Says `acknowledged N.` by a system call of its own, right after commit N was acknowledged. */
async function write(path: string, commits: number): Promise<void> {
  const store = await openLmdbStore({ path, clock: realClock });
  let next = 0;
  const writeOn = async (): Promise<void> => {
    for (let n = next++; n < commits; n = next++) {
      const value = new TextEncoder().encode(`commit ${n}.`);
      await store.commit([{ type: "put", key: `/${n % 10}`, value }]);
      writeSync(1, `acknowledged ${n}.`);
    }
  };
  await Promise.all(Array.from({ length: writers }, writeOn));
  await store.close();
}
