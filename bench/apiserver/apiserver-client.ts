import { readFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { typicalPod } from "../typical-pod.ts";

export type Session = ClientHttp2Session;

/** A connection as the administrator, whose certificate the server made. */
export function open(port: number, pki: string): Session {
  const session = connect(`https://127.0.0.1:${port}`, {
    ca: readFileSync(`${pki}/ca.crt`),
    cert: readFileSync(`${pki}/admin.crt`),
    key: readFileSync(`${pki}/admin.key`),
    settings: { initialWindowSize: 4 << 20 },
    maxSessionMemory: 256,
  });
  session.on("connect", () => session.setLocalWindowSize(64 << 20));
  session.setMaxListeners(0);
  return session;
}

export interface Answer {
  readonly status: number;
  readonly chunks: readonly Buffer[];
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Of the body; JSON by default. */
  readonly contentType?: string;
  /** Of the response; JSON by default. */
  readonly accept?: string;
}

/** Sends a request and gives the body of its answer; fails unless the answer says what is expected. */
export async function send(session: Session, request: Request, expected: number): Promise<Buffer> {
  const { status, chunks } = await exchange(session, request);
  const body = Buffer.concat(chunks);
  if (status !== expected) throw new Error(`${request.path}: ${status}: ${body}`);
  return body;
}

/** The same of an answer that is not kept: its size. */
export async function measureBytes(
  session: Session,
  request: Request,
  expected: number,
): Promise<number> {
  const { status, chunks } = await exchange(session, request);
  if (status !== expected) throw new Error(`${request.path}: ${status}`);
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

export function exchange(session: Session, request: Request): Promise<Answer> {
  const { method, path, body } = request;
  const { contentType = "application/json", accept = "application/json" } = request;
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": method,
      ":path": path,
      accept,
      ...(body && { "content-type": contentType }),
    });
    let status = 0;
    const chunks: Buffer[] = [];
    stream.on("response", (headers) => {
      status = Number(headers[":status"]);
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ status, chunks }));
    stream.on("error", reject);
    stream.end(body && JSON.stringify(body));
  });
}

/** Follows a path from now on; resolves when the server has answered. */
export function follow(
  session: Session,
  path: string,
  onData: (chunk: Buffer) => void,
): Promise<ClientHttp2Stream> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path, accept: "application/json" });
    stream.on("response", (headers) => {
      if (headers[":status"] === 200) resolve(stream);
      else reject(new Error(`${path}: ${headers[":status"]}`));
    });
    stream.on("data", onData);
    stream.on("error", reject);
    stream.end();
  });
}

export const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
export const configMaps = (namespace: string): string =>
  `/api/v1/namespaces/${namespace}/configmaps`;

/** A namespace that is ready for pods. */
export async function createNamespace(session: Session, name: string): Promise<void> {
  const namespace = { kind: "Namespace", apiVersion: "v1", metadata: { name } };
  await send(session, { method: "POST", path: "/api/v1/namespaces", body: namespace }, 201);
  const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "web" } };
  const path = `/api/v1/namespaces/${name}/serviceaccounts`;
  await send(session, { method: "POST", path, body: account }, 201);
}

export const podNamed = (name: string, namespace: string): object => ({
  ...typicalPod,
  metadata: { ...typicalPod.metadata, name, namespace },
});

/** An object of a few lines. */
export const configMapNamed = (name: string, level = "info"): object => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, labels: { app: "web" } },
  data: { "web.yaml": "listen: :8080\nlogFormat: json\n", LOG_LEVEL: level },
});
