import type { TestCase, TestModule } from "vitest/node";
import { MinimalReporter } from "vitest/node";

/** Prints what failed, and as its last lines how many tests passed, failed and were skipped, and why. */
export default class SummaryReporter extends MinimalReporter {
  override reportSummary(...summary: Parameters<MinimalReporter["reportSummary"]>): void {
    super.reportSummary(...summary);
    this.log(summaryLines(this.ctx.state.getTestModules()).join("\n"));
  }
}

function summaryLines(modules: readonly TestModule[]): string[] {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  const reasons = new Map<string, number>();
  for (const test of tests) {
    const { state } = test.result();
    count[state]++;
    if (state !== "skipped") continue;
    const reason = skipReason(test);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  // A file that could not be loaded has no tests, and is a failure nevertheless.
  count.failed += modules.filter((module) => module.errors().length > 0).length;
  return [
    `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`,
    ...[...reasons].map(([reason, skipped]) => `  ${skipped} skipped: ${reason}`),
  ];
}

function skipReason(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped" && result.note !== undefined) return result.note;
  const own = test.meta().skipReason;
  if (own !== undefined) return own;
  for (let group = test.parent; group.type === "suite"; group = group.parent) {
    const reason = group.meta().skipReason;
    if (reason !== undefined) return reason;
  }
  return "no reason given";
}
