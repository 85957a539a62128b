import type { BoxOptions } from "./box.ts";
import { openBox } from "./open-box.ts";

// A program that opens boxes, prints the nodes whose boxes are open, and then waits to be killed.
const boxes = JSON.parse(process.argv[2] ?? "[]") as readonly BoxOptions[];
setInterval(() => {}, 1 << 30);
await Promise.all(
  boxes.map(async (options) => {
    await openBox(options);
    process.stdout.write(`${options.node}\n`);
  }),
);
