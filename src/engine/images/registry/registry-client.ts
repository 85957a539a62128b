import type { Readable } from "node:stream";
import type { RegistryAuth } from "../../../cri/image-service.ts";
import { digestOf, isDigest } from "../digest.ts";
import { type Descriptor, mediaTypes } from "../manifest.ts";
import { fullName, type Reference } from "../reference.ts";
import { Authorizer } from "./authorizer.ts";
import { credentialsFor } from "./credentials.ts";
import {
  BodyTooLarge,
  type HttpConnections,
  type HttpRequest,
  type HttpResponse,
  readBody,
} from "./http-connections.ts";
import { RegistryError, serverMessage } from "./registry-error.ts";
import type { Capability, RegistryHost } from "./registry-hosts.ts";

export interface RegistryClientOptions {
  readonly connections: HttpConnections;
  readonly hosts: readonly RegistryHost[];
  readonly auth?: RegistryAuth | undefined;
}

/** A document of a registry. */
export interface RemoteManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** One repository of a registry, on whichever of its servers has what is asked for. */
export class RegistryClient {
  readonly #repository: Pick<Reference, "domain" | "path">;
  readonly #hosts: readonly RegistryHost[];
  readonly #connections: HttpConnections;
  readonly #authorizers: ReadonlyMap<RegistryHost, Authorizer>;

  constructor(repository: Pick<Reference, "domain" | "path">, options: RegistryClientOptions) {
    this.#repository = repository;
    this.#hosts = options.hosts;
    this.#connections = options.connections;
    this.#authorizers = new Map(
      options.hosts.map((host) => {
        const credentials = credentialsFor(options.auth, new URL(host.base).host);
        return [
          host,
          new Authorizer({ connections: this.#connections, credentials, tls: host.tls }),
        ];
      }),
    );
  }

  /** The digest that a name has now; undefined if no server tells without sending the manifest. */
  async resolve(reference: Reference, signal?: AbortSignal): Promise<string | undefined> {
    if (reference.digest !== undefined) return reference.digest;
    const object = reference.tag ?? "latest";
    return this.#onFirst(
      ["pull", "resolve"],
      refusedAs(fullName(reference), "HEAD"),
      async (host) => {
        const url = this.#urlOf(host, "manifests", object);
        const response = await this.call(host, {
          method: "HEAD",
          url,
          headers: acceptManifests,
          signal,
        });
        response.body.resume();
        if (response.status !== 200) return response;
        const digest = response.headers["docker-content-digest"];
        return { value: isDigest(digest) ? digest : undefined };
      },
    );
  }

  /** A manifest or list by its digest, or by its tag where the digest is not known. */
  async manifest(reference: Reference, signal?: AbortSignal): Promise<RemoteManifest> {
    const { tag = "latest", digest } = reference;
    const needed: readonly Capability[] = digest === undefined ? ["pull", "resolve"] : ["pull"];
    return this.#onFirst(needed, refusedAs(fullName(reference), "GET"), async (host) => {
      const url = this.#urlOf(host, "manifests", digest ?? tag);
      const response = await this.call(host, {
        method: "GET",
        url,
        headers: acceptManifests,
        signal,
      });
      if (response.status !== 200) return response;
      const bytes = await readManifest(response, reference);
      const found = digestOf(bytes);
      if (digest !== undefined && found !== digest)
        throw new RegistryError(
          "Unexpected",
          `failed commit on ref "manifest-${digest}": unexpected commit digest ${found}, expected ${digest}: failed precondition`,
        );
      return { value: { digest: found, mediaType: contentType(response), bytes } };
    });
  }

  /** The bytes of a blob from an offset on; `start` is where they really begin: 0 or the offset. */
  async blob({ digest, mediaType }: Descriptor, offset: number, signal?: AbortSignal) {
    const notFound = `httpReadSeeker: failed open: could not fetch content descriptor ${digest} (${mediaType}) from remote`;
    return this.#onFirst(["pull"], refusedAs(notFound, "GET"), async (host) => {
      const url = this.#urlOf(host, "blobs", digest);
      const range = offset > 0 ? { Range: `bytes=${offset}-` } : {};
      const headers = { Accept: "application/octet-stream, */*", ...range };
      const response = await this.call(host, { method: "GET", url, headers, signal });
      if (response.status === 206) {
        const start = Number(/^bytes (\d+)-/.exec(response.headers["content-range"] ?? "")?.[1]);
        if (start === offset) return { value: { start, body: response.body } };
        response.body.destroy();
        throw new RegistryError("Unexpected", `unexpected range of ${digest}`);
      }
      if (response.status !== 200) return response;
      return { value: { start: 0, body: response.body as Readable } };
    });
  }

  /** The only server that things are pushed to. */
  pushHost(): RegistryHost {
    const host = this.#hosts.find(({ capabilities }) => capabilities.has("push"));
    if (host === undefined) throw new RegistryError("NotFound", "no push hosts: not found");
    return host;
  }

  /** The address of something in the repository. */
  pathOn(host: RegistryHost, ...parts: readonly string[]): URL {
    return new URL(`${host.base}/${this.#repository.path}/${parts.join("/")}`);
  }

  /** Sends a request to a server, with what it needs to know of the caller. */
  async call(host: RegistryHost, request: AuthorizedRequest): Promise<HttpResponse> {
    const authorizer = this.#authorizers.get(host);
    const scope = `repository:${this.#repository.path}:${request.access ?? "pull"}`;
    const isOwn = request.url.host === new URL(host.base).host;
    for (let tries = 1; ; tries++) {
      // An upload may continue on another host, which is told nothing.
      const authorization = isOwn ? authorizer?.header(scope) : undefined;
      const response = await this.#connections.send({
        ...request,
        headers: {
          "User-Agent": "wherry",
          ...(isOwn ? host.headers : {}),
          ...request.headers,
          ...(authorization === undefined ? {} : { Authorization: authorization }),
        },
        tls: isOwn ? host.tls : undefined,
        hasHttpFallback: isOwn && host.hasHttpFallback,
      });
      if (response.status !== 401 || authorizer === undefined || !isOwn || tries > 2)
        return response;
      // What a redirect leads to must not say where credentials go.
      if (!isSameServer(response.url, request.url, host)) return response;
      if (!(await authorizer.answer(response, scope, request.signal))) return response;
      response.body.resume();
    }
  }

  #urlOf(host: RegistryHost, ...parts: readonly string[]): URL {
    const url = this.pathOn(host, ...parts);
    const isMirror =
      url.host !== this.#repository.domain && this.#repository.domain !== "docker.io";
    const isDockerMirror =
      this.#repository.domain === "docker.io" && url.host !== "registry-1.docker.io";
    if (isMirror || isDockerMirror) url.searchParams.set("ns", this.#repository.domain);
    return url;
  }

  /** Asks one server after the other; the error that came furthest is thrown. */
  async #onFirst<T>(
    needed: readonly Capability[],
    refused: (response: HttpResponse) => Promise<RankedFault>,
    ask: (host: RegistryHost) => Promise<{ readonly value: T } | HttpResponse>,
  ): Promise<T> {
    let fault: RankedFault | undefined;
    const hosts = this.#hosts.filter(({ capabilities }) =>
      needed.every((capability) => capabilities.has(capability)),
    );
    for (const host of hosts) {
      const asked = await ask(host).catch((error: unknown) => ({ error }));
      if ("value" in asked) return asked.value;
      if ("error" in asked && !(asked.error instanceof RegistryError)) throw asked.error;
      const next = "error" in asked ? { rank: 1, error: asked.error } : await refused(asked);
      if (fault === undefined || next.rank > fault.rank) fault = next;
    }
    throw fault?.error ?? new RegistryError("NotFound", "no pull hosts: not found");
  }
}

/** Whether a response came from the server that was asked; one on this machine may be without TLS. */
const isSameServer = (from: URL, asked: URL, { hasHttpFallback }: RegistryHost): boolean =>
  from.host === asked.host && (from.protocol === asked.protocol || hasHttpFallback);

export interface AuthorizedRequest extends HttpRequest {
  /** By default `pull`. */
  readonly access?: "pull" | "pull,push" | undefined;
}

/** The error for a status that is not a success. */
export async function unexpectedStatus(
  method: string,
  response: HttpResponse,
): Promise<RegistryError> {
  const body = await readBody(response.body, mostErrorBytes).catch(() => Buffer.alloc(0));
  const { url, status, statusText } = response;
  return new RegistryError(
    status === 401 || status === 403 ? "Denied" : "Unexpected",
    `unexpected status from ${method} request to ${url.origin}${url.pathname}: ${statusText}`,
    { serverMessage: serverMessage(body) },
  );
}

/** Servers may send manifests up to this size; containerd's limit. */
const mostManifestBytes = 4 * 1024 * 1024;
const mostErrorBytes = 64_000;

const acceptManifests = {
  Accept: [
    mediaTypes.dockerManifest,
    mediaTypes.dockerList,
    mediaTypes.ociManifest,
    mediaTypes.ociIndex,
    "*/*",
  ].join(", "),
};

async function readManifest(response: HttpResponse, reference: Reference): Promise<Buffer> {
  try {
    return await readBody(response.body, mostManifestBytes);
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new RegistryError(
        "NotFound",
        `rejecting manifest for ${fullName(reference)}: it has more than ${mostManifestBytes} bytes: not found`,
      );
    throw new RegistryError("Unreachable", "failed to copy: unexpected EOF", { cause: error });
  }
}

/** An error and how far the request came that caused it. */
interface RankedFault {
  readonly rank: number;
  readonly error: unknown;
}

/** What a status that is not a success means. */
const refusedAs =
  (notFound: string, method: string) =>
  async (response: HttpResponse): Promise<RankedFault> => {
    if (response.status !== 404)
      return { rank: 3, error: await unexpectedStatus(method, response) };
    const body = await readBody(response.body, mostErrorBytes).catch(() => Buffer.alloc(0));
    const said = serverMessage(body);
    const error = new RegistryError("NotFound", `${notFound}: not found`, { serverMessage: said });
    return { rank: 2, error };
  };

const contentType = (response: HttpResponse): string =>
  (response.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
