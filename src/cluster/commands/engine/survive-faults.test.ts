import { expect, onTestFinished, test } from "vitest";
import { type Fields, noLog } from "../../../base/log.ts";
import { surviveFaults } from "./survive-faults.ts";

test("surviveFaults: what nothing handles is logged, until it is stopped", async () => {
  // The test's own listeners would fail it.
  for (const event of ["unhandledRejection", "uncaughtException"] as const) {
    const listeners = process.listeners(event as "uncaughtException");
    process.removeAllListeners(event);
    onTestFinished(() => {
      for (const listener of listeners) process.on(event as "uncaughtException", listener);
    });
  }
  const logged: unknown[] = [];
  const error = (_: string, fault: unknown, __?: Fields): void => void logged.push(fault);
  const stop = surviveFaults({ ...noLog, error });
  const [rejected, thrown] = [new Error("rejected"), new Error("thrown")];
  void Promise.reject(rejected);
  setImmediate(() => {
    throw thrown;
  });
  await expect.poll(() => logged).toEqual([rejected, thrown]);
  stop();
  expect(process.listenerCount("uncaughtException")).toBe(0);
});
