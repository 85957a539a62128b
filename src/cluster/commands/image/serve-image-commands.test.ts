import { mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { testImages } from "../../../engine/images/images.test-support.ts";
import { imageSocket } from "./image-command-line.ts";
import { callEngine } from "./run-in-engine.ts";
import { serveImageCommands } from "./serve-image-commands.ts";

test("serveImageCommands: a request that is none of ours is refused, and ends nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const served = await serveImageCommands(await testImages(), folder);
  onTestFinished(() => served.close());
  const status = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request({ socketPath: imageSocket(folder), method: "POST" });
      call.on("response", (response) => resolve(response.resume().statusCode));
      call.on("error", reject).end();
    });
  expect([await status(), await status()]).toEqual([400, 400]);
  expect(statSync(imageSocket(folder)).mode & 0o777).toBe(0o600);
});

test("serveImageCommands: a command that reads only a part of its input still responds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const served = await serveImageCommands(await testImages(), folder);
  onTestFinished(() => served.close());
  let output = "";
  const code = await callEngine(folder, ["image", "load", "-"], {
    input: Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(100_000, "no archive"))),
    async print({ bytes }) {
      output += Buffer.from(bytes).toString();
    },
  });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("Error:") });
});
