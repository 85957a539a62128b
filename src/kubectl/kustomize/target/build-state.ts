import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { builtInSchemas, documentSchemas, type SchemaSource } from "../config/merge-schema.ts";
import { KustomizeError } from "../kustomize-error.ts";
import type { HelmOptions } from "../plugins/helm-chart.ts";

const builtInVersion = "v1.21.2";

/** What all kustomizations of a build share. */
export class BuildState {
  readonly warnings: string[] = [];
  #schemas = builtInSchemas;
  #isSet = false;
  readonly helm: HelmOptions | undefined;

  constructor(helm: HelmOptions | undefined) {
    this.helm = helm;
  }

  warn(text: string): void {
    this.warnings.push(text);
  }

  /** Finds schemas as of the time of the call: the first kustomization that names some wins. */
  readonly schemas: SchemaSource = (apiVersion, kind) => this.#schemas(apiVersion, kind);

  setSchema(named: {
    content: string | undefined;
    version: string | undefined;
    isTop: boolean;
  }): void {
    const { content, version, isTop } = named;
    if (this.#isSet && !isTop) return;
    if (content !== undefined) {
      if (version !== undefined) {
        throw new KustomizeError("builtin version and custom schema provided, cannot use both");
      }
      this.#schemas = documentSchemas(yamlToJson(content));
      this.#isSet = true;
      return;
    }
    if (version === undefined || version === "") return;
    if (version !== builtInVersion) {
      throw new KustomizeError("the specified OpenAPI version is not built in");
    }
    this.#isSet = true;
  }
}
