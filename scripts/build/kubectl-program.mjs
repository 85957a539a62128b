// @ts-check
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { projectRoot } from "../project.mjs";
import { withPodServer } from "./pod-server.mjs";

/** @typedef {import("esbuild").BuildOptions} BuildOptions */
/** @typedef {import("esbuild").Plugin} Plugin */

const main = "./src/cluster/commands/kubectl/kubectl-main.ts";

/**
 * Builds kubectl as two bundles: the modules of its usual commands, and the rest, which is loaded when a command needs
 * it. A start reads a whole bundle and its compiled code, whatever of it is run.
 *
 * @param {BuildOptions} options
 * @param {string} outdir
 */
export async function buildKubectl(options, outdir) {
  const plugins = [lazyBuiltins, ...(options.plugins ?? [])];
  const usual = await usualModules({ ...options, plugins });
  /** @type {Set<string>} */
  const rest = new Set();
  await build({
    ...options,
    stdin: entry(`require("bundle:rest").usual = ${table(usual)};\nrequire("${main}");`),
    outfile: join(outdir, "kubectl.cjs"),
    plugins: [
      otherBundle({
        name: "rest",
        isThere: (module, kind) => kind === "dynamic-import" && !usual.has(module),
        load(module) {
          rest.add(module);
          return `module.exports = require("bundle:rest").load(${JSON.stringify(module)});`;
        },
        connection: `
          const { loadBundle } = require("./src/platform/code-cache.ts");
          let rest;
          exports.load = (module) => {
            if (rest === undefined) {
              const bundle = loadBundle(require("node:path").join(__dirname, "kubectl-rest.cjs"));
              if (!bundle.wasCached) process.once("exit", () => bundle.keep());
              rest = bundle.exports.open(exports.usual);
            }
            return rest[module]();
          };`,
      }),
      ...plugins,
    ],
  });
  await build({
    ...options,
    stdin: entry(`exports.open = (usual) => {
      require("bundle:usual").usual = usual;
      return ${table(rest)};
    };`),
    outfile: join(outdir, "kubectl-rest.cjs"),
    plugins: [
      otherBundle({
        name: "usual",
        isThere: (module) => usual.has(module),
        load: (module) =>
          `module.exports = require("bundle:usual").usual[${JSON.stringify(module)}]();`,
        connection: "",
      }),
      ...plugins,
    ],
  });
}

/** @param {string} contents */
const entry = (contents) => ({ contents, resolveDir: projectRoot, sourcefile: "entry.cjs" });

/**
 * Functions that load modules, by their paths.
 *
 * @param {Iterable<string>} modules
 */
const table = (modules) =>
  `{${[...modules].map((module) => `${JSON.stringify(module)}: () => require("./${module}")`).join(",\n")}}`;

/**
 * Takes some modules from another bundle.
 *
 * @param {{
 *   name: string;
 *   isThere(module: string, kind: string): boolean;
 *   load(module: string): string;
 *   connection: string;
 * }} other
 * @returns {Plugin}
 */
function otherBundle({ name, isThere, load, connection }) {
  const resolving = Symbol(name);
  return {
    name,
    setup(builder) {
      builder.onResolve({ filter: /^bundle:/ }, ({ path }) => ({ path, namespace: "bundle" }));
      builder.onLoad({ filter: /^bundle:/, namespace: "bundle" }, () => ({
        contents: connection,
        resolveDir: projectRoot,
      }));
      builder.onResolve({ filter: /./, namespace: "file" }, async (args) => {
        const { path, kind, importer, resolveDir, pluginData } = args;
        // The entry and what the connection needs belong to this bundle.
        if (pluginData === resolving || kind === "entry-point" || kind === "require-call") return;
        const found = await builder.resolve(path, {
          kind,
          importer,
          resolveDir,
          pluginData: resolving,
        });
        const module = relative(projectRoot, found.path).replaceAll(sep, "/");
        return found.namespace === "file" && !found.external && isThere(module, kind)
          ? { path: module, namespace: name }
          : undefined;
      });
      builder.onLoad({ filter: /./, namespace: name }, ({ path }) => ({
        contents: load(path),
        resolveDir: projectRoot,
      }));
    },
  };
}

/** Modules of Node that take long to load, and that many commands need only in some cases. */
const slowBuiltins = [
  ...["child_process", "crypto", "fs/promises", "http", "http2", "https", "net"],
  ...["readline", "stream", "stream/promises", "tls", "tty", "zlib"],
];

/**
 * Loads such modules when something of them is used.
 *
 * @type {Plugin}
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup(builder) {
    const filter = new RegExp(`^node:(${slowBuiltins.join("|")})$`);
    builder.onResolve({ filter }, ({ path, namespace }) =>
      namespace === "lazy-builtin" ? { path, external: true } : { path, namespace: "lazy-builtin" },
    );
    builder.onLoad({ filter, namespace: "lazy-builtin" }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path));
      const getters = names.map((name) => `get ${name}() { return require("${path}").${name}; }`);
      return { contents: `module.exports = { ${getters.join(", ")} };` };
    });
  },
};

/**
 * The modules that the usual commands load: a bundle that says what it loads has run them.
 *
 * @param {BuildOptions} options
 */
async function usualModules(options) {
  const folder = join(projectRoot, "node_modules", ".cache", "wherry");
  mkdirSync(folder, { recursive: true });
  const trial = mkdtempSync(join(folder, "kubectl-"));
  try {
    const program = join(trial, "kubectl.cjs");
    await build({ ...options, stdin: entry(`require("${main}");`), outfile: program });
    const log = join(trial, "loaded");
    const said = readFileSync(program, "utf8").replaceAll(
      /"((?:src|node_modules)\/[^"\n]+)"\(\)\{/g,
      '"$1"(){loaded.push("$1");',
    );
    writeFileSync(
      program,
      `const loaded = []; process.on("exit", () => require("node:fs").appendFileSync(${JSON.stringify(log)}, loaded.join("\\n") + "\\n"));\n${said}`,
    );
    await withPodServer(async (env) => {
      for (const args of [
        ["version", "--client"],
        ["get", "pods"],
        ["get", "pods", "-o", "yaml"],
      ])
        await promisify(execFile)(process.execPath, [program, "kubectl", ...args], { env });
    });
    return new Set(readFileSync(log, "utf8").split("\n").filter(Boolean));
  } finally {
    rmSync(trial, { recursive: true });
  }
}
