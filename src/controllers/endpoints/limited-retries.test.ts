import { expect, test } from "vitest";
import { TerminalError } from "../../controller-runtime/reconcile/controller-definition.ts";
import { limitedRetries } from "./limited-retries.ts";

const error = new Error("no");
const fail = (): Promise<never> => Promise.reject(error);

test("limitedRetries: a failure is retried fifteen times", async () => {
  await expect(limitedRetries({ attempt: 1 }, async () => "done")).resolves.toBe("done");
  await expect(limitedRetries({ attempt: 15 }, fail)).rejects.toBe(error);
  const last = limitedRetries({ attempt: 16 }, fail);
  await expect(last).rejects.toBeInstanceOf(TerminalError);
  await expect(last).rejects.toMatchObject({ cause: error });
});
