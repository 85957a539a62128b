import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";

// A client that sends as many requests as it can, until it is ended; then it prints how they went.
// node FILE PORT CA TOKEN CONNECTIONS SECONDS get|patch|list PATH
const [, , port, ca, token, connections, seconds, operation, path = "/"] = process.argv;
const agent = new Agent({
  keepAlive: true,
  maxSockets: Number(connections),
  ca: readFileSync(String(ca)),
});
const counts: Record<string, number> = {};
let ending = false;
let number = 0;

const end = (): void => {
  ending = true;
  process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0));
};
process.on("SIGTERM", end);
// Also if whoever started it is gone.
setTimeout(end, Number(seconds) * 1000);

for (let i = 0; i < Number(connections); i++) void work();
console.log("ready");

async function work(): Promise<void> {
  while (!ending) {
    const status = await ask().catch(() => "error");
    counts[status] = (counts[status] ?? 0) + 1;
    // A rejected client comes back at once, but not without a turn of its own loop.
    if (status === "error") await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function ask(): Promise<string> {
  const n = number++;
  const isPatch = operation === "patch";
  const body = isPatch ? JSON.stringify({ data: { LOG_LEVEL: `level-${n}` } }) : undefined;
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json",
    ...(body && {
      "content-type": "application/merge-patch+json",
      "content-length": Buffer.byteLength(body),
    }),
  };
  const method = isPatch ? "PATCH" : "GET";
  const name = isPatch ? `/settings-${n % 256}` : "";
  return new Promise((resolve, reject) => {
    const options = { agent, host: "127.0.0.1", port, method, path: path + name, headers };
    const sent = request(options, (response) => {
      response.on("data", () => {});
      response.on("end", () => resolve(String(response.statusCode)));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
