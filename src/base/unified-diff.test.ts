import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const letters = "abcdefghijklmnopqrst".split("");

test("unifiedDiff: equal texts have no difference", () => {
  expect(unifiedDiff("a\nb", "a\nb")).toBe("");
});

test("unifiedDiff: a changed line has three lines of context", () => {
  const to = letters.map((line) => (line === "j" ? "J" : line));
  expect(unifiedDiff(letters.join("\n"), to.join("\n"))).toBe(
    "@@ -7,7 +7,7 @@\n g\n h\n i\n-j\n+J\n k\n l\n m\n",
  );
});

test("unifiedDiff: distant changes are in separate hunks", () => {
  const to = letters.filter((line) => line !== "b" && line !== "s");
  expect(unifiedDiff(letters.join("\n"), to.join("\n"))).toBe(
    "@@ -1,5 +1,4 @@\n a\n-b\n c\n d\n e\n@@ -16,5 +15,4 @@\n p\n q\n r\n-s\n t\n",
  );
});

test("unifiedDiff: nearby changes share a hunk", () => {
  const to = letters.filter((line) => line !== "f" && line !== "k");
  expect(unifiedDiff(letters.join("\n"), to.join("\n"))).toBe(
    "@@ -3,12 +3,10 @@\n c\n d\n e\n-f\n g\n h\n i\n j\n-k\n l\n m\n n\n",
  );
});

test("unifiedDiff: ranges of one line have no length, empty ones name the preceding line", () => {
  expect(unifiedDiff("a", "b")).toBe("@@ -1 +1 @@\n-a\n+b\n");
});

test("unifiedDiff: in long texts, lines that are repeated often do not start a run", () => {
  const from = [...Array(150).fill("x"), "here", ...Array(150).fill("x")];
  const to = ["new", ...from];
  expect(unifiedDiff(from.join("\n"), to.join("\n"))).toBe("@@ -1,3 +1,4 @@\n+new\n x\n x\n x\n");
});
