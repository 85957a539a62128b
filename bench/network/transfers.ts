import { spawn } from "node:child_process";
import { once } from "node:events";
import type { CrashNamespace } from "../../scripts/proofs/proxy-crash/crash-namespaces.ts";
import { median } from "../engine/engine-verdict.ts";

/** What a service costs, as ratios to the address of the pod. */
export interface TransferRatios {
  readonly throughput: number;
  readonly latency: number;
  readonly connecting: number;
}

/** Bytes a second, milliseconds for a message there and back, and for a connection. */
interface Transfer {
  readonly throughput: number;
  readonly latency: number;
  readonly connecting: number;
}

export interface TransferTargets {
  /** The addresses at which the pod listens, at port 9000. */
  readonly addresses: readonly string[];
  readonly direct: string;
  readonly service: string;
}

const rounds = 5;

/** Measures a service and its pod by turns, from another pod. */
export async function measureTransfers(
  client: CrashNamespace,
  backend: CrashNamespace,
  { addresses, direct, service }: TransferTargets,
): Promise<TransferRatios> {
  const server = start(backend, serverScript, JSON.stringify(addresses));
  try {
    await once(server.stdout, "data");
    const measured: (readonly [service: Transfer, direct: Transfer])[] = [];
    for (let i = 0; i < rounds; i++)
      measured.push([await transfer(client, service), await transfer(client, direct)]);
    const ratio = (of: keyof Transfer): number =>
      median(measured.map(([there, direct]) => there[of] / direct[of]));
    return {
      ...{ throughput: ratio("throughput"), latency: ratio("latency") },
      connecting: ratio("connecting"),
    };
  } finally {
    server.kill("SIGKILL");
  }
}

async function transfer(client: CrashNamespace, target: string): Promise<Transfer> {
  const child = start(client, clientScript, target);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await once(child, "close");
  return JSON.parse(text) as Transfer;
}

const start = ({ prefix }: CrashNamespace, script: string, ...args: readonly string[]) =>
  spawn(prefix[0] ?? "", [...prefix.slice(1), process.execPath, "-e", script, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });

/** The first byte says what is to happen with the others: to be counted, or to be sent back. */
const serverScript = `
const net = require("node:net");
process.stdin.resume().on("end", () => process.exit());
Promise.all(JSON.parse(process.argv[1]).map((address) => new Promise((done) =>
  net.createServer((socket) => {
    socket.setNoDelay(true).on("error", () => {});
    socket.once("data", (first) => {
      let size = first.length;
      if (first[0] === 101) { socket.write(first); return void socket.on("data", (data) => socket.write(data)); }
      socket.on("data", (data) => (size += data.length)).on("end", () => socket.end(String(size)));
    });
  }).listen({ port: 9000, host: address, allowHalfOpen: true }, done)))).then(() => console.log("ready"));
`;

const clientScript = `
const net = require("node:net");
const [host, port] = process.argv[1].split(":");
const open = (allowHalfOpen = false) => new Promise((done, failed) => {
  const socket = net.connect({ host, port: Number(port), noDelay: true, allowHalfOpen }, () => done(socket));
  socket.on("error", failed);
});
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
(async () => {
  const connecting = [];
  for (let i = 0; i < 300; i++) {
    const start = performance.now();
    const socket = await open();
    connecting.push(performance.now() - start);
    socket.destroy();
  }
  const echo = await open();
  const latency = [];
  for (let i = 0; i < 3000; i++) {
    const start = performance.now();
    echo.write("e");
    await new Promise((done) => echo.once("data", done));
    latency.push(performance.now() - start);
  }
  echo.destroy();
  const bulk = await open(true);
  const block = Buffer.alloc(1 << 18, "b");
  const start = performance.now();
  let sent = 0;
  while (performance.now() - start < 400) {
    sent += block.length;
    if (!bulk.write(block)) await new Promise((done) => bulk.once("drain", done));
  }
  bulk.end();
  let received = "";
  for await (const data of bulk) received += data;
  if (Number(received) !== sent) throw new Error("not all was received: " + received + " of " + sent);
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ throughput: sent / seconds, latency: median(latency), connecting: median(connecting) }));
})();
`;
