// @ts-check
// Checks the types of the whole tree: node scripts/check/types.mjs [ARGUMENT OF TSC…]
import { availableParallelism } from "node:os";
import "../build/controllers.mjs";
import "../build/kinds.mjs";
import { projectRoot } from "../project.mjs";

// Every checker works out for itself what files share: more checkers than cores are only more work.
const checkers = Math.min(4, availableParallelism());
// A checker needs what it knows to its end: collecting garbage is a quarter of the time for a tenth of the memory.
process.env.GOGC ??= "off";
process.argv.splice(2, 0, "--noEmit", "-p", projectRoot, "--checkers", `${checkers}`);
await import(new URL("../../node_modules/typescript/lib/tsc.js", import.meta.url).href);
