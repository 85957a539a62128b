import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { DecodeError, decodeJson } from "../../../schema/json/decode.ts";
import { isMap } from "../../../schema/json/json-value.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { bool, duration, list, message, string, strings } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { quote } from "../../../schema/values/quote.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { isImagePattern } from "../../pod/container/docker-keyring.ts";

const type = "io.k8s.kubelet.config.v1";

const ExecEnvVar = struct(`${type}.ExecEnvVar`, {
  name: string(1).always().expected().doc("The name of the variable."),
  value: string(2).always().expected().doc("The value of the variable."),
}).doc("An environment variable of a plugin.");

const TokenAttributes = struct(`${type}.ServiceAccountTokenAttributes`, {
  serviceAccountTokenAudience: string(1).doc("The audience of the tokens."),
  cacheType: string(2).doc("What credentials are cached by: ServiceAccount or Token."),
  requireServiceAccount: bool(3).pointer().doc("Whether pods without one get no credentials."),
  requiredServiceAccountAnnotationKeys: strings(4).doc("Annotations that must exist."),
  optionalServiceAccountAnnotationKeys: strings(5).doc("Annotations that are sent if they exist."),
}).doc("The service account tokens that a plugin gets.");

const CredentialProvider = struct(`${type}.CredentialProvider`, {
  name: string(1).always().expected().doc("The name of the executable."),
  matchImages: strings(2).doc("Patterns of the images that the plugin has credentials for."),
  defaultCacheDuration: duration(3).doc(
    "How long credentials are cached if the plugin does not say.",
  ),
  apiVersion: string(4).always().expected().doc("The version of requests and responses."),
  args: strings(5).doc("The arguments of the plugin."),
  env: list(6, ExecEnvVar).doc("Variables in addition to those of the kubelet."),
  tokenAttributes: message(7, TokenAttributes).doc("Not supported."),
}).doc("A plugin that has credentials of registries.");
export interface CredentialProvider extends Infer<typeof CredentialProvider> {}

const CredentialProviderConfig = struct(`${type}.CredentialProviderConfig`, {
  apiVersion: string(101).doc("kubelet.config.k8s.io/v1"),
  kind: string(102).doc("CredentialProviderConfig"),
  providers: list(1, CredentialProvider).doc("The plugins."),
}).doc("The plugins that a kubelet gets credentials of registries from.");

/** Reads the plugins from a file, or from the files of a folder by name; rejects with upstream's messages. */
export async function readCredentialProviders(
  path: string,
): Promise<readonly CredentialProvider[]> {
  const providers: CredentialProvider[] = [];
  for (const file of await configFiles(path)) {
    const text = await readFile(file, "utf8");
    try {
      providers.push(...parseCredentialProviders(text));
    } catch (cause) {
      throw new Error(`error decoding config ${quote(file)}`, { cause });
    }
  }
  const names = providers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw new Error(`duplicate provider name ${quote(twice)} found in configuration file(s)`);
  const problems = problemsOf(providers);
  if (problems.length > 0)
    throw new Error(`failed to validate credential provider config: ${aggregateMessage(problems)}`);
  return providers;
}

async function configFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new Error(`unable to access path ${quote(path)}`, { cause });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter(
    (entry) => !entry.isDirectory() && [".json", ".yaml", ".yml"].includes(extname(entry.name)),
  );
  if (files.length === 0)
    throw new Error(`no configuration files found in directory ${quote(path)}`);
  return files.map(({ name }) => join(path, name)).sort();
}

/** Parses a CredentialProviderConfig; throws if it is none. */
function parseCredentialProviders(text: string): readonly CredentialProvider[] {
  const document = yamlToJson(text);
  const { kind = "", apiVersion = "" } = isMap(document) ? document : {};
  if (kind !== "CredentialProviderConfig" || !configVersions.includes(String(apiVersion)))
    throw new Error(
      `no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))}`,
    );
  const { value, strict } = decodeJson(CredentialProviderConfig, stringifyJson(document));
  if (strict.length > 0) throw new DecodeError(`strict decoding error: ${strict.join(", ")}`);
  return (value as Infer<typeof CredentialProviderConfig>).providers ?? [];
}

const configVersions = ["v1", "v1beta1", "v1alpha1"].map(
  (version) => `kubelet.config.k8s.io/${version}`,
);

/** What is wrong with plugins, in upstream's words. */
function problemsOf(providers: readonly CredentialProvider[]): readonly string[] {
  const root = At.root();
  if (providers.length === 0) root.required("providers", "at least 1 item in plugins is required");
  for (const provider of providers) validateProvider(provider, root.child("providers"));
  return root.errors.map(({ field, message }) => `${field}: ${message}`);
}

function validateProvider(provider: CredentialProvider, at: At): void {
  const { name, apiVersion, matchImages = [], defaultCacheDuration } = provider;
  if (name.includes("/")) at.invalid("name", name, "provider name cannot contain '/'");
  if (name.includes(" ")) at.invalid("name", name, "provider name cannot contain spaces");
  if (name === ".") at.invalid("name", name, "provider name cannot be '.'");
  if (name === "..") at.invalid("name", name, "provider name cannot be '..'");
  if (apiVersion === "") at.required("apiVersion");
  else if (!pluginVersions.includes(apiVersion))
    at.notSupported("apiVersion", apiVersion, pluginVersions);
  if (matchImages.length === 0)
    at.required("matchImages", "at least 1 item in matchImages is required");
  for (const pattern of matchImages)
    if (!isImagePattern(pattern))
      at.invalid("matchImages", pattern, "match image is invalid: it is no host with a path");
  if (defaultCacheDuration === undefined) at.required("defaultCacheDuration");
  else if (parseDuration(defaultCacheDuration) < 0n)
    at.invalid("defaultCacheDuration", defaultCacheDuration, "must be greater than or equal to 0");
  if (provider.tokenAttributes)
    at.forbidden(
      "tokenAttributes",
      "tokenAttributes is not supported when KubeletServiceAccountTokenForCredentialProviders feature gate is disabled",
    );
}

const pluginVersions = ["v1", "v1alpha1", "v1beta1"].map(
  (version) => `credentialprovider.kubelet.k8s.io/${version}`,
);
