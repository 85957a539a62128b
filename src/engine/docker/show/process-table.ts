import { DockerError } from "../http/docker-error.ts";

/** The lines of `ps` that are of these processes; the last column may have spaces. */
export function parseProcessTable(
  output: string,
  pids: ReadonlySet<string>,
): { readonly Titles: readonly string[]; readonly Processes: readonly (readonly string[])[] } {
  const [head = "", ...lines] = output.split("\n").filter((line) => line.trim() !== "");
  const Titles = head.trim().split(/\s+/);
  const pidColumn = Titles.indexOf("PID");
  if (pidColumn < 0) throw new DockerError(500, "Couldn't find PID field in ps output");
  const Processes = lines
    .map((line) => columns(line, Titles.length))
    .filter((fields) => pids.has(fields[pidColumn] ?? ""));
  return { Titles, Processes };
}

function columns(line: string, count: number): readonly string[] {
  const words = line.trim().split(/\s+/);
  return [...words.slice(0, count - 1), words.slice(count - 1).join(" ")];
}
