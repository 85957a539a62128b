import { decodeBase64 } from "../../../base/base64.ts";
import type { At } from "../../../schema/language/report.ts";
import { isDns1035Label } from "../../../schema/values/names.ts";
import { validateWebhookClientConfig } from "../../admissionregistration/v1/webhook-client-config.ts";
import { pemBlocks, textOfBytes } from "../../certificates/x509/pem.ts";
import type { CustomResourceConversion } from "./custom-resource-definition-spec.ts";

export interface ConversionOptions {
  /** One of the versions of reviews must be known here. */
  readonly requireKnownReviewVersion: boolean;
  readonly allowBadCaBundle: boolean;
}

/** The rules of how objects come from one version to another. */
export function validateConversion(
  { strategy, webhook }: CustomResourceConversion,
  at: At,
  options: ConversionOptions,
): void {
  if (!strategy) at.required("strategy");
  else if (strategy !== "None" && strategy !== "Webhook")
    at.notSupported("strategy", strategy, ["None", "Webhook"]);
  const { clientConfig, conversionReviewVersions } = webhook ?? {};
  const versions = conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (clientConfig) at.forbidden("webhookClientConfig", detail);
    if (versions.length > 0) at.forbidden("conversionReviewVersions", detail);
    return;
  }
  if (!clientConfig) at.required("webhookClientConfig", "required when strategy is set to Webhook");
  else {
    const here = at.child("webhookClientConfig");
    validateWebhookClientConfig(clientConfig, here);
    const fault = options.allowBadCaBundle ? undefined : caBundleFault(clientConfig.caBundle);
    if (fault !== undefined) here.invalid("caBundle", clientConfig.caBundle, fault);
  }
  validateReviewVersions(versions, at.child("conversionReviewVersions"), options);
}

const known = ["v1", "v1beta1"];

/** Whether a version of reviews is known here, or none is given. */
export const hasKnownReviewVersion = (versions: readonly string[]): boolean =>
  versions.length === 0 || versions.some((version) => known.includes(version));

function validateReviewVersions(
  versions: readonly string[],
  at: At,
  { requireKnownReviewVersion }: ConversionOptions,
): void {
  if (versions.length === 0) at.required();
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) at.index(i).invalid("", version, "duplicate version");
    else at.index(i).invalidEach("", version, isDns1035Label(version));
    seen.add(version);
  }
  if (requireKnownReviewVersion && !hasKnownReviewVersion(versions))
    at.invalid("", versions, `must include at least one of ${known.join(", ")}`);
}

/** What is wrong with certificates of authorities; undefined where nothing is, or there are none. */
export function caBundleFault(bundle: string | undefined): string | undefined {
  if (!bundle) return undefined;
  const blocks = [...pemBlocks(textOfBytes(decodeBase64(bundle)))];
  const prefix = "unable to load root certificates:";
  if (blocks.length === 0) return `${prefix} unable to parse bytes as PEM block`;
  const certificates = blocks.filter(
    ({ type, headers }) => type === "CERTIFICATE" && Object.keys(headers).length === 0,
  );
  if (certificates.length === 0) return `${prefix} no valid certificate authority data seen`;
  return certificates.some(({ bytes }) => bytes[0] === 0x30)
    ? undefined
    : `${prefix} failed to parse certificate: x509: malformed certificate`;
}
