import { createInterface } from "node:readline";
import { errorMessage } from "../../base/error-message.ts";
import { noLog } from "../../base/log.ts";
import { routedNetwork } from "./routed-network.ts";

// A program that stands for the agent of a node in another network namespace: a call per line, a result per line.
const options = JSON.parse(process.argv[2] ?? "{}") as { folder: string; podCidr?: string };
const network = routedNetwork({ ...options, log: noLog });
const calls: Record<string, (...args: never[]) => unknown> = { ...network };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, args } = JSON.parse(line) as { id: number; call: string; args: never[] };
  const respond = (result: object): void => {
    process.stdout.write(`${JSON.stringify({ id, ...result })}\n`);
  };
  Promise.resolve()
    .then(() => calls[call]?.(...args))
    .then(
      (value) => respond({ value }),
      (error: unknown) => respond({ error: errorMessage(error) }),
    );
}
