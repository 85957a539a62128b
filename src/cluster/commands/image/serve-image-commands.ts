import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PassThrough, type Readable, Writable } from "node:stream";
import { errorMessage } from "../../../base/error-message.ts";
import { command, type Output } from "../../../cli/command.ts";
import { runProgram } from "../../../cli/run-program.ts";
import type { Images } from "../../../engine/images/images.ts";
import { listenUnix } from "../../../platform/listen-unix.ts";
import { imageCommand } from "./image-command.ts";
import { commandLineHeader, type ImageCommandLine, imageSocket } from "./image-command-line.ts";
import { encodeImageFrame, type ImageFrame } from "./image-frames.ts";
import { clientSession } from "./image-session.ts";

/** Runs the commands of `wherry image` in the engine, which has the images open, for clients that are root. */
export async function serveImageCommands(
  images: Images,
  dataDir: string,
): Promise<{ close(): Promise<void> }> {
  const server = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
    runFor(request, response, images).catch((error: unknown) => {
      // Nobody but another program than ours sends what cannot be understood.
      if (response.headersSent) response.destroy();
      else response.writeHead(400).end(`${errorMessage(error)}\n`);
    });
  });
  server.requestTimeout = 0;
  await listenUnix(server, imageSocket(dataDir));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function runFor(
  request: IncomingMessage,
  response: ServerResponse,
  images: Images,
): Promise<void> {
  const stop = new AbortController();
  response.on("close", () => stop.abort(new Error("the client has disconnected")));
  const { args, folder, columns, env } = commandLine(request);
  const output = (type: "stdout" | "stderr"): Output => ({
    columns,
    write: (text) => void response.write(frame({ type, bytes: Buffer.from(text) })),
  });
  const stdout = new Writable({
    write(bytes: Buffer, _encoding, done) {
      if (stop.signal.aborted) done(stop.signal.reason);
      else if (response.write(frame({ type: "stdout", bytes }))) done();
      else {
        const resume = (): void => {
          response.off("drain", resume).off("close", resume);
          done(response.closed ? new Error("the client has disconnected") : null);
        };
        response.on("drain", resume).on("close", resume);
      }
    },
  });
  // Who writes is told of it as well.
  stdout.on("error", () => {});
  const root = command({ name: "wherry", short: "", commands: [imageCommand] });
  const streams = { stdout: output("stdout"), stderr: output("stderr") };
  const code = await clientSession.run(
    { stdin: inputOf(request), stdout, folder, env, images },
    () => runProgram({ root, version: "", streams, signal: stop.signal }, args),
  );
  response.end(frame({ type: "exit", code }));
}

/**
 * The input of a command. A command that is done with it destroys it, as an archive may end before its file does: the
 * rest is discarded, because destroying the request would end the connection before the response.
 */
function inputOf(request: IncomingMessage): Readable {
  const input = new PassThrough();
  request.on("error", (error) => input.destroy(error));
  input.on("close", () => request.unpipe(input).resume());
  return request.pipe(input);
}

const frame = (content: ImageFrame): Buffer => encodeImageFrame(content);

function commandLine({ headers }: IncomingMessage): ImageCommandLine {
  const text = Buffer.from(String(headers[commandLineHeader] ?? ""), "base64").toString();
  return JSON.parse(text) as ImageCommandLine;
}
