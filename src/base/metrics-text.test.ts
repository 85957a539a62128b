import { expect, test } from "vitest";
import { familiesText } from "./metrics-text.ts";

test("familiesText: a time is written in whole milliseconds, as the format has it", () => {
  const samples = [{ labels: { a: "b" }, value: 1, at: 1767230530922.1665 }];
  expect(familiesText([{ name: "n", help: "h", type: "gauge", samples }])).toBe(
    '# HELP n h\n# TYPE n gauge\nn{a="b"} 1 1767230530922\n',
  );
});
