import { isMap } from "../../../schema/json/json-value.ts";
import { goType } from "../../../schema/values/go-print.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { decodeLeniently } from "../config/decoder.ts";
import { type Kustomization, replacementDecoder } from "../config/kustomization.ts";
import { applyReplacement, type Replacement } from "../filters/replacement.ts";
import { KustomizeError } from "../kustomize-error.ts";
import type { PluginContext, Transformer } from "./plugin.ts";

/** Copies values from one object to others; replacements may stand in files. */
export async function replacementTransformer(
  entries: Kustomization["replacements"],
  { loader }: PluginContext,
): Promise<Transformer> {
  const replacements: Replacement[] = [];
  for (const { path, ...inline } of entries) {
    if (path === "") {
      replacements.push(inline);
      continue;
    }
    if (inline.source !== undefined || (inline.targets?.length ?? 0) > 0) {
      throw new KustomizeError("cannot specify both path and inline replacement");
    }
    replacements.push(...readReplacements(await loader.loadText(path)));
  }
  return {
    transform: (map) => {
      const nodes = map.resources.flatMap(({ node }) => node ?? []);
      for (const replacement of replacements) applyReplacement(nodes, replacement);
    },
  };
}

function readReplacements(content: string): Replacement[] {
  const value = yamlToJson(content);
  if (Array.isArray(value)) return value.map((item) => decodeLeniently(replacementDecoder, item));
  if (isMap(value)) return [decodeLeniently(replacementDecoder, value)];
  const kind = value === null ? "invalid" : goType(value);
  throw new KustomizeError(
    `unsupported replacement type encountered within replacement path: ${kind}`,
  );
}
