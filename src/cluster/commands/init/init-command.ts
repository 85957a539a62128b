import { readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { command } from "../../../cli/command.ts";
import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { programPaths } from "../../node/program-paths.ts";
import { version } from "../../version.ts";
import { projectFiles } from "./project-files.ts";
import { projectNames } from "./project-names.ts";

/** Writes the project of an operator. */
export const initCommand = command({
  name: "init",
  short: "Write a new operator in TypeScript",
  long: `Write a project for a Kubernetes operator in TypeScript: a custom kind that is declared in code, its
controller, a webhook, tests with a whole cluster in their process, the program, its image, and
the manifests that install it. The project works as it is written; its sample keeps a deployment for
each object of the kind.

DIR is created if it is missing, and is the current directory if not given. Its name is that of the
operator. A directory with files in it is left alone, unless --force says that files of the same
names may be replaced.`,
  arguments: "[DIR]",
  arity: { max: 1 },
  examples: `  wherry init widget-operator
  cd widget-operator && npm install && npm test

  # For a kind of your own
  wherry init backups --group backup.example.org --kind BackupPlan`,
  flags: {
    group: stringFlag({
      usage: "the API `GROUP` of the kind: a domain that is yours",
      default: "example.com",
    }),
    kind: stringFlag({ usage: "the `KIND`, in upper camel case", default: "Widget" }),
    plural: stringFlag({
      usage: "the `PLURAL` by which it is served (default: the kind's, in lower case)",
    }),
    name: stringFlag({ usage: "the `NAME` of the operator (default: that of the directory)" }),
    force: boolFlag({ usage: "replace files that exist" }),
  },
  async run({ flags, args: [place = "."], streams }) {
    const dir = resolve(place);
    const names = projectNames({ ...flags, name: flags.name || basename(dir) });
    if (Array.isArray(names)) throw new UsageError(names);
    if (!flags.force && (await hasFiles(dir)))
      throw new Error(
        `${dir} is not empty: choose another directory, or replace files in it with --force`,
      );
    const wherry = dependency(dir);
    const files = projectFiles(names, wherry);
    for (const [path, text] of files) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    }
    const shown = relative(process.cwd(), dir);
    streams.stdout.write(`Wrote ${files.size} files to ${dir}. Next:
${shown === "" ? "" : `  cd ${shown}\n`}  npm install
  npm test          # the operator, in a cluster in the test's process
  npx wherry up     # a cluster on this machine
  kubectl apply -f manifests/crd.yaml
  npm start         # the operator, in this terminal
  kubectl apply -f manifests/sample.yaml     # in another one
The kind is declared in src/${names.file}.ts, and README.md says more.
${wherry.startsWith("file:") ? fromClone : ""}`);
    return 0;
  },
});

const fromClone = `The project depends on the clone that this program runs from. Its image cannot: for that, run "npm pack" in the
clone, and install the archive from the project's folder.
`;

/** Whether there is something in a directory that a new project would mix with; a repository may be there. */
async function hasFiles(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).some((name) => name !== ".git");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The version that runs, or the clone that it runs from. */
function dependency(dir: string): string {
  const { program } = programPaths();
  let root = dirname(program);
  while (!isOurs(root) && dirname(root) !== root) root = dirname(root);
  const isInstalled = basename(dirname(root)) === "node_modules";
  return isInstalled ? `^${version}` : `file:${relative(dir, root)}`;
}

function isOurs(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return name === "wherry";
  } catch {
    return false;
  }
}
