import { createSocket } from "node:dgram";
import { cpus } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { decodeMessage } from "../../src/network/dns/message/decode-message.ts";
import { recordTypes } from "../../src/network/dns/message/dns-codes.ts";
import { queryOf } from "../../src/network/dns/message/dns-message.test-support.ts";
import { encodeMessage } from "../../src/network/dns/message/encode-message.ts";
import { startDns, startEcho } from "./dns-servers.ts";

/**
 * Queries a second and their 99th percentile, of the DNS server with 10,000 services beside a bare UDP echo. Each server
 * is a thread of its own; the load is the same.
 */

const services = 10_000;
const secondsEach = 4;
/** Queries in flight, as of so many clients that wait for each response. */
const inFlight = 16;
const bound = 0.3;

if (isMainThread) await measureAll();
else {
  const port = await (workerData === "echo" ? startEcho() : startDns(services));
  parentPort?.postMessage(port);
}

async function measureAll(): Promise<void> {
  console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);
  const echo = await start("echo");
  const dns = await start("dns");
  const { A, AAAA, SRV } = recordTypes;
  const at = (i: number, before = ""): string => `${before}web-${i}.default.svc.cluster.local`;
  const loads: Readonly<Record<string, (i: number) => Buffer>> = {
    "service, A": (i) => encodeMessage(queryOf(at(i), A)),
    "service, absent AAAA": (i) => encodeMessage(queryOf(at(i), AAAA)),
    "port, SRV": (i) => encodeMessage(queryOf(at(i, "_http._tcp."), SRV)),
    "absent name": (i) => encodeMessage(queryOf(`${at(i)}.default.svc.cluster.local`, A)),
  };
  let missed = 0;
  for (const [name, query] of Object.entries(loads)) {
    const queries = Array.from({ length: services }, (_, i) => query(i));
    const bare = await measure(echo.port, queries);
    const served = await measure(dns.port, queries, true);
    const ratio = served.perSecond / bare.perSecond;
    const ok = ratio >= bound;
    if (!ok) missed++;
    console.log(
      `${name}: ${served.perSecond.toFixed(0)}/s, p99 ${served.p99.toFixed(2)} ms; echo ${bare.perSecond.toFixed(0)}/s, p99 ${bare.p99.toFixed(2)} ms; ratio ${ratio.toFixed(2)} (bound ≥ ${bound}) ${ok ? "ok" : "MISSED"}`,
    );
  }
  await Promise.all([echo.worker.terminate(), dns.worker.terminate()]);
  process.exitCode = missed > 0 ? 1 : 0;
}

async function start(what: "echo" | "dns") {
  const worker = new Worker(new URL(import.meta.url), { workerData: what });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
  });
  return { worker, port };
}

/** Keeps queries in flight for some seconds; each has an id of its own. */
function measure(port: number, queries: readonly Buffer[], checks = false) {
  const socket = createSocket("udp4");
  const began: number[] = [];
  const times: number[] = [];
  let next = 0;
  const send = (id: number): void => {
    const query = Buffer.from(queries[next++ % queries.length] ?? "");
    query.writeUInt16BE(id, 0);
    began[id] = performance.now();
    socket.send(query, port, "127.0.0.1");
  };
  return new Promise<{ readonly perSecond: number; readonly p99: number }>((resolve, reject) => {
    const from = performance.now();
    socket.on("message", (bytes) => {
      const now = performance.now();
      const id = bytes.readUInt16BE(0);
      times.push(now - (began[id] ?? now));
      if (checks && times.length % 1000 === 1 && !isGood(bytes))
        reject(new Error("a bad response"));
      if (now - from < secondsEach * 1000) send(id);
      else if (socket.listenerCount("message") > 0) {
        socket.removeAllListeners("message").close();
        times.sort((a, b) => a - b);
        const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
        resolve({ perSecond: (times.length * 1000) / (now - from), p99 });
      }
    });
    socket.bind(0, "127.0.0.1", () => {
      for (let id = 0; id < inFlight; id++) send(id);
    });
  });
}

/** Whether a response has records, or says why not. */
function isGood(bytes: Buffer): boolean {
  const response = decodeMessage(bytes);
  return !!response?.isResponse && response.answers.length + response.authorities.length > 0;
}
