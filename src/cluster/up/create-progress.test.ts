import { expect, test } from "vitest";
import { createProgress } from "./create-progress.ts";

function written(columns: number | undefined): string {
  let text = "";
  const progress = createProgress({
    columns,
    write: (more) => {
      text += more;
    },
  });
  progress.say("starting the cluster");
  progress.say("waiting for 1 node to be ready");
  progress.end();
  return text;
}

test("progress is one line on a terminal, which goes in the end", () => {
  expect(written(25)).toBe("\r\x1b[Kstarting the cluster\r\x1b[Kwaiting for 1 node to be\r\x1b[K");
});

test("progress is a line for each step elsewhere", () => {
  expect(written(undefined)).toBe("starting the cluster\nwaiting for 1 node to be ready\n");
});
