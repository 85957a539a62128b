import type { Output } from "../../../cli/command.ts";
import { painted } from "../../store/terminal.ts";
import type { Check, Facts } from "./checks/check.ts";

/** What became of a check. */
export interface Result {
  readonly check: Check;
  /** `unknown` if the facts could not be read. */
  readonly state: "ok" | "unknown" | Check["severity"];
  readonly findings: readonly string[];
}

/** Runs all checks. */
export const runChecks = (checks: readonly Check[], facts: Facts): readonly Result[] =>
  checks.map((check) => {
    const findings = check.look(facts);
    if (!findings) return { check, state: "unknown", findings: [] };
    return { check, state: findings.length === 0 ? "ok" : check.severity, findings };
  });

const signs = { ok: "ok", fault: "FAULT", advice: "advice", unknown: "unknown" } as const;
const colours = { ok: "green", fault: "red", advice: "yellow", unknown: "grey" } as const;
/** More findings of one check are counted. */
const mostFindings = 5;

/** Prints a line for each check; what was found is followed by its reason and its fix. */
export function printReport(results: readonly Result[], output: Output): void {
  for (const { check, state, findings } of results) {
    const sign = painted(output, colours[state], signs[state].padEnd(8));
    output.write(`${sign}${check.id}: ${check.title}\n`);
    if (findings.length === 0) continue;
    for (const finding of findings.slice(0, mostFindings)) output.write(`        - ${finding}\n`);
    const more = findings.length - mostFindings;
    if (more > 0) output.write(`        - and ${more} more\n`);
    output.write(`        Why: ${check.why}\n        Fix: ${check.fix}\n`);
  }
  const count = (state: Result["state"]) => results.filter((one) => one.state === state).length;
  output.write(
    `\n${count("ok")} ok, ${count("fault")} faults, ${count("advice")} advice, ${count("unknown")} unknown\n`,
  );
}

/** The same for programs. */
export const reportJson = (results: readonly Result[]): string =>
  JSON.stringify(
    results.map(({ check: { id, title, why, fix }, state, findings }) => ({
      ...{ id, title, state, findings },
      ...(findings.length > 0 && { why, fix }),
    })),
    undefined,
    2,
  );
