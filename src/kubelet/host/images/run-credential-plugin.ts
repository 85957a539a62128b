import { join } from "node:path";
import { runChild } from "../../../platform/run-child.ts";
import { decodeJson } from "../../../schema/json/decode.ts";
import { isMap } from "../../../schema/json/json-value.ts";
import { duration, mapOf, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { structType } from "../../../schema/language/type.ts";
import type { CredentialProvider } from "../../config/credential-provider/credential-provider-config.ts";
import type { PluginAccount } from "./plugin-account.ts";

const type = "io.k8s.kubelet.credentialprovider.v1";

const AuthConfig = struct(`${type}.AuthConfig`, {
  username: string(1).always().expected().doc("The name of the user."),
  password: string(2).always().expected().doc("The password of the user."),
}).doc("Credentials of a registry.");

const CredentialProviderResponse = struct(`${type}.CredentialProviderResponse`, {
  apiVersion: string(101).doc("The version of the request."),
  kind: string(102).doc("CredentialProviderResponse"),
  cacheKeyType: string(1).always().expected().doc("Image, Registry or Global."),
  cacheDuration: duration(2).doc("How long the credentials are cached; 0 for not at all."),
  auth: mapOf(3, structType(AuthConfig)).doc("Credentials by pattern of images."),
}).doc("The credentials that a plugin has for an image.");
export interface CredentialProviderResponse extends Infer<typeof CredentialProviderResponse> {}

/** Where plugins are, and for how long one may run. */
export interface PluginOptions {
  readonly binDir: string;
  readonly timeoutMs: number;
}

/** What a plugin learns of a pull. */
export interface PluginRequest {
  readonly image: string;
  /** The service account of the pod; absent for a plugin that works without. */
  readonly account?: Pick<PluginAccount, "token" | "annotations"> | undefined;
}

/** Asks a plugin for the credentials of an image; rejects with upstream's messages. */
export async function runCredentialPlugin(
  { name, apiVersion, args = [], env = [] }: CredentialProvider,
  { image, account }: PluginRequest,
  { binDir, timeoutMs }: PluginOptions,
): Promise<CredentialProviderResponse> {
  const { token: serviceAccountToken, annotations = {} } = account ?? {};
  const request = {
    ...{ kind: "CredentialProviderRequest", apiVersion, image, serviceAccountToken },
    ...(Object.keys(annotations).length > 0 && { serviceAccountAnnotations: annotations }),
  };
  const failed = `error execing credential provider plugin ${name} for image ${image}`;
  const { code, stdout, stderr } = await runChild(join(binDir, name), args, {
    input: `${JSON.stringify(request)}\n`,
    env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Error(failed, { cause });
  });
  if (code !== 0) throw new Error(`${failed}: exit status ${code}: ${stderr}`);
  return parseResponse(stdout, apiVersion);
}

/** Errors never quote the response: it holds credentials. */
function parseResponse(text: string, apiVersion: string): CredentialProviderResponse {
  const document = parsedJson(text);
  if (!isMap(document)) throw undecodable();
  const { apiVersion: actual = "" } = document;
  if (actual !== apiVersion)
    throw new Error(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${actual}`,
    );
  if (document.kind !== "CredentialProviderResponse") throw undecodable();
  return decoded(text);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw undecodable();
  }
}

function decoded(text: string): CredentialProviderResponse {
  try {
    const { value, strict } = decodeJson(CredentialProviderResponse, text);
    if (strict.length === 0) return value as CredentialProviderResponse;
  } catch {
    // Its message could quote a password.
  }
  throw undecodable();
}

const undecodable = (): Error =>
  new Error("error decoding credential provider plugin response from stdout");
