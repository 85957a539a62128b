import { At } from "../../../schema/language/report.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { ConfigurationFeature } from "../feature-gates.ts";
import type { CredentialProvider, CredentialProviderConfig } from "./credential-provider-config.ts";

/** All problems of credential providers with different names, in upstream's words and order. */
export function validateCredentialProviderConfig(
  { providers = [] }: Partial<CredentialProviderConfig>,
  features: ReadonlySet<string>,
): readonly string[] {
  const at = At.root();
  if (providers.length === 0) at.required("providers", "at least 1 item in plugins is required");
  // Upstream's paths have no indices.
  const here = at.child("providers");
  for (const provider of providers) {
    validateName(provider.name, here);
    validateProvider(provider, here);
    validateToken(provider, features, here.child("tokenAttributes"));
  }
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}

function validateName(name: string, at: At): void {
  if (name.includes("/")) at.invalid("name", name, "provider name cannot contain '/'");
  if (name.includes(" ")) at.invalid("name", name, "provider name cannot contain spaces");
  if (name === "." || name === "..") at.invalid("name", name, `provider name cannot be '${name}'`);
}

const tokenVersion = "credentialprovider.kubelet.k8s.io/v1";
const pluginVersions = [tokenVersion, `${tokenVersion}alpha1`, `${tokenVersion}beta1`];

function validateProvider(provider: CredentialProvider, at: At): void {
  const { apiVersion, matchImages = [], defaultCacheDuration } = provider;
  if (apiVersion === "") at.required("apiVersion");
  else if (!pluginVersions.includes(apiVersion))
    at.notSupported("apiVersion", apiVersion, pluginVersions);
  if (matchImages.length === 0)
    at.required("matchImages", "at least 1 item in matchImages is required");
  for (const image of matchImages) {
    const url = parseGoUrl(`https://${image}`);
    if (typeof url === "string") at.invalid("matchImages", image, `match image is invalid: ${url}`);
  }
  if (typeof defaultCacheDuration !== "string") at.required("defaultCacheDuration");
  else if (parseDuration(defaultCacheDuration) < 0n)
    at.invalid("defaultCacheDuration", defaultCacheDuration, "must be greater than or equal to 0");
}

const cacheTypes = ["ServiceAccount", "Token"];
const tokenFeature: ConfigurationFeature = "KubeletServiceAccountTokenForCredentialProviders";

function validateToken(
  { tokenAttributes: token, apiVersion }: CredentialProvider,
  features: ReadonlySet<string>,
  at: At,
): void {
  if (!token) return;
  if (!features.has(tokenFeature))
    at.forbidden(
      "",
      `tokenAttributes is not supported when ${tokenFeature} feature gate is disabled`,
    );
  if (token.serviceAccountTokenAudience === "") at.required("serviceAccountTokenAudience");
  const isRequired = token.requireServiceAccount;
  if (typeof isRequired !== "boolean") at.required("requireServiceAccount");
  if (apiVersion !== tokenVersion)
    at.forbidden("", `tokenAttributes is only supported for ${tokenVersion} API version`);
  const { requiredServiceAccountAnnotationKeys: required = [] } = token;
  const { optionalServiceAccountAnnotationKeys: optional = [] } = token;
  if (isRequired === false && required.length > 0)
    at.forbidden(
      "requiredServiceAccountAnnotationKeys",
      "requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set",
    );
  validateKeys(required, at.child("requiredServiceAccountAnnotationKeys"));
  validateKeys(optional, at.child("optionalServiceAccountAnnotationKeys"));
  const both = [...new Set(required.filter((key) => optional.includes(key)))].sort(compareUtf8);
  if (both.length > 0) at.invalid("", both, "annotation keys cannot be both required and optional");
  if (token.cacheType === "")
    at.required(
      "cacheType",
      `cacheType is required to be set when tokenAttributes is specified. Supported values are: ${cacheTypes.join(", ")}`,
    );
  else if (!cacheTypes.includes(token.cacheType))
    at.notSupported("cacheType", token.cacheType, cacheTypes);
}

function validateKeys(keys: readonly string[], at: At): void {
  for (const [i, key] of keys.entries()) {
    at.invalidEach("", key, isQualifiedName(key.toLowerCase()));
    if (keys.indexOf(key) < i) at.duplicate("", key);
  }
}
