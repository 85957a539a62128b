import { spawn } from "node:child_process";
import { Duplex, Readable, Transform } from "node:stream";
import zlib from "node:zlib";
import { spawned } from "../../platform/spawned.ts";

/** The bytes of a stream without their compression, which is told by their beginning: gzip, zstd or none. */
export async function decompress(source: AsyncIterable<Uint8Array>): Promise<Readable> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await readBeginning(chunks);
  const whole = Readable.from(rest(first, chunks), { objectMode: false });
  const decoder = decoderFor(first);
  return decoder === undefined ? whole : joined(whole, decoder);
}

/** Ends a stream with an error once more bytes have passed than allowed. */
export function limitBytes(mostBytes: number, message: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      if (bytes > mostBytes) done(new Error(message));
      else done(null, chunk);
    },
  });
}

/** Pipes one stream into another: an error of the first is one of the second. */
export function joined(source: Readable, target: Duplex): Duplex {
  source.on("error", (error) => target.destroy(error));
  target.once("close", () => source.destroy());
  return source.pipe(target);
}

async function* rest(first: Uint8Array, chunks: AsyncIterator<Uint8Array>) {
  try {
    if (first.length > 0) yield first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

async function readBeginning(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (first.length < 4) {
    const next = await chunks.next();
    if (next.done) break;
    first = Buffer.concat([first, next.value]);
  }
  return first;
}

function decoderFor(first: Buffer): Duplex | undefined {
  if (first[0] === 0x1f && first[1] === 0x8b) return zlib.createGunzip({ chunkSize: 256 * 1024 });
  if (first.length >= 4 && first.readUInt32LE(0) === 0xfd2fb528) return zstdDecoder();
  return undefined;
}

/** Node 20 has no zstd of its own: the program does it, with a window of 128 MiB at most. */
function zstdDecoder(): Duplex {
  const child = spawned(
    spawn("zstd", ["-dcq", "--long=27"], { stdio: ["pipe", "pipe", "pipe"] }),
    "zstd",
  );
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString()}`.slice(-1000);
  });
  const decoder = new Duplex({
    allowHalfOpen: true,
    write(chunk: Uint8Array, _, done) {
      child.stdin.write(chunk, (error) => done(error ?? null));
    },
    final(done) {
      child.stdin.end(done);
    },
    read() {
      child.stdout.resume();
    },
    destroy(error, done) {
      child.kill("SIGKILL");
      done(error);
    },
  });
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", (chunk: Buffer) => {
    if (!decoder.push(chunk)) child.stdout.pause();
  });
  child.once("error", (cause: NodeJS.ErrnoException) => {
    const reason =
      cause.code === "ENOENT"
        ? "zstd layers need the program zstd (Debian: apt-get install zstd)"
        : "zstd cannot be run";
    decoder.destroy(new Error(reason, { cause }));
  });
  child.once("close", (code) => {
    if (code === 0) decoder.push(null);
    else decoder.destroy(new Error(`zstd: ${complaint.trim() || `exit code ${code}`}`));
  });
  return decoder;
}
