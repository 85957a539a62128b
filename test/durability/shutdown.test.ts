import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { wherryProgram } from "../wherry-program.ts";

const dir = mkdtempSync(join(tmpdir(), "wherry-shutdown-"));
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(dir, { recursive: true });
});

/** Starts a server on the directory; the port is the one it says it serves on. */
async function started() {
  const serve = ["apiserver", "--data-dir", dir, "--secure-port", "0"];
  const child = spawn(process.execPath, [wherryProgram(), ...serve], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const ended = once(child, "close");
  let output = "";
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [, found] = /^ready: https:\/\/127\.0\.0\.1:(\d+)$/m.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on("close", () => {
      running.delete(child);
      reject(new Error(`the server did not start: ${output}`));
    });
  });
  return { child, ended, port };
}

function openSession(port: string): ClientHttp2Session {
  const pki = (name: string) => readFileSync(join(dir, "pki", name));
  const options = { ca: pki("ca.crt"), cert: pki("admin.crt"), key: pki("admin.key") };
  return connect(`https://127.0.0.1:${port}`, options).on("error", () => {});
}

/** The status of an answer, and its whole text; undefined where it does not come or is not whole. */
async function answered(stream: ClientHttp2Stream) {
  let text = "";
  let status: number | undefined;
  stream.on("response", (headers) => {
    status = headers[":status"];
  });
  stream.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const isWhole = await new Promise<boolean>((resolve) => {
    stream.on("end", () => resolve(true)).on("error", () => resolve(false));
    stream.on("close", () => resolve(stream.rstCode === 0 && status !== undefined));
  });
  return isWhole && status !== undefined ? { status, text } : undefined;
}

const configMaps = "/api/v1/namespaces/default/configmaps";

function create(session: ClientHttp2Session, name: string) {
  const head = { ":method": "POST", ":path": configMaps, "content-type": "application/json" };
  const stream = session.request(head);
  stream.end(JSON.stringify({ metadata: { name } }));
  return answered(stream);
}

test("SIGTERM: acknowledged writes are kept, and a watch ends with a complete line", async () => {
  const first = await started();
  const session = openSession(first.port);
  const watch = session.request({ ":path": `${configMaps}?watch=1` });
  const watched = answered(watch);
  await once(watch, "response");
  const names = Array.from({ length: 60 }, (_, i) => `kept-${i}`);
  const creates = names.map((name) => create(session, name));
  // Some are answered, some are under way.
  await Promise.race(creates);
  first.child.kill("SIGTERM");
  const answers = await Promise.all(creates);
  const [code] = await first.ended;
  const events = await watched;
  expect(code).toEqual(0);
  expect(events?.text).toMatch(/\}\n$/);
  for (const line of events?.text.trimEnd().split("\n") ?? [])
    expect(JSON.parse(line)).toMatchObject({ type: "ADDED" });

  const created = names.filter((_, i) => answers[i]?.status === 201);
  expect(created.length).toBeGreaterThan(0);
  const second = await started();
  const again = openSession(second.port);
  const list = await answered(again.request({ ":path": configMaps }));
  const { items } = JSON.parse(list?.text ?? "{}") as { items: { metadata: { name: string } }[] };
  const kept = new Set(items.map(({ metadata }) => metadata.name));
  expect(created.filter((name) => !kept.has(name))).toEqual([]);
  again.close();
  second.child.kill("SIGTERM");
  expect((await second.ended)[0]).toEqual(0);
});
