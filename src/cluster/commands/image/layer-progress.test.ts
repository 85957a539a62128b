import { expect, test } from "vitest";
import { layerProgress } from "./layer-progress.ts";

function shown(columns: number | undefined): string {
  let text = "";
  const show = layerProgress({ columns, write: (more) => (text += more) });
  show({ id: "a", status: "Pulling fs layer" });
  show({ id: "b", status: "Pulling fs layer" });
  show({ id: "a", status: "Downloading", current: 500, total: 1000 });
  show({ id: "b", status: "Pull complete" });
  return text;
}

test("layerProgress: a file gets a line for each change of status", () => {
  expect(shown(undefined)).toBe("a: Pulling fs layer\nb: Pulling fs layer\nb: Pull complete\n");
});

test("layerProgress: a terminal has one line for each layer, which is rewritten", () => {
  const lines = ["", ""];
  let row = 0;
  for (const part of shown(80)
    .replaceAll("\u001b", "ESC")
    .split(/(?=\n|ESC\[\d+[AB])/)) {
    const moved = /^ESC\[(\d+)([AB])\r(?:ESC\[2K(.*))?$/s.exec(part);
    if (part === "\n") row++;
    if (moved) row += Number(moved[1]) * (moved[2] === "A" ? -1 : 1);
    if (moved?.[3] !== undefined) lines[row] = moved[3];
  }
  expect(lines).toEqual([
    `a: Downloading [${"=".repeat(15)}>${" ".repeat(14)}]  500B/1kB`,
    "b: Pull complete",
  ]);
});
