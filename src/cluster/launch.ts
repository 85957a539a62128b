#!/usr/bin/env node
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { loadBundle } from "../platform/code-cache.ts";

// A runtime that calls a plugin of CNI does not wait for the whole program.
if (process.argv[2] === "cni" && (process.env.CNI_COMMAND ?? "") !== "") {
  createRequire(import.meta.url)("./wherry-cni.cjs");
} else {
  // The program is one bundle beside this file. From its second start on, its compiled code is cached.
  const program = loadBundle(fileURLToPath(new URL("program.cjs", import.meta.url)));
  if (!program.wasCached) process.once("exit", () => program.keep());
}
