import type { SchemaSource } from "../config/merge-schema.ts";
import type { Loader } from "../loading/loader.ts";
import type { Origin } from "../resources/origin.ts";
import type { ResMap } from "../resources/res-map.ts";
import type { HelmOptions } from "./helm-chart.ts";

/** Changes the resources of a build. */
export interface Transformer {
  transform(map: ResMap): void;
}

/** Makes resources. */
export interface Generator {
  generate(): Promise<ResMap>;
}

/** A transformer or a generator, with where it was configured. */
export interface Configured<T> {
  readonly plugin: T;
  readonly origin: Origin | undefined;
}

/** What a plugin needs to be configured and to work. */
export interface PluginContext {
  readonly loader: Loader;
  /** The schemas as of now: a kustomization may name its own. */
  readonly schemas: SchemaSource;
  /** How Helm is called; undefined where charts are refused. */
  readonly helm?: HelmOptions | undefined;
}
