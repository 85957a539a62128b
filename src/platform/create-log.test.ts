import { expect, test } from "vitest";
import type { Log } from "../base/log.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createLog, type LogOptions } from "./create-log.ts";

function lines(use: (log: Log) => void, options: Partial<LogOptions> = {}): string[] {
  const written: string[] = [];
  const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
  const write = (line: string): void => void written.push(line);
  use(createLog({ clock, level: "info", format: "text", write, ...options }));
  return written;
}

test("text log: a line has time, level, message and fields", () => {
  const written = lines((log) =>
    log.info("started", { port: 6443, host: "::1", note: "a b", no: undefined }),
  );
  expect(written).toEqual([
    '2026-01-02T03:04:05.006Z INFO  started port=6443 host=::1 note="a b"\n',
  ]);
});

test("text log: a field cannot forge a line", () => {
  const written = lines((log) => log.info("request", { path: "/a\n2026 ERROR forged" }));
  expect(written).toEqual([
    '2026-01-02T03:04:05.006Z INFO  request path="/a\\n2026 ERROR forged"\n',
  ]);
});

test("json log: one object a line, and fields cannot replace the log's own members", () => {
  const written = lines((log) => log.warn("slow", { level: "x", ms: 3 }), { format: "json" });
  expect(written.map((line) => JSON.parse(line))).toEqual([
    { time: "2026-01-02T03:04:05.006Z", level: "warn", message: "slow", ms: 3 },
  ]);
});

test("log: an error comes with its causes", () => {
  const error = new Error("cannot start", { cause: new Error("port in use") });
  expect(lines((log) => log.error("stopped", error))).toEqual([
    '2026-01-02T03:04:05.006Z ERROR stopped error="cannot start: port in use"\n',
  ]);
});

test("log: messages below the level are dropped", () => {
  const use = (log: Log): void => {
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e", "broken");
  };
  const messages = (level: LogOptions["level"]): string[] =>
    lines(use, { level }).map((line) => line.split(/ +/)[2]?.trim() ?? "");
  expect([messages("debug"), messages("warn")]).toEqual([
    ["d", "i", "w", "e"],
    ["w", "e"],
  ]);
});

test("log: single debug messages are logged at every level", () => {
  const use = (log: Log): void => {
    log.debug("one");
    log.with({ a: 1 }).debug("two");
    log.debug("three");
  };
  const written = lines(use, { level: "warn", debugged: new Set(["two"]) });
  expect(written).toEqual(["2026-01-02T03:04:05.006Z DEBUG two a=1\n"]);
});

test("log: with adds fields to every message and leaves the original alone", () => {
  const written = lines((log) => {
    log.with({ a: 1 }).with({ b: 2 }).info("m", { c: 3 });
    log.info("m");
  });
  expect(written.map((line) => line.slice(31))).toEqual(["m a=1 b=2 c=3\n", "m\n"]);
});

test("log: credentials do not appear, wherever they are", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nsesame\n-----END PRIVATE KEY-----";
  const use = (log: Log): void => {
    const fields = {
      token: "sesame",
      user: { Password: "sesame", "client-key-data": "sesame" },
      headers: [new Map([["Authorization", "sesame"]]), "authorization: Bearer sesame"],
      bytes: new TextEncoder().encode("sesame"),
      error: new Error("a", { cause: new Error(`b ${key}`) }),
    };
    log.with({ bearerToken: "sesame" }).info("Bearer sesame", fields);
    log.error("failed", new Error("Basic sesame", { cause: fields.error }), fields);
  };
  for (const format of ["text", "json"] as const) {
    const written = lines(use, { format, level: "debug" }).join("");
    expect(written).not.toContain("sesame");
    expect(written).toContain("[redacted]");
  }
});
