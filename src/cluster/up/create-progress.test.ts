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
  progress.show("starting the cluster");
  progress.show("waiting for 1 node to be ready");
  progress.end();
  return text;
}

test("on a terminal, progress is one line that is erased at the end", () => {
  expect(written(25)).toBe("\r\x1b[Kstarting the cluster\r\x1b[Kwaiting for 1 node to be\r\x1b[K");
});

test("elsewhere, progress is one line for each step", () => {
  expect(written(undefined)).toBe("starting the cluster\nwaiting for 1 node to be ready\n");
});
