// Loaded before a program: writes at its end how much memory it had at most, in MB.
const { writeFileSync } = require("node:fs");
const { BENCH_MEMORY: file } = process.env;
if (file !== undefined)
  process.once("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS / 1024)));
