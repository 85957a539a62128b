import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { quote } from "../../../schema/values/quote.ts";
import {
  type ConfigurationFile,
  DocumentError,
  decodeDocument,
  type Parsed,
  readDocument,
  unknownKind,
} from "../../../schema/yaml/read-document.ts";
import {
  type CredentialProvider,
  CredentialProviderConfig,
  EarlyCredentialProviderConfig,
} from "./credential-provider-config.ts";
import { validateCredentialProviderConfig } from "./validate-credential-provider-config.ts";

/** Parses files with credential providers, in their order, and validates what they hold together. */
export function parseCredentialProviderConfig(
  files: readonly ConfigurationFile[],
  features: ReadonlySet<string>,
): Parsed<CredentialProviderConfig> {
  const providers: CredentialProvider[] = [];
  for (const { path, text } of files) {
    try {
      providers.push(...readProviders(text));
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return { problems: [`error decoding config ${quote(path)}: ${error.message}`] };
    }
  }
  const names = providers.map(({ name }) => name);
  const duplicate = names.find((name, i) => names.indexOf(name) < i);
  if (duplicate !== undefined)
    return {
      problems: [`duplicate provider name ${quote(duplicate)} found in configuration file(s)`],
    };
  const config: CredentialProviderConfig = { kind, apiVersion: group + versions[0], providers };
  const problems = validateCredentialProviderConfig(config, features);
  return problems.length === 0
    ? { value: config, warnings: [] }
    : {
        problems: [`failed to validate credential provider config: ${aggregateMessage(problems)}`],
      };
}

const kind = "CredentialProviderConfig";
const group = "kubelet.config.k8s.io/";
const versions = ["v1", "v1beta1", "v1alpha1"];

function readProviders(text: string): readonly CredentialProvider[] {
  const { value: document, strict } = readDocument(text);
  const apiVersion = String(document.apiVersion);
  if (apiVersion === `${group}v1beta1` && document.kind === "KubeletConfiguration")
    throw new DocumentError(`failed to decode ${quote(String(document.kind))} (wrong Kind)`);
  if (document.kind !== kind || !versions.some((version) => apiVersion === group + version))
    throw unknownKind(document, "k8s.io/kubernetes/pkg/credentialprovider/plugin/plugin.go:69");
  const decoded =
    apiVersion === `${group}v1`
      ? decodeDocument(CredentialProviderConfig, document)
      : decodeDocument(EarlyCredentialProviderConfig, document);
  const minded = [...strict, ...decoded.strict];
  if (minded.length > 0) throw new DocumentError(`strict decoding error: ${minded.join(", ")}`);
  return (decoded.value as CredentialProviderConfig).providers ?? [];
}
