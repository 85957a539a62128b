import { spawnSync } from "node:child_process";
import { fstatSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import type { Input, Io, Output } from "./program/io.ts";

/** The streams of this process. */
export function processIo(): Io {
  return {
    stdin: processInput(),
    stdout: processOutput(1, () => process.stdout),
    stderr: processOutput(2, () => process.stderr),
  };
}

/** Writes synchronously: what a command has printed must not be lost when it exits. */
function processOutput(descriptor: number, stream: () => NodeJS.WriteStream): Output {
  // Node's stream takes milliseconds to open; only that of a terminal tells more than the descriptor.
  const terminal = (): NodeJS.WriteStream | undefined =>
    isDevice(descriptor) && stream().isTTY ? stream() : undefined;
  return {
    descriptor,
    write(text) {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      for (let at = 0; at < bytes.length; ) at += written(descriptor, bytes.subarray(at));
    },
    get columns() {
      return terminal()?.columns;
    },
    get rows() {
      return terminal()?.rows;
    },
    onResize(call) {
      terminal()?.on("resize", call);
      return () => void terminal()?.off("resize", call);
    },
  };
}

function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** How many bytes a write took; a pipe that is full is waited for. */
function written(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Node ignores the signal by which other programs end when their reader has gone.
    if (code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE);
    if (code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return 0;
  }
}

function processInput(): Input {
  return {
    descriptor: 0,
    // Opened on first use: a process with an open standard input does not end by itself.
    get isTerminal() {
      return isatty(0);
    },
    setRawMode(isRaw) {
      if (!process.stdin.isTTY) return;
      process.stdin.setRawMode(isRaw);
      // Node leaves the terminal's own line ends on, which garbles programs that draw on the whole screen.
      if (isRaw) spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
    },
    [Symbol.asyncIterator]: readInput,
  };
}

/** Reads standard input until its end, or until the reader leaves: a pending read does not keep the process then. */
function readInput(): AsyncIterator<Uint8Array> {
  const { stdin } = process;
  let failure: Error | undefined;
  let isOver = false;
  let wake = (): void => {};
  const listeners = {
    readable: () => wake(),
    end: () => close(),
    close: () => close(),
    error(error: Error) {
      failure = error;
      wake();
    },
  };
  for (const [name, listener] of Object.entries(listeners)) stdin.on(name, listener);
  // Files have no such method: they end.
  stdin.ref?.();
  const close = (): void => {
    isOver = true;
    wake();
  };
  return {
    async next() {
      for (;;) {
        const value = (isOver ? null : stdin.read()) as Uint8Array | null;
        if (value !== null) return { value, done: false };
        if (isOver || stdin.readableEnded) return { value: undefined, done: true };
        if (failure) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      for (const [name, listener] of Object.entries(listeners)) stdin.off(name, listener);
      stdin.pause();
      stdin.unref?.();
      close();
      return { value: undefined, done: true };
    },
  };
}
