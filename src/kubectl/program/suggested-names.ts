import { editDistance } from "../../cli/nearest.ts";
import type { LazyCommand } from "./kubectl-command.ts";

const maxDistance = 2;

/** The commands that were perhaps meant by an unknown name, in the order of the list. */
export function suggestedNames(typed: string, commands: readonly LazyCommand[]): readonly string[] {
  const word = typed.toLowerCase();
  return commands
    .filter(({ name, hidden, suggestFor = [] }) => {
      if (hidden) return false;
      const isNear = editDistance(word, name.toLowerCase()) <= maxDistance;
      return isNear || name.toLowerCase().startsWith(word) || suggestFor.includes(word);
    })
    .map(({ name }) => name);
}
