// @ts-check
import { readFile } from "node:fs/promises";
import { codeOnly } from "./code-only.mjs";

/**
 * Makes objects that begin with a spread cheap. Node 20 makes a hidden class for each single
 * `{ ...pod, status }`: that takes ten times as long as `{ ...null, ...pod, status }`, which means
 * the same, and code that sees such objects is slow, too, since no two of them look alike to it.
 * @param {string} source
 */
export function steadyShapes(source) {
  if (!spreadFirst.test(source)) return source;
  const code = codeOnly(source);
  let steady = "";
  let from = 0;
  for (const { index, 0: brace } of code.matchAll(new RegExp(spreadFirst, "g"))) {
    const to = index + brace.length;
    steady += `${source.slice(from, to)}...null, `;
    from = to;
  }
  return steady + source.slice(from);
}

/** Up to the spread: what begins a block, a type or a pattern has none there. */
const spreadFirst = /\{\s*(?=\.\.\.)/;

/**
 * The same for all that is bundled. esbuild must not minify syntax: it would take the null out again.
 * @type {import("esbuild").Plugin}
 */
export const steadyShapesPlugin = {
  name: "steady-shapes",
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/, namespace: "file" }, async ({ path }) => ({
      contents: steadyShapes(await readFile(path, "utf8")),
      loader: "ts",
    }));
  },
};
