import { spawnSync } from "node:child_process";
import { basename, isAbsolute } from "node:path";
import { findExecutable } from "../plugins/find-executable.ts";
import { listPlugins } from "../plugins/list-plugins.ts";
import type { LazyCommand } from "../program/kubectl-command.ts";
import type { Program } from "../program/run-kubectl.ts";
import { type Candidates, directives } from "./candidates.ts";

/** The first words of plugins that no command has, as commands. */
export function pluginCommands(
  program: Program,
  known: readonly LazyCommand[],
): readonly LazyCommand[] {
  const names = listPlugins(program).map(
    (path) => basename(path).split("-")[1]?.replaceAll("_", "-") ?? "",
  );
  return [...new Set(names)]
    .filter((name) => !known.some((command) => command.name === name))
    .map((name) => ({
      name,
      short: `The command ${name} is a plugin installed by the user`,
      load: () => Promise.reject(new Error(`${name} is a plugin`)),
    }));
}

/** What the completion program of a plugin prints; undefined if no plugin has the name. */
export async function pluginCandidates(
  program: Program,
  args: readonly string[],
  word: string,
  debug: (text: string) => void,
): Promise<Candidates | undefined> {
  const plugins = listPlugins(program).map((path) => basename(path).split("-").slice(1));
  const words = args.map((arg) => arg.replaceAll("-", "_"));
  const [longest] = plugins
    .filter((plugin) => plugin.every((part, i) => part === words[i]))
    .toSorted((a, b) => b.length - a.length);
  if (!longest) return undefined;
  const name = `kubectl-${longest.join("-")}`;
  const completer = name.replace("-", "_complete-");
  debug(`About to look for: ${completer}`);
  const path = findExecutable(completer, program);
  if (path === undefined || !isAbsolute(path)) {
    debug(`Plugin ${name} does not provide a matching completion executable`);
    return { words: [], directive: directives.default };
  }
  const rest = [...args.slice(longest.length), word];
  debug(`About to call: ${path} ${rest.join(" ")}`);
  const { stdout, status } = spawnSync(path, rest, {
    cwd: program.cwd,
    env: program.env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
  const [, directive] = /^:(\d+)$/.exec(lines.at(-1) ?? "") ?? [];
  return directive === undefined
    ? { words: lines, directive: directives.default }
    : { words: lines.slice(0, -1), directive: Number(directive) };
}
