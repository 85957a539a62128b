import { noLog } from "../../base/log.ts";
import { routedNetwork } from "./routed-network.ts";
import { serveCalls } from "./serve-calls.test-support.ts";

// A program that stands for the agent of a node in another network namespace.
const options = JSON.parse(process.argv[2] ?? "{}") as { folder: string; podCidr?: string };
await serveCalls(routedNetwork({ ...options, log: noLog }));
