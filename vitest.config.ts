import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import "./scripts/build/controllers.mjs";
import "./scripts/build/kinds.mjs";
import { steadyShapes } from "./scripts/build/steady-shapes.mjs";
import { timeLimits } from "./test/long-enough.ts";
import { LongFilesFirst } from "./test/long-files-first.ts";

export default defineConfig({
  // As in what is built: what is tested should be what runs.
  plugins: [
    {
      name: "steady-shapes",
      enforce: "pre",
      transform: (code, id) => (/\.ts$/.test(id) ? steadyShapes(code) : undefined),
    },
  ],
  test: {
    include: ["src/**/*.test.ts", "scripts/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["./test/summary-reporter.ts"],
    // Modules have no state of their own, so test files can share a process.
    isolate: false,
    ...timeLimits,
    // Many tests wait for programs that they run: even two processors have time for four.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongFilesFirst },
  },
});
