import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./packed.test-support.ts";

/** What an editor shows of the word at the end of `upTo`, in a file of a project. */
export async function hover(folder: string, file: string, upTo: string): Promise<string> {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const before = text.slice(0, text.indexOf(upTo) + upTo.length - 1).split("\n");
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  const textDocument = { uri: pathToFileURL(path).href };
  const tsc = join(root, "node_modules", "typescript", "lib", "tsc.js");
  const server = spawn(process.execPath, [tsc, "--lsp", "--stdio"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message: object): void => {
    const json = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
  };
  const exited = new Promise((resolve) => server.once("exit", resolve));
  try {
    send({ id: "begin", method: "initialize", params: initialise(folder) });
    for await (const { id, method, result } of messages(server.stdout)) {
      // The server asks for its settings: it has none.
      if (method !== undefined && id !== undefined) send({ id, result: [] });
      if (method === undefined && id === "begin") {
        send({ method: "initialized", params: {} });
        const opened = { ...textDocument, languageId: "typescript", version: 1, text };
        send({ method: "textDocument/didOpen", params: { textDocument: opened } });
        send({ id: "hover", method: "textDocument/hover", params: { textDocument, position } });
      }
      if (method === undefined && id === "hover")
        return (result as { contents: { value: string } } | null)?.contents.value ?? "";
    }
    throw new Error("the language server ended without an answer");
  } finally {
    server.kill();
    await exited;
  }
}

const initialise = (folder: string) => ({
  processId: null,
  rootUri: pathToFileURL(folder).href,
  capabilities: { textDocument: { hover: { contentFormat: ["plaintext"] } } },
});

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: unknown;
}

async function* messages(stream: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  let waiting = Buffer.alloc(0);
  for await (const chunk of stream) {
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      const head = waiting.indexOf("\r\n\r\n");
      if (head < 0) break;
      const length = Number(
        /Content-Length: (\d+)/i.exec(waiting.toString("latin1", 0, head))?.[1],
      );
      const end = head + 4 + length;
      if (waiting.length < end) break;
      yield JSON.parse(waiting.toString("utf8", head + 4, end)) as Message;
      waiting = waiting.subarray(end);
    }
  }
}
