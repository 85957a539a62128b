#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { loadBundle } from "../platform/code-cache.ts";

// The program is one bundle beside this file. From its second start on, its compiled code is cached. A runtime that
// calls a plugin of CNI does not wait for all of it.
const isPlugin = process.argv[2] === "cni" && (process.env.CNI_COMMAND ?? "") !== "";
const bundle = isPlugin ? "wherry-cni.cjs" : "program.cjs";
const program = loadBundle(fileURLToPath(new URL(bundle, import.meta.url)));
if (!program.wasCached) process.once("exit", () => program.keep());
