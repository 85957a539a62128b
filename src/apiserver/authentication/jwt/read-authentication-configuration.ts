import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { At } from "../../../schema/language/report.ts";
import { quote } from "../../../schema/values/quote.ts";
import { readConfigurationFile } from "../../configuration/read-configuration-file.ts";
import type { SelectedEgress } from "../../connect/egress.ts";
import {
  type AnonymousAuthConfig,
  AuthenticationConfiguration,
} from "./authentication-configuration.ts";
import {
  type CheckedJwtAuthenticator,
  checkJwtAuthenticator,
} from "./validate-jwt-authenticator.ts";

/** A configuration that can be used: it is valid, and its expressions are compiled. */
export interface CheckedAuthentication {
  readonly jwt: readonly CheckedJwtAuthenticator[];
  readonly anonymous?: AnonymousAuthConfig | undefined;
}

/** Reads the text of a file with an AuthenticationConfiguration, unchecked; throws upstream's error. */
export function readAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === "") throw new Error("empty config data");
  return readConfigurationFile(text, {
    struct: AuthenticationConfiguration,
    kind: "AuthenticationConfiguration",
    versions: ["v1", "v1beta1", "v1alpha1"],
    scheme: "k8s.io/kubernetes/pkg/kubeapiserver/options/authentication.go:879",
  });
}

/** How many issuers there may be. */
const mostIssuers = 64;

/**
 * Validates a configuration and compiles its expressions. With `initial`, it must keep what cannot be changed while
 * the server runs. Throws all problems, in upstream's words.
 */
export function checkAuthentication(
  configuration: AuthenticationConfiguration,
  {
    disallowedIssuers,
    egress,
    initial,
  }: {
    readonly disallowedIssuers: readonly string[];
    /** The networks that are selected; absent if none can be. */
    readonly egress?: SelectedEgress | undefined;
    readonly initial?: Pick<AuthenticationConfiguration, "anonymous">;
  },
): CheckedAuthentication {
  const root = At.root();
  const jwt = checkIssuers(root.child("jwt"), configuration, disallowedIssuers);
  const { anonymous } = configuration;
  if (anonymous && !anonymous.enabled && (anonymous.conditions ?? []).length > 0)
    root.invalid(
      "anonymous.conditions",
      (anonymous.conditions ?? []).map(({ path }) => ({ Path: path ?? "" })),
      "enabled should be set to true when conditions are defined",
    );
  if (initial && JSON.stringify(initial.anonymous) !== JSON.stringify(anonymous))
    root.forbidden("anonymous", "changed from initial configuration file");
  if (root.errors.length > 0)
    throw new Error(
      aggregateMessage(root.errors.map(({ field, message }) => `${field}: ${message}`)),
    );
  for (const { configuration: one } of jwt)
    requireEgress(one.issuer?.egressSelectorType ?? "", egress);
  return { jwt, ...(anonymous && { anonymous }) };
}

/** Using the direct network in place of one that is not configured would break a promise. */
function requireEgress(type: string, egress: SelectedEgress | undefined): void {
  if (type === "") return;
  if (!egress)
    throw new Error(`oidc: egress lookup required with egress selector type ${quote(type)}`);
  if (!(type === "cluster" ? egress.cluster : egress.controlPlane))
    throw new Error(`oidc: egress lookup for ${quote(type)} is not configured`);
}

function checkIssuers(
  at: At,
  { jwt = [] }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): CheckedJwtAuthenticator[] {
  if (jwt.length > mostIssuers) {
    at.tooMany("", jwt.length, mostIssuers);
    return [];
  }
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  return jwt.map((authenticator, i) => {
    const here = at.index(i);
    const checked = checkJwtAuthenticator(here, authenticator, disallowedIssuers);
    const { url = "", discoveryURL = "" } = authenticator.issuer ?? {};
    if (urls.has(url)) here.duplicate("issuer.url", url);
    urls.add(url);
    if (discoveryURL !== "" && discoveryUrls.has(discoveryURL))
      here.duplicate("issuer.discoveryURL", discoveryURL);
    discoveryUrls.add(discoveryURL);
    return checked;
  });
}
