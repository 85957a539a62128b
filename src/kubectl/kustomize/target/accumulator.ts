import type { Variable } from "../config/kustomization.ts";
import { emptyConfig, mergeConfigs, type TransformerConfig } from "../config/transformer-config.ts";
import { fixNameReferences } from "../filters/name-reference.ts";
import { replaceVariables } from "../filters/variables.ts";
import { isMissing } from "../nodes/yaml-node.ts";
import { ResMap } from "../resources/res-map.ts";
import { isLocalConfig } from "./local-config.ts";
import { VariableSet } from "./variable-set.ts";

/** What a kustomization and those below it have brought together so far. */
export class Accumulator {
  readonly map = new ResMap();
  readonly variables = new VariableSet();
  #config: TransformerConfig = emptyConfig;

  get config(): TransformerConfig {
    return this.#config;
  }

  addConfig(config: TransformerConfig): void {
    this.#config = mergeConfigs(this.#config, config);
  }

  /** Takes in what another kustomization has brought together. */
  absorb(other: Accumulator): void {
    this.map.appendAll(other.map);
    this.addConfig(other.config);
    this.variables.addAll(other.variables.list);
  }

  addVariables(variables: readonly Variable[]): void {
    for (const variable of variables) this.variables.bind(variable, this.map);
    this.variables.addAll(variables);
  }

  fixNameReferences(): void {
    fixNameReferences(this.map, this.#config.nameReference);
  }

  /** Replaces variables by their values; returns warnings. */
  resolveVariables(): string[] {
    const { values, warnings } = this.variables.valuesFrom(this.map);
    if (values.size === 0) return [];
    const unused = replaceVariables(this.map, values, this.#config.varReference);
    if (unused.length === 0) return warnings;
    return [...warnings, `well-defined vars that were never replaced: ${unused.join(",")}`];
  }

  /** Removes objects that are only meant for tools on this side of the cluster. */
  dropLocalConfig(): void {
    this.map.reset(
      this.map.resources.filter(
        ({ node }) => node !== undefined && !isMissing(node) && !isLocalConfig(node),
      ),
    );
  }
}
