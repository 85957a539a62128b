import { createReadStream, createWriteStream } from "node:fs";
import { chown, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

export interface RotatingFileOptions {
  readonly path: string;
  /** The most bytes that the file may have; 0 for no limit. */
  readonly maxBytes: number;
  /** How many old files are kept; 0 for all. */
  readonly maxBackups: number;
  /** How many days old files are kept; 0 for ever. */
  readonly maxAgeDays: number;
  /** Whether old files are compressed. */
  readonly compress: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called if an old file cannot be compressed or removed; writing goes on. */
  readonly onFault: (error: unknown) => void;
}

interface Pending {
  readonly bytes: Buffer;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * A log file that only its owner can read. Before it grows too large, it is renamed to NAME-TIME.EXT, and a new file
 * begins; old files are compressed and removed meanwhile. What is written while a write is under way is written with
 * the next one.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #file: FileHandle;
  #size: number;
  #pending: Pending[] = [];
  #writing: Promise<void> | undefined;
  #tidying: Promise<void> | undefined;

  private constructor(options: RotatingFileOptions, file: FileHandle, size: number) {
    this.#options = options;
    this.#file = file;
    this.#size = size;
    this.#tidy();
  }

  static async open(options: RotatingFileOptions): Promise<RotatingFile> {
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
    const file = await open(options.path, "a", 0o600);
    const { size } = await file.stat();
    return new RotatingFile(options, file, size);
  }

  /** Resolves when the text is in the file; rejects if it cannot be written, or never could because it is too long. */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.from(text);
      const { maxBytes } = this.#options;
      if (maxBytes > 0 && bytes.length > maxBytes) {
        reject(new Error(`write length ${bytes.length} exceeds maximum file size ${maxBytes}`));
        return;
      }
      this.#pending.push({ bytes, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#tidying;
    await this.#file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#nextGroup();
      try {
        await this.#writeGroup(group.map(({ bytes }) => bytes));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = undefined;
  }

  /** As many texts as fit in the file; if none does, those that fit in the next one. */
  #nextGroup(): Pending[] {
    const { maxBytes } = this.#options;
    const [first] = this.#pending;
    const begin =
      maxBytes > 0 && first && this.#size + first.bytes.length > maxBytes ? 0 : this.#size;
    let size = begin;
    let count = 0;
    for (const { bytes } of this.#pending) {
      size += bytes.length;
      if (count > 0 && maxBytes > 0 && size > maxBytes) break;
      count++;
    }
    return this.#pending.splice(0, count);
  }

  async #writeGroup(group: readonly Buffer[]): Promise<void> {
    const bytes = group.length === 1 ? (group[0] as Buffer) : Buffer.concat(group);
    const { maxBytes } = this.#options;
    if (maxBytes > 0 && this.#size + bytes.length > maxBytes) await this.#rotate();
    await this.#file.appendFile(bytes);
    this.#size += bytes.length;
  }

  async #rotate(): Promise<void> {
    const { path, now } = this.#options;
    const { mode, uid, gid } = await this.#file.stat();
    await rename(path, await freeName(path, now())).catch(ifMissing);
    const next = await open(path, "a", mode & 0o777);
    await chown(path, uid, gid).catch(() => {});
    const { size } = await next.stat();
    await this.#file.close();
    this.#file = next;
    this.#size = size;
    this.#tidy();
  }

  /** Compresses and removes old files, one run at a time. */
  #tidy(): void {
    const { maxBackups, maxAgeDays, compress, onFault } = this.#options;
    if (this.#tidying || (maxBackups === 0 && maxAgeDays === 0 && !compress)) return;
    this.#tidying = tidied(this.#options)
      .catch(onFault)
      .finally(() => {
        this.#tidying = undefined;
      });
  }
}

async function tidied({
  path,
  maxBackups,
  maxAgeDays,
  compress,
  now,
}: RotatingFileOptions): Promise<void> {
  const old = await backups(path);
  const kept = new Set<string>();
  const oldest = maxAgeDays > 0 ? now() - maxAgeDays * 86_400_000 : Number.NEGATIVE_INFINITY;
  for (const { file, time } of old) {
    const plain = file.replace(/\.gz$/, "");
    kept.add(plain);
    const isTooMany = maxBackups > 0 && kept.size > maxBackups;
    if (isTooMany || time < oldest) await rm(file, { force: true });
    else if (compress && file === plain) await compressed(file);
  }
}

/** The old files of a log, the latest first. */
async function backups(path: string): Promise<{ readonly file: string; readonly time: number }[]> {
  const { folder, prefix, extension } = partsOf(path);
  const found = (await readdir(folder)).flatMap((name) => {
    const plain = name.replace(/\.gz$/, "");
    if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return [];
    const time = timeIn(plain.slice(prefix.length, plain.length - extension.length));
    return time === undefined ? [] : [{ file: join(folder, name), time }];
  });
  return found.sort((a, b) => b.time - a.time);
}

/** Leaves the old file until the compressed one is complete. */
async function compressed(file: string): Promise<void> {
  const { mode } = await stat(file);
  const draft = `${file}.gz.new`;
  try {
    await pipeline(
      createReadStream(file),
      createGzip(),
      createWriteStream(draft, { mode: mode & 0o777 }),
    );
    await rename(draft, `${file}.gz`);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new Error(`cannot compress ${file}`, { cause });
  }
  await rm(file);
}

/** A name with the time; a file that was rotated in the same millisecond keeps its own. */
async function freeName(path: string, now: number): Promise<string> {
  const { folder, prefix, extension } = partsOf(path);
  for (let time = now; ; time++) {
    const name = join(folder, `${prefix}${timeText(time)}${extension}`);
    const isTaken = await Promise.all(
      [name, `${name}.gz`].map((one) => stat(one).catch(ifMissing)),
    );
    if (isTaken.every((one) => one === undefined)) return name;
  }
}

function partsOf(path: string) {
  const extension = extname(path);
  return { folder: dirname(path), prefix: `${basename(path, extension)}-`, extension };
}

/** Such as 2026-01-02T03-04-05.678, which is a file name everywhere. */
const timeText = (ms: number): string =>
  new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-");

function timeIn(text: string): number | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d\.\d{3})$/.exec(text) ?? [];
  const ms = time === undefined ? Number.NaN : Date.parse(`${date}T${time.replaceAll("-", ":")}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
