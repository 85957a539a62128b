#!/usr/bin/env node
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { loadBundle } from "../platform/code-cache.ts";

// A runtime that calls a plugin of CNI does not wait for the whole program.
if (process.argv[2] === "cni" && (process.env.CNI_COMMAND ?? "") !== "") {
  createRequire(import.meta.url)("./wherry-cni.cjs");
} else {
  // Programs are bundles beside this file; clients do not load the server's. From the second start on, compiled code
  // is cached.
  const isKubectl = process.argv[2] === "kubectl";
  const file = new URL(isKubectl ? "kubectl.cjs" : "program.cjs", import.meta.url);
  const program = loadBundle(fileURLToPath(file));
  if (!program.wasCached) process.once("exit", () => program.keep());
}
