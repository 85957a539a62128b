import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { journalArguments, serviceLogs } from "./service-logs.ts";

/** A folder of logs, and a program that knows the unit `known.service` and prints its arguments. */
function machine() {
  const root = mkdtempSync(join(tmpdir(), "wherry-logs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "log");
  mkdirSync(join(folder, "own"), { recursive: true });
  writeFileSync(join(folder, "plain.log"), "plain\n");
  writeFileSync(join(folder, "own/own.log"), "own\n");
  const journalctl = join(root, "journalctl");
  writeFileSync(
    journalctl,
    '#!/bin/sh\nif [ "$1" = --field ]; then echo known.service; else echo "$@"; fi\n',
  );
  chmodSync(journalctl, 0o755);
  const get = async (
    query: string,
    more: { journalctl?: string; path?: string; zip?: boolean } = {},
  ) => {
    const logs = serviceLogs({ folder, journalctl: more.journalctl ?? journalctl });
    const { status, headers, body } = await logs(more.path ?? "", {
      ...{ method: "GET", path: "/logs/", query: new URLSearchParams(query) },
      headers: more.zip ? { "accept-encoding": "gzip" } : {},
      signal: new AbortController().signal,
    });
    const parts: Uint8Array[] = [];
    if (typeof body === "string") parts.push(Buffer.from(body));
    else if (body && !(body instanceof Uint8Array)) for await (const part of body) parts.push(part);
    return { status, headers, bytes: Buffer.concat(parts), text: String(Buffer.concat(parts)) };
  };
  return { get };
}

test("serviceLogs: a service of the journal is shown by journalctl", async () => {
  const { get } = machine();
  expect((await get("query=known&tailLines=3")).text).toBe(
    "--utc --no-pager --output=short-precise --pager-end --lines=3 --unit=known\n",
  );
  const { headers, bytes } = await get("query=known", { zip: true });
  expect(headers["content-encoding"]).toBe("gzip");
  expect(String(gunzipSync(bytes))).toContain("--unit=known");
});

test("serviceLogs: other services have files", async () => {
  const { get } = machine();
  expect((await get("query=plain&query=own&query=none")).text).toBe(
    "plain\nown\n\nlog not found for none\n",
  );
  expect((await get("query=plain&tailLines=1")).text).toBe(
    "\noptions present and query resolved to log files for [plain]\ntry without specifying options\n",
  );
  expect((await get("query=plain", { journalctl: "/none" })).text).toBe("plain\n");
});

test("serviceLogs: one file can be named, within the folder", async () => {
  const { get } = machine();
  expect((await get("query=own/own.log")).text).toBe("own\n");
  expect((await get("", { path: "plain.log" })).text).toBe("plain\n");
  const refused = await Promise.all(["../log2", "/etc/passwd"].map((file) => get(`query=${file}`)));
  expect(refused.map(({ status }) => status)).toEqual([406, 406]);
  expect(await get("query=known", { path: "plain.log" })).toMatchObject({
    status: 406,
    text: "path not allowed in query mode\n",
  });
});

test("journalArguments: all options", () => {
  const query = { services: ["a"], files: [], boot: -1, pattern: "x|y" };
  const since = Date.UTC(2026, 0, 2, 3, 4, 5);
  expect(journalArguments({ ...query, since, until: since }, ["a"]).slice(3)).toEqual([
    ...["--since=2026-1-2 3:4:5", "--until=2026-1-2 3:4:5", "--unit=a", "--grep=x|y"],
    ...["--boot", "-1"],
  ]);
});
