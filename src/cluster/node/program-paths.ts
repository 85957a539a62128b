import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The paths without which this program does not run: Node, its own folder, and the packages that it loads. */
export function programPaths(): { readonly program: string; readonly paths: readonly string[] } {
  const program = realpathSync(process.argv[1] ?? "");
  const own = dirname(program);
  const packages: string[] = [];
  for (let folder = own; folder !== dirname(folder); folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if (existsSync(modules)) packages.push(modules);
  }
  return { program, paths: [realpathSync(process.execPath), own, ...packages] };
}
