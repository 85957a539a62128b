import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { requires, testWith } from "../../test/requires.ts";
import { runScript } from "../project.mjs";
import { checkSyncs, parseTrace } from "./sync-trace-check.ts";

testWith(requires("strace"))(
  "LmdbStore: each acknowledgement follows a sync begun after its commit, by a trace of system calls",
  async () => {
    const program = [runScript, join(import.meta.dirname, "sync-trace.ts")];
    const { stdout } = await promisify(execFile)(process.execPath, program);
    expect(stdout).toMatch(/^200 acknowledgements, each after one of \d+ syncs/);
  },
);

const [open, page, sync, root, answer] = [
  `openat(AT_FDCWD</>, "/s/data.mdb", O_WRONLY|O_DSYNC) = 20</s/data.mdb>`,
  `writev(19</s/data.mdb>, [{iov_base="..commit 7...", iov_len=4096}], 1) = 4096`,
  `fdatasync(19</s/data.mdb>) = 0`,
  `pwrite64(20</s/data.mdb>, "..", 128, 40) = 128`,
  `write(1</dev/null>, "acknowledged 7.", 15) = 15`,
];
const [syncBegins, syncEnds] = [
  `fdatasync(19</s/data.mdb> <unfinished ...>`,
  `<... fdatasync resumed>) = 0`,
];
const early = "commit 7 was acknowledged before it was durable";
const traces: [string, string[], string][] = [
  ["the right order", [open, page, sync, root, answer], "1 after 1"],
  ["a sync that takes its time", [open, page, syncBegins, syncEnds, root, answer], "1 after 1"],
  ["an answer before all", [open, answer, page, sync, root], early],
  ["an answer during the sync", [open, page, syncBegins, answer, syncEnds, root], early],
  ["an answer before the last page", [open, page, sync, answer, root], early],
  ["a sync before the page", [open, sync, page, root, answer], early],
  ["a sync begun before the page", [open, syncBegins, page, syncEnds, root, answer], early],
  ["a last page that nothing syncs", [page, sync, root, answer], early],
  ["a failed sync", [open, page, sync.replace("0", "-1 EIO"), root, answer], early],
  ["no page at all", [open, sync, root, answer], "no page with commit 7 was written"],
];
for (const [what, calls, expected] of traces) {
  test(`checkSyncs: ${what}`, () => {
    const lines = calls.map((call) => `${call.startsWith("write(") ? 1 : 2} 17.5 ${call}\n`);
    expect(outcome(lines.join(""))).toBe(expected);
  });
}

function outcome(trace: string): string {
  try {
    const { acknowledged, syncs } = checkSyncs(parseTrace(trace));
    return `${acknowledged} after ${syncs}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
