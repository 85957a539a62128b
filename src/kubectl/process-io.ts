import { writeSync } from "node:fs";
import type { Input, Io, Output } from "./program/io.ts";

/** The streams of this process. */
export function processIo(): Io {
  return {
    stdin: processInput(),
    stdout: processOutput(process.stdout),
    stderr: processOutput(process.stderr),
  };
}

/** Writes synchronously: what a command has printed must not be lost when it exits. */
function processOutput(stream: NodeJS.WriteStream & { readonly fd: number }): Output {
  return {
    write(text) {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      for (let at = 0; at < bytes.length; ) at += written(stream.fd, bytes.subarray(at));
    },
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
  };
}

/** How many bytes a write took; a pipe that is full is waited for. */
function written(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return 0;
  }
}

function processInput(): Input {
  return {
    // Opened on first use: a process with an open standard input does not end by itself.
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    setRawMode(isRaw) {
      if (process.stdin.isTTY) process.stdin.setRawMode(isRaw);
    },
    [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator](),
  };
}
