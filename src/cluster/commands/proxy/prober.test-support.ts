import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Namespace } from "../../../network/pods/namespaces.test-support.ts";

/** A process in a namespace that responds to clients with its name and their address, and is a client itself. */
export interface Prober {
  /** Connects; resolves with what was received, or with why nothing was. */
  probe(target: ProbeTarget): Promise<string>;
}

export interface ProbeTarget {
  readonly protocol: "TCP" | "UDP";
  readonly address: string;
  readonly port: number;
  /** The port to send from; any by default. */
  readonly from?: number | undefined;
}

/** Starts such a process, which listens at ports of TCP and UDP until the test ends. */
export async function startProber(
  at: Namespace,
  name: string,
  ports: readonly number[] = [],
): Promise<Prober> {
  const child = spawn(
    "nsenter",
    [`--net=${at.path}`, process.execPath, "-e", script, name, JSON.stringify(ports)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const waiting = new Map<number, (result: string) => void>();
  let ready = (): void => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: string };
    if (id === 0) ready();
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await isReady;
  let last = 0;
  return {
    probe(target) {
      const id = ++last;
      const result = new Promise<string>((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ id, ...target })}\n`);
      return result;
    },
  };
}

/** A request waits this long for a response. */
const waitMs = 1500;

const script = `
const net = require("node:net"), dgram = require("node:dgram");
const [name, ports] = process.argv.slice(1);
const plain = (address) => address.replace(/^::ffff:/, "");
const text = (address) => name + " " + plain(address);
const opening = JSON.parse(ports).flatMap((port) => [
  new Promise((done) => net.createServer((socket) => {
    socket.on("error", () => {});
    socket.end(text(socket.remoteAddress));
  }).listen(port, "::", done)),
  ...["udp4", "udp6"].map((type) => new Promise((done) => {
    const socket = dgram.createSocket({ type, ipv6Only: type === "udp6" });
    socket.on("message", (_, from) => socket.send(text(from.address), from.port, from.address));
    socket.bind(port, done);
  })),
]);
Promise.all(opening).then(() => console.log(JSON.stringify({ id: 0 })));
const probes = {
  TCP: ({ address, port, from }, done) => {
    const socket = net.connect({ host: address, port, localPort: from });
    let received = "";
    socket.on("data", (data) => (received += data)).on("end", () => done(received));
    socket.on("error", (error) => done(error.code));
    return () => socket.destroy();
  },
  UDP: ({ address, port, from }, done) => {
    const socket = dgram.createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.on("error", (error) => done(error.code));
    const go = () => {
      socket.connect(port, address, (error) => error ? done(error.code) : socket.send("hello"));
      socket.on("message", (message) => done(String(message)));
    };
    if (from === undefined) go(); else socket.bind(from, go);
    return () => { try { socket.close(); } catch {} };
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, protocol, ...target } = JSON.parse(line);
  let isDone = false, stop = () => {};
  const done = (result) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    stop();
    console.log(JSON.stringify({ id, result }));
  };
  const timer = setTimeout(() => done("no response"), ${waitMs});
  stop = probes[protocol](target, done);
}).on("close", () => process.exit());
`;
