import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ApiRequest } from "../../apiserver/request/request.ts";
import { allPages, logPages } from "./log-pages.ts";

test("logPages: lists a folder and sends its files, and leaves other paths to others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "log-pages-"));
  await writeFile(join(folder, "a b.log"), "hello\n");
  const pages = allPages([() => undefined, logPages(folder)]);
  const get = async (path: string) => {
    const response = await pages({ path } as ApiRequest);
    if (!response) return undefined;
    const { status, body } = response;
    if (typeof body === "string") return [status, body.includes("a%20b.log")];
    let text = "";
    for await (const chunk of body as AsyncIterable<Uint8Array>) text += Buffer.from(chunk);
    return [status, text];
  };
  expect(
    await Promise.all(["/logs", "/logs/", "/logs/a%20b.log", "/logs/x", "/log"].map(get)),
  ).toEqual([[301, false], [200, true], [200, "hello\n"], [404, false], undefined]);
});
