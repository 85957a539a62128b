import {
  type ConfigurationKind,
  readConfiguration,
  strictWarnings,
} from "../../../kubelet/config/read-configuration.ts";
import { decodeJson } from "../../../schema/json/decode.ts";
import { copyJson } from "../../../schema/json/json-value.ts";
import { applyDefaults } from "../../../schema/language/defaults.ts";
import type { Draft, InferInput } from "../../../schema/language/struct.ts";
import { DocumentError, type Parsed } from "../../../schema/yaml/read-document.ts";
import {
  ProxyConfiguration,
  proxyConfigurationKind,
  proxyConfigurationVersion,
} from "./proxy-configuration.ts";

/**
 * Parses a file with a KubeProxyConfiguration and fills in its defaults. Fields that are unknown or repeated are a
 * warning, as they are upstream.
 */
export function parseProxyConfiguration(text: string): Parsed<ProxyConfiguration> {
  try {
    const { value, strict } = readConfiguration(text, configurationFile);
    return { value: defaulted(value), warnings: strictWarnings(strict) };
  } catch (error) {
    if (error instanceof DocumentError) return { problems: [`failed to decode: ${error.message}`] };
    throw error;
  }
}

/** The configuration that an empty file has. */
export const defaultProxyConfiguration = (): ProxyConfiguration =>
  defaulted(decodeJson(ProxyConfiguration, "{}").value as Input);

type Input = InferInput<typeof ProxyConfiguration>;

function defaulted(decoded: Input): ProxyConfiguration {
  const draft = copyJson(decoded) as Draft<ProxyConfiguration>;
  applyDefaults(ProxyConfiguration, draft);
  return draft;
}

const configurationFile: ConfigurationKind<Input> = {
  struct: ProxyConfiguration,
  kind: proxyConfigurationKind,
  apiVersion: proxyConfigurationVersion,
  scheme: "k8s.io/kubernetes/pkg/proxy/apis/config/scheme/scheme.go:29",
};
