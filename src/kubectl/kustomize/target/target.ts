import { readCrdConfig } from "../config/crd-config.ts";
import { defaultConfig } from "../config/default-config.ts";
import { fieldSpec } from "../config/field-spec.ts";
import {
  checkKustomization,
  type Kustomization,
  readKustomization,
} from "../config/kustomization.ts";
import { readTransformerConfig } from "../config/load-config.ts";
import { emptyConfig, mergeConfigs } from "../config/transformer-config.ts";
import { applyFieldSpec, setMember } from "../filters/apply-field-spec.ts";
import {
  causeOf,
  inContext,
  inContextAsync,
  isUserError,
  KustomizeError,
  prefixed,
  TimeoutError,
} from "../kustomize-error.ts";
import { HttpError, type Loader } from "../loading/loader.ts";
import { tags, type YamlNode } from "../nodes/yaml-node.ts";
import { loadGenerator, loadTransformer } from "../plugins/external-plugins.ts";
import type { Configured, Generator, PluginContext, Transformer } from "../plugins/plugin.ts";
import { originAnnotation } from "../resources/build-annotations.ts";
import { type Origin, originBelow, originText } from "../resources/origin.ts";
import { isMalformed, readResourceFile, readResources } from "../resources/read-resources.ts";
import { ResMap } from "../resources/res-map.ts";
import { Accumulator } from "./accumulator.ts";
import type { BuildState } from "./build-state.ts";
import { builtInGenerators, builtInTransformers, type StepContext } from "./built-in-steps.ts";
import { checkUnchanged } from "./check-unchanged.ts";
import { variableText } from "./variable-set.ts";

interface TargetParts {
  readonly loader: Loader;
  readonly state: BuildState;
  /** The kustomization that names this one. */
  readonly parent?: Target;
}

/** A directory with a kustomization. */
export class Target {
  readonly loader: Loader;
  readonly kustomization: Kustomization;
  readonly #fileName: string;
  readonly #state: BuildState;
  readonly #buildMetadata: readonly string[];
  /** The namespace of the kustomizations above. */
  readonly #namespace: string;
  #origin: Origin | undefined;

  private constructor(
    { loader, state, parent }: TargetParts,
    { kustomization, fileName }: { kustomization: Kustomization; fileName: string },
  ) {
    this.loader = loader;
    this.kustomization = kustomization;
    this.#fileName = fileName;
    this.#state = state;
    if (parent === undefined) {
      this.#buildMetadata = kustomization.buildMetadata;
      this.#namespace = "";
      this.#origin = this.#buildMetadata.length > 0 ? {} : undefined;
    } else {
      this.#buildMetadata = parent.#buildMetadata;
      this.#namespace = parent.kustomization.namespace || parent.#namespace;
      this.#origin = parent.#origin;
    }
  }

  /** Reads the kustomization of a directory. */
  static async load(parts: TargetParts): Promise<Target> {
    const { loader, state } = parts;
    const found: { fileName: string; content: string }[] = [];
    for (const fileName of fileNames) {
      try {
        found.push({ fileName, content: await loader.loadText(fileName) });
      } catch (error) {
        if (!isUserError(error)) throw error;
      }
    }
    const [file] = found;
    if (file === undefined) {
      throw new KustomizeError(
        `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${loader.root}'`,
      );
    }
    if (found.length > 1) {
      throw new KustomizeError(`Found multiple kustomization files under: ${loader.root}\n`);
    }
    const { kustomization, warnings } = readKustomization(file.content);
    for (const warning of warnings) state.warn(warning);
    checkKustomization(kustomization, loader.root);
    return new Target(parts, { kustomization, fileName: file.fileName });
  }

  /** Brings together all that the kustomization names, and transforms it. */
  async accumulate(into = new Accumulator()): Promise<Accumulator> {
    const own = this.kustomization;
    await inContextAsync("accumulating resources", () => this.#addResources(into, own.resources));
    into.addConfig(await this.#config());
    into.addConfig(await this.#crdConfig());
    await this.#runGenerators(into);
    const all = await inContextAsync("accumulating components", () => this.#addComponents(into));
    await this.#runTransformers(all);
    await this.#runValidators(all);
    inContext(`merging vars [${own.vars.map(variableText).join(" ")}]`, () =>
      all.addVariables(own.vars),
    );
    return all;
  }

  async #config() {
    let config = emptyConfig;
    for (const path of this.kustomization.configurations) {
      config = mergeConfigs(config, readTransformerConfig(await this.loader.loadText(path)));
    }
    return mergeConfigs(defaultConfig, config);
  }

  async #crdConfig() {
    const { crds } = this.kustomization;
    return await inContextAsync(`loading CRDs [${crds.join(" ")}]`, async () => {
      let config = emptyConfig;
      for (const path of crds) {
        const content = await this.loader.loadText(path);
        const prefix = `unable to parse open API definition from '${path}'`;
        config = mergeConfigs(
          config,
          inContext(prefix, () => readCrdConfig(content)),
        );
      }
      return config;
    });
  }

  get #context(): StepContext {
    const { schemas, helm } = this.#state;
    return {
      loader: this.loader,
      schemas,
      helm,
      kustomization: this.kustomization,
      fileName: this.#fileName,
      origin: this.#origin,
      namespace: this.#namespace,
    };
  }

  async #runGenerators(into: Accumulator): Promise<void> {
    const generators: Configured<Generator>[] = builtInGenerators(this.#context);
    const configured = await inContextAsync("loading generator plugins", () =>
      this.#configurations(this.kustomization.generators, loadGenerator),
    );
    for (const { plugin, origin } of [...generators, ...configured]) {
      const made = await plugin.generate();
      made.addOrigin(origin);
      inContext("merging from generator", () => into.map.absorb(made));
    }
  }

  /** Loads what objects configure that stand in the kustomization, in files or in directories. */
  async #configurations<T>(
    entries: readonly string[],
    load: (resource: ResMap["resources"][number], context: PluginContext) => Promise<T>,
  ): Promise<T[]> {
    const into = new Accumulator();
    const paths: string[] = [];
    for (const entry of entries) {
      const resources = readInline(entry);
      if (resources === undefined) {
        paths.push(entry);
        continue;
      }
      if (this.#origin !== undefined) {
        const origin = originBelow(this.#origin, this.#fileName);
        for (const resource of resources.resources) resource.setOrigin(origin);
      }
      into.map.appendAll(resources);
    }
    await this.#addResources(into, paths);
    const plugins: T[] = [];
    for (const resource of into.map.resources) plugins.push(await load(resource, this.#context));
    return plugins;
  }

  async #runTransformers(all: Accumulator): Promise<void> {
    const builtIn = await builtInTransformers(this.#context, all.config);
    const configured = await this.#configurations(this.kustomization.transformers, loadTransformer);
    for (const { plugin, origin } of [...builtIn, ...configured]) {
      plugin.transform(all.map);
      if (origin !== undefined) {
        all.map.dropEmpty();
        all.map.addTransformation(origin);
      }
      all.map.dropEmpty();
    }
  }

  async #runValidators(all: Accumulator): Promise<void> {
    const validators: Configured<Transformer>[] = await this.#configurations(
      this.kustomization.validators,
      loadTransformer,
    );
    for (const { plugin } of validators) {
      const before = all.map.resources.map((resource) => resource.copy());
      plugin.transform(all.map);
      checkUnchanged(before, all.map.resources);
    }
  }

  async #addResources(into: Accumulator, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        await this.#addFile(into, path);
      } catch (fileError) {
        if (!isUserError(fileError) || causeOf(fileError, HttpError)) throw fileError;
        await this.#addBase(into, path, fileError);
      }
    }
  }

  async #addFile(into: Accumulator, path: string): Promise<void> {
    const found = await inContextAsync(
      `accumulating resources from '${path}'`,
      async () => new ResMap(readResourceFile(await this.loader.loadText(path), path)),
    );
    if (this.#origin !== undefined) {
      const origin = originText(originBelow(this.#origin, path));
      const set = (node: YamlNode): void =>
        applyFieldSpec(node, fieldSpec("metadata/annotations", { create: true }), {
          set: setMember(originAnnotation, origin),
          createKind: "mapping",
          createTag: tags.map,
        });
      for (const { node } of found.resources) {
        if (node !== undefined) set(node);
      }
    }
    inContext(`merging resources from '${path}'`, () => into.map.appendAll(found));
  }

  /** What is no file is a directory, or a repository. */
  async #addBase(into: Accumulator, path: string, fileError: Error): Promise<void> {
    const prefix = `accumulation err='${fileError.message}'`;
    let loader: Loader;
    try {
      loader = await this.loader.below(path);
    } catch (error) {
      if (isMalformed(fileError) && causeOf(error, TimeoutError) === undefined) throw fileError;
      throw prefixed(prefix, error);
    }
    await inContextAsync(prefix, () => this.#addDirectory(into, { path, loader }));
  }

  /** Components work on what is there already. */
  async #addComponents(into: Accumulator): Promise<Accumulator> {
    let all = into;
    for (const path of this.kustomization.components) {
      let loader: Loader;
      try {
        loader = await this.loader.below(path);
      } catch (error) {
        throw quoted("loader.New", error);
      }
      try {
        all = await this.#addDirectory(all, { path, loader, isComponent: true });
      } catch (error) {
        throw quoted("accumulateDirectory:", error);
      }
    }
    return all;
  }

  async #addDirectory(
    into: Accumulator,
    { path, loader, isComponent = false }: { path: string; loader: Loader; isComponent?: boolean },
  ): Promise<Accumulator> {
    const origin = this.#origin;
    if (origin !== undefined) this.#origin = originBelow(origin, path);
    try {
      return await this.#addTarget(into, { loader, isComponent });
    } finally {
      this.#origin = origin;
      await loader.close();
    }
  }

  async #addTarget(
    into: Accumulator,
    { loader, isComponent }: { loader: Loader; isComponent: boolean },
  ): Promise<Accumulator> {
    const { root } = loader;
    const target = await inContextAsync(`couldn't make target for path '${root}'`, () =>
      Target.load({ loader, state: this.#state, parent: this }),
    );
    await target.setSchema(false);
    checkKind(target, isComponent);
    const accumulated = await inContextAsync(`recursed accumulation of path '${root}'`, () =>
      isComponent ? target.accumulate(into) : target.accumulate(),
    );
    const result = isComponent ? new Accumulator() : into;
    inContext(`recursed merging from path '${root}'`, () => result.absorb(accumulated));
    return result;
  }

  /** Uses the schemas that the kustomization names, unless another one above has named some. */
  async setSchema(isTop: boolean): Promise<void> {
    const { openapi } = this.kustomization;
    const path = openapi.get("path");
    const content = path === undefined ? undefined : await this.loader.loadText(path);
    this.#state.setSchema({ content, version: openapi.get("version"), isTop });
  }
}

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

function checkKind({ kustomization, loader }: Target, isComponent: boolean): void {
  const { kind } = kustomization;
  if (isComponent && kind !== "Component") {
    throw new KustomizeError(
      `expected kind 'Component' for path '${loader.root}' but got '${kind}'`,
    );
  }
  if (!isComponent && kind === "Component") {
    throw new KustomizeError(`expected kind != 'Component' for path '${loader.root}'`);
  }
}

function quoted(prefix: string, error: unknown): unknown {
  if (!isUserError(error)) return error;
  return new KustomizeError(`${prefix} ${JSON.stringify(error.message)}`, { cause: error });
}

function readInline(text: string): ResMap | undefined {
  try {
    return new ResMap(readResources(text));
  } catch (error) {
    if (!isUserError(error)) throw error;
    return undefined;
  }
}
