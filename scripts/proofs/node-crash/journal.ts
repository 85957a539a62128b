import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the containers of one name of a pod have said. */
export interface ContainerJournal {
  /** How often each container has started, by its ID. */
  readonly starts: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
}

/** Reads what the containers of a pod have said, by their names. */
export function readJournal(folder: string, pod: string): ReadonlyMap<string, ContainerJournal> {
  const path = join(folder, pod);
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  const found = new Map<string, { starts: Map<string, number>; counts: Map<string, number> }>();
  for (const line of lines) {
    const [name = "", id = "", ...words] = line.split(" ");
    const what = words.join(" ");
    const { starts, counts } = found.get(name) ?? { starts: new Map(), counts: new Map() };
    found.set(name, { starts, counts });
    if (what === "start") starts.set(id, (starts.get(id) ?? 0) + 1);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return found;
}

/** What is wrong with what a container has said, whatever it is for. */
export function journalProblems(
  { starts, counts }: ContainerJournal,
  { restarts }: { readonly restarts: number },
): readonly string[] {
  const problems: string[] = [];
  for (const [id, count] of starts)
    if (count > 1) problems.push(`${id} has started ${count} times`);
  if (starts.size > restarts + 1)
    problems.push(`${starts.size} containers have run, with ${restarts} restarts`);
  if (counts.has("overlap")) problems.push("two containers have run at the same time");
  if ((counts.get("first") ?? 0) > 1) problems.push("an emptyDir was emptied");
  for (const what of counts.keys()) if (what.startsWith("missing")) problems.push(what);
  return problems;
}
