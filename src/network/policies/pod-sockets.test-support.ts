import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export type SocketProtocol = "TCP" | "UDP";

export interface ProbeTarget {
  readonly protocol: SocketProtocol;
  readonly address: string;
  readonly port: number;
}

/** A network namespace with a process that listens in it, and connects from it. */
export interface SocketNamespace {
  readonly pid: number;
  readonly path: string;
  /** Listens at a port, for both families; responds to everything. */
  listen(protocol: SocketProtocol, port: number): Promise<void>;
  /** Which of the targets respond within a time. */
  probe(targets: readonly ProbeTarget[], timeoutMs: number): Promise<readonly boolean[]>;
  /** Opens a connection that stays, and returns its number. */
  open(target: ProbeTarget): Promise<number>;
  /** Whether a connection that was opened responds to a message within a time. */
  exchange(connection: number, timeoutMs: number): Promise<boolean>;
  /** Has the other side of a UDP connection send messages by itself; how many arrive within a time. */
  count(connection: number, timeoutMs: number): Promise<number>;
  end(): void;
}

/** Opens a network namespace until the test ends. */
export async function openSocketNamespace(): Promise<SocketNamespace> {
  const child = spawn(
    "unshare",
    ["--net", "sh", "-c", 'ip link set lo up; exec "$0" -e "$1"', process.execPath, program],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const call = caller(child);
  await once(child.stdout, "data");
  return {
    ...{ pid: child.pid ?? 0, path: `/proc/${child.pid}/ns/net` },
    listen: (protocol, port) => call("listen", protocol, port),
    probe: (targets, timeoutMs) => call("probe", targets, timeoutMs),
    open: (target) => call("open", target),
    exchange: (connection, timeoutMs) => call("exchange", connection, timeoutMs),
    count: (connection, timeoutMs) => call("count", connection, timeoutMs),
    end: () => void child.kill("SIGKILL"),
  };
}

function caller(
  child: ChildProcess & {
    readonly stdin: NodeJS.WritableStream;
    readonly stdout: NodeJS.ReadableStream;
  },
): (name: string, ...args: readonly unknown[]) => Promise<never> {
  const waiting = new Map<number, (value: unknown) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, value } = JSON.parse(line) as { id: number; value: unknown };
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  child.stdin.on("error", () => {});
  let last = 0;
  return (name, ...args) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve as (value: unknown) => void);
      child.stdin.write(`${JSON.stringify({ id, name, args })}\n`);
    });
}

/** The program in the namespace, which Node runs as it is: it ends with its input. */
const program = `
const net = require("node:net"), dgram = require("node:dgram"), readline = require("node:readline");
const within = (ms, start) => new Promise((resolve) => {
  const timer = setTimeout(() => finish(false), ms);
  let stop = () => {};
  const finish = (value) => { clearTimeout(timer); stop(); resolve(value); };
  stop = start(finish) ?? stop;
});
const kindOf = (address) => address.includes(":") ? "udp6" : "udp4";
const tcp = ({ address, port }, ms) => within(ms, (finish) => {
  const socket = net.connect(port, address);
  socket.on("error", () => finish(false));
  socket.on("data", () => finish(true));
  return () => socket.destroy();
});
const udp = ({ address, port }, ms) => within(ms, (finish) => {
  const socket = dgram.createSocket(kindOf(address));
  socket.on("error", () => finish(false));
  socket.on("message", () => finish(true));
  socket.send("?", port, address, (error) => error && finish(false));
  return () => socket.close();
});
const connections = [];
const calls = {
  listen: (protocol, port) => new Promise((resolve, reject) => {
    if (protocol === "TCP") {
      const server = net.createServer((socket) => {
        socket.on("error", () => {});
        socket.write("!");
        socket.on("data", () => socket.write("!"));
      });
      server.on("error", reject);
      server.listen(port, "::", resolve);
      return;
    }
    const socket = dgram.createSocket("udp6");
    socket.on("error", reject);
    socket.on("message", (message, from) => {
      const reply = () => socket.send("!", from.port, from.address, () => {});
      reply();
      if (String(message) === "stream") setInterval(reply, 20);
    });
    socket.bind(port, "::", resolve);
  }),
  probe: (targets, ms) => Promise.all(targets.map((one) => (one.protocol === "TCP" ? tcp : udp)(one, ms))),
  open: ({ protocol, address, port }) => new Promise((resolve, reject) => {
    if (protocol === "TCP") {
      const socket = net.connect(port, address);
      socket.setNoDelay(true);
      socket.on("error", reject);
      socket.once("data", () => resolve(connections.push(socket) - 1));
      return;
    }
    const socket = dgram.createSocket(kindOf(address));
    socket.write = (text) => socket.send(text, port, address, () => {});
    socket.once("message", () => resolve(connections.push(socket) - 1));
    socket.write("?");
  }),
  exchange: (index, ms) => within(ms, (finish) => {
    const socket = connections[index];
    const arrived = () => finish(true);
    socket.on("data", arrived);
    socket.on("message", arrived);
    socket.write("?");
    return () => { socket.off("data", arrived); socket.off("message", arrived); };
  }),
  count: (index, ms) => new Promise((resolve) => {
    const socket = connections[index];
    let count = 0;
    const arrived = () => { count++; };
    socket.on("message", arrived);
    socket.write("stream");
    setTimeout(() => { socket.off("message", arrived); resolve(count); }, ms);
  }),
};
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, name, args } = JSON.parse(line);
  Promise.resolve(calls[name](...args)).then(
    (value) => console.log(JSON.stringify({ id, value })),
    (error) => console.log(JSON.stringify({ id, value: String(error) })),
  );
}).on("close", () => process.exit());
console.log(JSON.stringify({ id: 0 }));
`;
