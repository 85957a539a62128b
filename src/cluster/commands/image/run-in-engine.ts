import { request } from "node:http";
import { pipeline } from "node:stream";
import { commandLineHeader, type ImageCommandLine, imageSocket } from "./image-command-line.ts";
import { decodeImageFrames } from "./image-frames.ts";

/** Has the engine that holds a data directory run this command line; resolves with the exit code. */
export async function runInEngine(dataDir: string, args: readonly string[]): Promise<number> {
  const { HOME, DOCKER_CONFIG } = process.env;
  const line: ImageCommandLine = {
    args,
    folder: process.cwd(),
    columns: process.stdout.columns,
    env: { HOME, DOCKER_CONFIG },
  };
  return new Promise((resolve, reject) => {
    const call = request({
      socketPath: imageSocket(dataDir),
      method: "POST",
      headers: { [commandLineHeader]: Buffer.from(JSON.stringify(line)).toString("base64") },
    });
    call.on("error", reject);
    call.on("response", (response) => {
      print(response).then(resolve, reject);
    });
    if (process.stdin.isTTY) call.end();
    // The command may end without reading its input.
    else pipeline(process.stdin, call, () => {});
  });
}

/** Prints what the command prints; resolves with its exit code. */
async function print(response: AsyncIterable<Uint8Array>): Promise<number> {
  for await (const frame of decodeImageFrames(response)) {
    if (frame.type === "exit") return frame.code;
    const stream = process[frame.type];
    if (!stream.write(frame.bytes)) await new Promise((done) => stream.once("drain", done));
  }
  throw new Error("the engine ended before the command did");
}
