import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleServers, killAll } from "./apiserver/apiserver-process.ts";

/** Runs the parts of a benchmark that are named on the command line, or all; each in a directory of its own. */
export async function runParts(
  parts: Readonly<Record<string, (work: string) => Promise<void>>>,
): Promise<void> {
  const { positionals: wanted, values } = parseArgs({
    allowPositionals: true,
    options: { against: { type: "string" } },
  });
  const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) {
    console.error(
      `no part is named ${unknown.join(", ")}; there are ${Object.keys(parts).join(" ")}`,
    );
    process.exit(2);
  }
  console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);
  await bundleServers(values.against);
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
}
