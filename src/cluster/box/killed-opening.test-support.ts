import type { BoxOptions } from "./box.ts";
import { openBox } from "./open-box.ts";

// A program that opens boxes and then waits to be killed: its argument is a list of options.
const boxes = JSON.parse(process.argv[2] ?? "[]") as readonly BoxOptions[];
await Promise.all(boxes.map(openBox));
setInterval(() => {}, 1 << 30);
