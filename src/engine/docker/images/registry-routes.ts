import { parseManifest } from "../../images/manifest.ts";
import { familiarName, parseReference, withDefaultTag } from "../../images/reference.ts";
import { hostOfAddress } from "../../images/registry/credentials.ts";
import { HttpConnections } from "../../images/registry/http-connections.ts";
import { RegistryClient } from "../../images/registry/registry-client.ts";
import { RegistryError } from "../../images/registry/registry-error.ts";
import { registryHosts } from "../../images/registry/registry-hosts.ts";
import { badRequest, DockerError } from "../http/docker-error.ts";
import {
  type DockerRequest,
  type DockerResponse,
  type DockerRoute,
  route,
} from "../http/docker-route.ts";
import { parseRegistryAuth, registryAuthOf } from "./registry-auth.ts";

/** The routes that only look at registries: `docker login`, and the description of an image that is not here. */
export function registryRoutes(hostsFolders: readonly string[]): readonly DockerRoute[] {
  return [
    route("POST /auth", (request) => login(request, hostsFolders)),
    route("GET /distribution/{name...}/json", (request) => describe(request, hostsFolders)),
  ];
}

const stallMs = 30_000;

async function login(
  { json, signal }: DockerRequest,
  hostsFolders: readonly string[],
): Promise<DockerResponse> {
  const body = (await json()) ?? {};
  const auth = registryAuthOf(body);
  const domain = hostOfAddress(auth?.serverAddress || "docker.io");
  const connections = new HttpConnections(stallMs);
  try {
    const hosts = await registryHosts(domain, hostsFolders);
    const client = new RegistryClient({ domain, path: "" }, { connections, hosts, auth });
    const host = client.pushHost();
    const url = new URL(`${host.base}/`);
    const response = await client.call(host, { method: "GET", url, headers: {}, signal });
    response.body.resume();
    if (response.status !== 200)
      throw new DockerError(401, `Get "${url}": unauthorized: incorrect username or password`);
    return { status: 200, json: { IdentityToken: "", Status: "Login Succeeded" } };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new DockerError(error.fault === "Denied" ? 401 : 500, error.message, { cause: error });
  } finally {
    connections.close();
  }
}

async function describe(
  { params, headers, signal }: DockerRequest,
  hostsFolders: readonly string[],
): Promise<DockerResponse> {
  const reference = (() => {
    try {
      return withDefaultTag(parseReference(params.name ?? ""));
    } catch (error) {
      throw badRequest((error as Error).message);
    }
  })();
  const connections = new HttpConnections(stallMs);
  try {
    const hosts = await registryHosts(reference.domain, hostsFolders);
    const auth = parseRegistryAuth(headers["x-registry-auth"]);
    const client = new RegistryClient(reference, { connections, hosts, auth });
    const { digest, mediaType, bytes } = await client.manifest(reference, signal);
    const document = parseManifest(bytes, mediaType);
    const platforms =
      document.kind === "index" ? document.manifests.flatMap(({ platform }) => platform ?? []) : [];
    return {
      status: 200,
      json: { Descriptor: { mediaType, digest, size: bytes.length }, Platforms: platforms },
    };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const status = error.fault === "NotFound" ? 404 : error.fault === "Denied" ? 401 : 500;
    throw new DockerError(status, `errors reading ${familiarName(reference)}: ${error.message}`, {
      cause: error,
    });
  } finally {
    connections.close();
  }
}
