import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { ownPlugins } from "./own-plugins.ts";
import { runPlugin } from "./run-plugin.ts";

/** The program of our plugins: a process for each call, which does what its name says, or else its configuration. */
async function main(): Promise<void> {
  // Runtimes may have a short PATH, or none.
  process.env.PATH = [process.env.PATH, "/usr/sbin:/usr/bin:/sbin:/bin"].filter(Boolean).join(":");
  const path = process.argv[1] ?? "";
  const start = {
    // As `wherry cni` it is what the configuration says.
    name: process.argv[2] === "cni" ? "" : basename(path),
    env: process.env,
    readInput: async () => (process.stdin.isTTY ? "" : text(process.stdin)),
  };
  const { code, stdout, stderr = "" } = await runPlugin(start, ownPlugins(path));
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  process.exitCode = code;
}

void main();
