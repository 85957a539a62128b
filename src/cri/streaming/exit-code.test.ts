import { expect, test } from "vitest";
import { exitStatus, failureStatus } from "./command-status.ts";
import { exitCodeOf } from "./exit-code.ts";

test.each([0, 1, 137, 255])("exitCodeOf: %d", (code) => {
  expect(exitCodeOf(JSON.stringify(exitStatus(code)))).toBe(code);
});

const failure = (details: unknown): string =>
  JSON.stringify({ status: "Failure", reason: "NonZeroExitCode", details });

test.each<[string, string]>([
  [
    "Internal error occurred: error attaching to container: gone",
    JSON.stringify(failureStatus("attach", new Error("gone"))),
  ],
  ["error stream protocol error: unknown error", "{}"],
  ["error stream protocol error: details must be set", failure(undefined)],
  ["error stream protocol error: no ExitCode cause given", failure({ causes: [] })],
  [
    'error stream protocol error: invalid exit code value "256"',
    failure({ causes: [{ reason: "ExitCode", message: "256" }] }),
  ],
  ["error stream protocol error: ", "not JSON"],
  ["error stream protocol error: ", ""],
])("exitCodeOf: %s", (message, text) => {
  expect(() => exitCodeOf(text)).toThrow(message);
});
