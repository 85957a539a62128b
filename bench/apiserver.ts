import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { benchIdle } from "./apiserver-idle.ts";
import { bundleServers, killAll } from "./apiserver-process.ts";
import { benchCreates, benchGet, benchList } from "./apiserver-requests.ts";
import { benchStart } from "./apiserver-start.ts";
import { benchIdleWatchers, benchWatchers } from "./apiserver-watch.ts";

// npm run bench apiserver [PART…]: all parts, or those that are named.
const parts: Readonly<Record<string, (work: string) => Promise<void>>> = {
  start: benchStart,
  idle: benchIdle,
  get: benchGet,
  list: benchList,
  create: benchCreates,
  watch: benchWatchers,
  watchers: benchIdleWatchers,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(
    `no part is named ${unknown.join(", ")}; there are ${Object.keys(parts).join(" ")}`,
  );
  process.exit(2);
}
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);
try {
  await bundleServers();
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const work = mkdtempSync(join(tmpdir(), "wherry-bench-"));
    try {
      await part(work);
    } finally {
      killAll();
      rmSync(work, { recursive: true, force: true });
    }
  }
} finally {
  killAll();
}
