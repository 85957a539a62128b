import { parseArgs } from "node:util";

/** What every runner takes: where the server is, which cases, and the folders that hold them. */
export interface RunnerArguments {
  readonly kubeconfig: string;
  readonly grep: RegExp;
  readonly quiet: boolean;
  /** Options of this runner alone. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly folders: readonly string[];
}

/** Reads the command line, or prints the usage and ends the process. */
export function runnerArguments(
  name: string,
  own: Readonly<Record<string, { readonly type: "string" | "boolean" }>> = {},
): RunnerArguments {
  const options = {
    kubeconfig: { type: "string" },
    grep: { type: "string" },
    quiet: { type: "boolean" },
    ...own,
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const { kubeconfig, grep = "", quiet = false } = values as Record<string, never>;
    if (kubeconfig !== undefined && positionals.length > 0)
      return { kubeconfig, grep: new RegExp(grep), quiet, values, folders: positionals };
  } catch (error) {
    console.error((error as Error).message);
  }
  const flags = Object.entries(options).map(([flag, { type }]) =>
    flag === "kubeconfig" ? "" : ` [--${flag}${type === "string" ? " VALUE" : ""}]`,
  );
  console.error(`usage: npm run ${name} -- --kubeconfig FILE${flags.join("")} FOLDER…`);
  process.exit(2);
}

/** How many cases of each family, the first part of their names, were equal. */
export class Tally {
  readonly #families = new Map<string, { equal: number; different: number; skipped: number }>();

  count(name: string, outcome: "equal" | "different" | "skipped"): void {
    const family = name.split("/")[0] ?? "";
    const counts = this.#families.get(family) ?? { equal: 0, different: 0, skipped: 0 };
    counts[outcome]++;
    this.#families.set(family, counts);
  }

  /** Prints the counts, and sets the exit code: 0 only when something ran and all was equal. */
  finish(): void {
    const families = [...this.#families].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [family, { equal, different, skipped }] of families) {
      const rest = skipped === 0 ? "" : `, ${skipped} skipped`;
      console.log(`${family}: ${equal} equal, ${different} different${rest}`);
    }
    const passed = families.length > 0 && families.every(([, { different }]) => different === 0);
    process.exitCode = passed ? 0 : 1;
  }
}
