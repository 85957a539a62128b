import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";

export interface Library {
  readonly root: string;
  readonly outdir: string;
  /** The names of the files in `entries/`, which are those of the subpaths. */
  readonly names: readonly string[];
  /** What `wherry/api` exports under which name, by name in OpenAPI. */
  readonly published: ReadonlyMap<string, string>;
}

/**
 * Writes the types of each subpath, and of what they mention. Types of kinds are those of `wherry/api`,
 * which have their documentation in them, and not the inferred ones.
 */
export function publishTypes({ root, outdir, names, published }: Library): void {
  const emitted = emit(root, names);
  try {
    const waiting = names.map((name) => `entries/${name}.d.ts`);
    const seen = new Set(waiting);
    for (const file of waiting) {
      const source = readFileSync(join(emitted, file), "utf8");
      const isOfApi = (name: string, from: string): boolean =>
        from.startsWith("src/api/") &&
        isPublished(published, name, from) &&
        // A kind, or a part of one: both a type and a value.
        readFileSync(join(emitted, from), "utf8").includes(`export declare const ${name}:`);
      const { text, mentioned } = relinked(source, file, isOfApi);
      for (const other of mentioned)
        if (!seen.has(other)) {
          seen.add(other);
          waiting.push(other);
        }
      const target = join(outdir, placeOf(file));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** Whether a name that stands in a file is published under it: another group may have such a name, too. */
function isPublished(published: Library["published"], name: string, from: string): boolean {
  const [group, version] = from.slice("src/api/".length).split("/");
  const own = `.${group}.${version}.${name}`;
  return [...published].some(([known, as]) => as === name && known.endsWith(own));
}

/** Where a declaration goes: those of entries to the top, all others below `types`. */
const placeOf = (file: string): string =>
  file.startsWith("entries/") ? file.slice("entries/".length) : file.replace(/^src\//, "types/");

/** A declaration with links that hold where it is published, and the declarations that it links to. */
export function relinked(
  source: string,
  file: string,
  isOfApi: (name: string, from: string) => boolean,
): { readonly text: string; readonly mentioned: readonly string[] } {
  const mentioned: string[] = [];
  const linkTo = (target: string): string => {
    const link = posix.relative(posix.dirname(placeOf(file)), placeOf(target));
    return `${link.startsWith(".") ? "" : "./"}${link.replace(/\.d\.ts$/, ".js")}`;
  };
  const text = source.replaceAll(
    /(import|export)( type)? \{([^}]*)\} from "(\.[^"]+)\.ts";/g,
    (_, verb: string, type = "", inner: string, path: string) => {
      const target = `${posix.join(posix.dirname(file), path)}.d.ts`;
      const parts = inner.split(",").map((part) => part.trim());
      const isKind = (part: string): boolean =>
        isOfApi(part.replace(/^type /, "").split(" ")[0] ?? "", target);
      const ofApi = parts.filter(isKind);
      const others = parts.filter((part) => part !== "" && !isKind(part));
      const lines: string[] = [];
      if (ofApi.length > 0)
        lines.push(`${verb}${type} { ${ofApi.join(", ")} } from "${linkTo("entries/api.d.ts")}";`);
      if (others.length > 0) {
        mentioned.push(target);
        lines.push(`${verb}${type} { ${others.join(", ")} } from "${linkTo(target)}";`);
      }
      return lines.join("\n");
    },
  );
  return { text, mentioned };
}

function emit(root: string, names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-types-"));
  const config = join(folder, "tsconfig.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        allowJs: false,
        checkJs: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        rootDir: root,
        outDir: folder,
        typeRoots: [join(root, "node_modules", "@types")],
      },
      include: [],
      files: names.map((name) => join(root, "entries", `${name}.ts`)),
    }),
  );
  const tsc = join(root, "node_modules", "typescript", "lib", "tsc.js");
  // The compiler writes what is wrong to standard output.
  execFileSync(process.execPath, [tsc, "-p", config], { stdio: ["ignore", 2, "inherit"] });
  return folder;
}
