// Loaded before a program: writes at its end how much memory it had at most, in MB.
const { writeFileSync } = require("node:fs");
process.once("exit", () =>
  writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS / 1024)),
);
