import { request } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { commandLineHeader, type ImageCommandLine, imageSocket } from "./image-command-line.ts";
import { decodeImageFrames, type ImageFrame } from "./image-frames.ts";

/** Has the engine that holds a data directory run this command line; resolves with the exit code. */
export function runInEngine(dataDir: string, args: readonly string[]): Promise<number> {
  return callEngine(dataDir, args, {
    ...(process.stdin.isTTY ? {} : { input: process.stdin }),
    async print({ type, bytes }) {
      const stream = process[type];
      if (!stream.write(bytes)) await new Promise((done) => stream.once("drain", done));
    },
  });
}

export interface EngineCall {
  /** The standard input of the command; absent for none. */
  readonly input?: Readable | undefined;
  /** Called with what the command writes. */
  readonly print: (output: Exclude<ImageFrame, { readonly type: "exit" }>) => Promise<void>;
}

/** Has an engine run a command line with given streams; resolves with the exit code. */
export async function callEngine(
  dataDir: string,
  args: readonly string[],
  { input, print }: EngineCall,
): Promise<number> {
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
      untilExit(response, print)
        .then(resolve, reject)
        // An input that nobody ends must not keep this process alive.
        .finally(() => call.destroy());
    });
    // A command that reads nothing must not wait for input.
    call.flushHeaders();
    if (!input) call.end();
    // The command may end without reading its input.
    else pipeline(input, call, () => {});
  });
}

async function untilExit(
  response: AsyncIterable<Uint8Array>,
  print: EngineCall["print"],
): Promise<number> {
  for await (const frame of decodeImageFrames(response)) {
    if (frame.type === "exit") return frame.code;
    await print(frame);
  }
  throw new Error("the engine ended before the command did");
}
