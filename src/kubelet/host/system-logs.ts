import { constants, type FileHandle, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  httpError,
  type KubeletRequest,
  type KubeletResponse,
  textResponse,
} from "../api/kubelet-request.ts";

/**
 * Serves the log files of a machine below a folder, and lists its folders, as Go's server of files does. Links that
 * lead out of the folder are not followed: containers that may write there could read any file by them.
 */
export const systemLogs =
  (folder = "/var/log") =>
  async (path: string, request: Pick<KubeletRequest, "path">): Promise<KubeletResponse> => {
    try {
      const file = await openBelow(folder, path);
      if (!file) return notFound;
      try {
        const { size, mtime, ...stat } = await file.stat();
        const isFolder = (stat.mode & constants.S_IFMT) === constants.S_IFDIR;
        if (isFolder && !request.path.endsWith("/")) return movedTo(`${basename(path)}/`);
        if (isFolder) return await listing(pathOf(file));
        if ((stat.mode & constants.S_IFMT) !== constants.S_IFREG) return notFound;
        const headers = {
          "content-type": await typeOf(file),
          "last-modified": mtime.toUTCString(),
        };
        return { status: 200, headers, body: content(folder, path, size) };
      } finally {
        await file.close();
      }
    } catch (error) {
      return errorResponse(error);
    }
  };

/** Opens a file below a folder; undefined if links lead out of it. */
export async function openBelow(folder: string, path: string): Promise<FileHandle | undefined> {
  const root = await realpath(folder);
  // A pipe that nobody writes to must not block.
  const file = await open(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK);
  // Only the open file cannot be exchanged any more.
  const found = await readlink(pathOf(file)).catch(() => "");
  if (found === root || found.startsWith(`${root}/`)) return file;
  await file.close();
  return undefined;
}

const pathOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

function errorResponse(error: unknown): KubeletResponse {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (["EACCES", "EPERM"].includes(code)) return httpError(403, "403 Forbidden");
  if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(code)) return notFound;
  return httpError(500, "500 Internal Server Error");
}

const notFound = httpError(404, "404 page not found");

const movedTo = (location: string): KubeletResponse => ({
  ...textResponse(301, ""),
  headers: { location },
});

async function listing(folder: string): Promise<KubeletResponse> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const lines = names.sort().map((name) => `<a href="${linkTo(name)}">${escapeHtml(name)}</a>\n`);
  return {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join("")}</pre>\n`,
  };
}

/** A name with a colon would otherwise be a URL with a scheme. */
const linkTo = (name: string): string => {
  const link = name.split("/").map(encodeURIComponent).join("/");
  return name.includes(":") ? `./${link}` : link;
};

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);

const sniffedBytes = 512;

/** Text unless its first bytes have control characters that text does not have. */
async function typeOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0);
  const isBinary = buffer
    .subarray(0, bytesRead)
    .some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
  return isBinary ? "application/octet-stream" : "text/plain; charset=utf-8";
}

/** The content up to the size that the file had: a log grows meanwhile. */
async function* content(folder: string, path: string, size: number): AsyncGenerator<Uint8Array> {
  const file = await openBelow(folder, path);
  try {
    for (let at = 0; at < size; ) {
      const most = Math.min(pieceBytes, size - at);
      const read = await file?.read(Buffer.alloc(most), 0, most, at);
      if (!read || read.bytesRead === 0) return;
      at += read.bytesRead;
      yield read.buffer.subarray(0, read.bytesRead);
    }
  } finally {
    await file?.close();
  }
}

const pieceBytes = 64 * 1024;
