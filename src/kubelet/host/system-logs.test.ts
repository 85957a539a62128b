import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemLogs } from "./system-logs.ts";

async function get(folder: string, path: string) {
  const rest = path.replace(/^\/logs\/|\/$/g, "");
  const { status, headers, body } = await systemLogs(folder)(rest, { path });
  const parts: Uint8Array[] = [];
  if (typeof body === "string") parts.push(Buffer.from(body));
  else if (body && !(body instanceof Uint8Array)) for await (const part of body) parts.push(part);
  return { status, type: headers["content-type"], text: Buffer.concat(parts).toString(), headers };
}

test("systemLogs: serves files and lists folders, but nothing outside", async () => {
  const root = mkdtempSync(join(tmpdir(), "wherry-logs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const logs = join(root, "log");
  mkdirSync(join(logs, "pods"), { recursive: true });
  writeFileSync(join(root, "secret"), "secret");
  writeFileSync(join(logs, "a<b>.log"), "x".repeat(100_000));
  writeFileSync(join(logs, "wtmp"), Buffer.from([1, 2, 0]));
  symlinkSync("../secret", join(logs, "link"));
  symlinkSync("wtmp", join(logs, "inside"));
  expect(await get(logs, "/logs/a<b>.log")).toMatchObject({
    status: 200,
    type: "text/plain; charset=utf-8",
    text: "x".repeat(100_000),
  });
  expect(await get(logs, "/logs/inside")).toMatchObject({
    status: 200,
    type: "application/octet-stream",
  });
  expect(await get(logs, "/logs/")).toMatchObject({
    status: 200,
    type: "text/html; charset=utf-8",
    text: `<!doctype html>
<meta name="viewport" content="width=device-width">
<pre>
<a href="a%3Cb%3E.log">a&lt;b&gt;.log</a>
<a href="inside">inside</a>
<a href="link">link</a>
<a href="pods/">pods/</a>
<a href="wtmp">wtmp</a>
</pre>
`,
  });
  expect(await get(logs, "/logs/pods")).toMatchObject({
    status: 301,
    headers: { location: "pods/" },
  });
  for (const path of ["/logs/link", "/logs/../secret", "/logs/missing", "/logs/wtmp/x"])
    expect(await get(logs, path)).toMatchObject({ status: 404, text: "404 page not found\n" });
});
