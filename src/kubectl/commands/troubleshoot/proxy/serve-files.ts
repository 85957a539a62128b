import { createReadStream, type Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";

/** Serves the files of a folder, as Go does: `index.html` for folders that have it, a list for others. */
export async function serveFile(
  folder: string,
  path: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const clean = posix.normalize(`/${path}`);
  if (clean.endsWith("/index.html")) return redirect(response, "./");
  const file = join(folder, clean);
  const stats = await stat(file).catch(() => undefined);
  if (!stats || clean.includes("\0")) return plain(response, 404, "404 page not found");
  if (stats.isDirectory()) {
    if (!clean.endsWith("/")) return redirect(response, `${posix.basename(clean)}/`);
    const index = join(file, "index.html");
    const found = await stat(index).catch(() => undefined);
    return found?.isFile()
      ? send({ file: index, stats: found }, request, response)
      : list(file, response);
  }
  if (clean.endsWith("/")) return redirect(response, `../${posix.basename(clean)}`);
  return send({ file, stats }, request, response);
}

/** Ends a response with a line of text. */
export function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(`${text}\n`);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, { Location: location }).end();
}

async function send(
  { file, stats }: { readonly file: string; readonly stats: Stats },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const modified = stats.mtime.toUTCString();
  const since = Date.parse(request.headers["if-modified-since"] ?? "");
  if (since >= Math.floor(stats.mtimeMs / 1000) * 1000) {
    response.writeHead(304, { "Last-Modified": modified }).end();
    return;
  }
  response.writeHead(200, {
    "Content-Type": contentTypes[extname(file).toLowerCase()] ?? "text/plain; charset=utf-8",
    "Content-Length": stats.size,
    "Last-Modified": modified,
  });
  if (request.method === "HEAD") response.end();
  else await pipeline(createReadStream(file), response);
}

async function list(folder: string, response: ServerResponse): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const lines = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
    .map((name) => `<a href="${encodeURI(name)}">${escaped(name)}</a>\n`);
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
  response.end(
    `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join("")}</pre>\n`,
  );
}

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#39;");

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".gif": "image/gif",
  ".htm": "text/html; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
  ".xml": "text/xml; charset=utf-8",
  ".bin": "application/octet-stream",
  ".gz": "application/gzip",
  ".tar": "application/x-tar",
  ".zip": "application/zip",
};
