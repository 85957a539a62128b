#!/usr/bin/env node
// Runs `wherry init`, for `npm create wherry-operator`.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const wherry = dirname(createRequire(import.meta.url).resolve("wherry/package.json"));
const args = [join(wherry, "dist", "wherry.js"), "init", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
process.exitCode = status ?? 1;
