import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { splitLog } from "./split-log.ts";

function opened(bufferBytes: number) {
  const clock = new VirtualClock();
  const written: string[] = [];
  const log = splitLog({
    ...{ bufferBytes, flushMs: 5000, clock },
    errors: (text) => void written.push(`2:${text}`),
    others: (text) => void written.push(`1:${text}`),
  });
  return { clock, log, written };
}

test("splitLog: errors have a stream of their own", () => {
  const { log, written } = opened(0);
  log.write("a", "info");
  log.write("b", "error");
  expect(written).toEqual(["1:a", "2:b"]);
});

test("splitLog: other messages are kept until there are many, an error comes, or time has passed", async () => {
  const { clock, log, written } = opened(3);
  log.write("a", "info");
  log.write("b", "warn");
  expect(written).toEqual([]);
  log.write("c", "debug");
  expect(written.splice(0)).toEqual(["1:abc"]);
  log.write("d", "info");
  log.write("e", "error");
  expect(written.splice(0)).toEqual(["1:d", "2:e"]);
  log.write("f", "info");
  await clock.advance(5000);
  expect(written.splice(0)).toEqual(["1:f"]);
  log.write("g", "info");
  log.flush();
  expect(written).toEqual(["1:g"]);
});
