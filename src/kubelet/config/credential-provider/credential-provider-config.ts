import {
  bool,
  duration,
  list,
  message,
  named,
  string,
  strings,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

const ExecEnvVar = struct("io.k8s.kubelet.config.v1.ExecEnvVar", {
  name: string(1).always().expected().doc("The name of the variable."),
  value: string(2).always().expected().doc("Its value."),
}).doc("An environment variable of a plugin.");

const ServiceAccountTokenAttributes = struct(
  "io.k8s.kubelet.config.v1.ServiceAccountTokenAttributes",
  {
    serviceAccountTokenAudience: string(1).always().expected().doc("The audience of the token."),
    cacheType: named(2, "v1.ServiceAccountTokenCacheType")
      .always()
      .expected()
      .known("Token", "ServiceAccount")
      .doc("Whether credentials are cached for each token or for each service account."),
    requireServiceAccount: bool(3)
      .nullable()
      .doc("Whether the plugin is run only for pods with a service account."),
    requiredServiceAccountAnnotationKeys: strings(4)
      .set()
      .doc("Annotations that the service account must have, and that the plugin gets."),
    optionalServiceAccountAnnotationKeys: strings(5)
      .set()
      .doc("Annotations of the service account that the plugin gets, if there are any."),
  },
).doc("The service account token that a plugin gets.");

const providerFields = {
  name: string(1).always().expected().doc("The name of the plugin's executable; it is unique."),
  matchImages: strings(2)
    .expected()
    .doc("The images that the plugin is run for: HOST[:PORT][/PATH], with * in parts of the host."),
  defaultCacheDuration: duration(3)
    .nullable()
    .doc("How long credentials are cached, unless the plugin says so."),
  apiVersion: string(4).always().expected().doc("The version of the plugin's input and output."),
  args: strings(5).doc("The arguments of the plugin."),
  env: list(6, ExecEnvVar).doc("Environment variables of the plugin, beside those of the kubelet."),
};

const CredentialProvider = struct("io.k8s.kubelet.config.v1.CredentialProvider", {
  ...providerFields,
  tokenAttributes: message(7, ServiceAccountTokenAttributes).doc(
    "The service account token that the plugin gets; absent for none.",
  ),
}).doc("A plugin that provides credentials for image pulls.");
export interface CredentialProvider extends Infer<typeof CredentialProvider> {}

const typeFields = {
  kind: string(101).doc("CredentialProviderConfig"),
  apiVersion: string(102).doc("kubelet.config.k8s.io/v1"),
};

/** The plugins that provide credentials for image pulls. */
export const CredentialProviderConfig = struct(
  "io.k8s.kubelet.config.v1.CredentialProviderConfig",
  { ...typeFields, providers: list(1, CredentialProvider).expected().doc("The plugins.") },
).doc("The plugins that provide credentials for image pulls.");
export interface CredentialProviderConfig extends Infer<typeof CredentialProviderConfig> {}

/** The same in versions that know no service account tokens. */
export const EarlyCredentialProviderConfig = struct(
  "io.k8s.kubelet.config.v1beta1.CredentialProviderConfig",
  {
    ...typeFields,
    providers: list(
      1,
      struct("io.k8s.kubelet.config.v1beta1.CredentialProvider", providerFields).doc(
        "A plugin that provides credentials for image pulls.",
      ),
    )
      .expected()
      .doc("The plugins."),
  },
).doc("The plugins that provide credentials for image pulls.");
