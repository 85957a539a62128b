#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { loadBundle } from "../platform/code-cache.ts";

// The program is one bundle beside this file. From its second start on, its compiled code is cached.
const program = loadBundle(fileURLToPath(new URL("program.cjs", import.meta.url)));
if (!program.wasCached) process.once("exit", () => program.keep());
