import { createInterface } from "node:readline";
import { errorMessage } from "../../base/error-message.ts";

/** Responds to the calls that this program receives. */
export async function serveCalls(calls: object): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, call, args } = JSON.parse(line) as { id: number; call: string; args: never[] };
    const respond = (result: object): void => {
      process.stdout.write(`${JSON.stringify({ id, ...result })}\n`);
    };
    Promise.resolve()
      .then(() => (calls as Record<string, (...args: never[]) => unknown>)[call]?.(...args))
      .then(
        (value) => respond({ value }),
        (error: unknown) => respond({ error: errorMessage(error) }),
      );
  }
}
