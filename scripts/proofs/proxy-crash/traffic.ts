import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { CrashNamespace } from "./crash-namespaces.ts";

/** Clients and endpoints of services, in namespaces of their own. */
export interface Traffic {
  /** The endpoint that responds at port 80 of an address, or why none does within this time. */
  probe(protocol: "tcp" | "udp", address: string, patienceMs?: number): Promise<string>;
  close(): void;
}

/** Starts endpoints at addresses, which respond with theirs, and a client. */
export async function startTraffic(
  client: CrashNamespace,
  backend: CrashNamespace,
  addresses: readonly string[],
): Promise<Traffic> {
  const endpoints = start(backend, endpointScript, JSON.stringify(addresses));
  await nextLine(endpoints);
  const child = start(client, clientScript);
  const waiting = new Map<string, (result: string) => void>();
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const [id = "", result = ""] = line.split(" ");
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  return {
    probe(protocol, address, patienceMs = 400) {
      const id = String(++last);
      const result = new Promise<string>((resolve) => waiting.set(id, resolve));
      child.stdin?.write(`${id} ${protocol} ${address} ${patienceMs}\n`);
      return result;
    },
    close() {
      child.kill("SIGKILL");
      endpoints.kill("SIGKILL");
    },
  };
}

/** Both end when their input does: with this process. */
const start = ({ prefix }: CrashNamespace, script: string, ...args: readonly string[]) =>
  spawn(prefix[0] ?? "", [...prefix.slice(1), process.execPath, "-e", script, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });

const nextLine = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.stdout?.once("data", resolve));

const endpointScript = `
const net = require("node:net"), dgram = require("node:dgram");
process.stdin.resume().on("end", () => process.exit());
Promise.all(JSON.parse(process.argv[1]).flatMap((address) => [
  new Promise((done) => net.createServer((socket) => {
    socket.on("error", () => {});
    socket.end(address);
  }).listen(8080, address, done)),
  new Promise((done) => {
    const socket = dgram.createSocket("udp4");
    socket.on("message", (_, from) => socket.send(address, from.port, from.address));
    socket.bind(8080, address, done);
  }),
])).then(() => console.log("ready"));
`;

/** A client of UDP keeps its port, so that the kernel takes all packets to an address for one flow. */
const clientScript = `
const net = require("node:net"), dgram = require("node:dgram");
const probes = {
  tcp(address, done) {
    const socket = net.connect({ host: address, port: 80 });
    let received = "";
    socket.on("data", (data) => (received += data)).on("end", () => done(received || "nothing"));
    socket.on("error", (error) => done(error.code));
    return () => socket.destroy();
  },
  udp(address, done) {
    const socket = dgram.createSocket({ type: "udp4", reuseAddr: true });
    socket.on("error", (error) => done(error.code)).on("message", (text) => done(String(text)));
    const [, , high, low] = address.split(".").map(Number);
    socket.bind(10000 + ((high * 256 + low) % 50000), () => socket.connect(80, address, (error) =>
      error ? done(error.code) : socket.send("hello", (fault) => fault && done(fault.code))));
    return () => { try { socket.close(); } catch {} };
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [id, protocol, address, patienceMs] = line.split(" ");
  let stop = () => {}, isDone = false;
  const done = (result) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    stop();
    console.log(id + " " + result);
  };
  const timer = setTimeout(() => done("silence"), Number(patienceMs));
  stop = probes[protocol](address, done);
}).on("close", () => process.exit());
`;
