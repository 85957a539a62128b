#!/usr/bin/env node
import { createRequire } from "node:module";
import { join } from "node:path";
import { loadBundle } from "../platform/code-cache.ts";

// A CommonJS program, which Node starts several milliseconds sooner than a module.
// A runtime that calls a plugin of CNI does not wait for the whole program.
if (process.argv[2] === "cni" && (process.env.CNI_COMMAND ?? "") !== "") {
  createRequire(__filename)("./wherry-cni.cjs");
} else {
  // Programs are bundles beside this file; clients do not load the server's. From the second start on, compiled code
  // is cached.
  const isKubectl = process.argv[2] === "kubectl";
  const program = loadBundle(join(__dirname, isKubectl ? "kubectl.cjs" : "program.cjs"));
  if (!program.wasCached) process.once("exit", () => program.keep());
}
