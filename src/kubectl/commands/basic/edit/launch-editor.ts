import { randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { runProgram } from "../../shared/run-program.ts";

/** A file after it was edited. */
export interface EditedFile {
  readonly path: string;
  readonly text: string;
}

/** Writes a text to a new file, has the user's editor change it, and reads it again. */
export async function editText(
  context: Pick<CommandContext, "io" | "env" | "cwd">,
  text: string,
  extension: string,
): Promise<EditedFile> {
  const { env } = context;
  const name = `kubectl-edit-${randomInt(2 ** 32)}${extension}`;
  const path = join(env.TMPDIR || tmpdir(), name);
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  const editor = editorOf(env);
  const [program = "", ...args] = editor.withFile(path);
  const shown = JSON.stringify(editor.shown);
  let code: number | undefined;
  try {
    code = await runProgram(context, program, args);
  } catch (cause) {
    const problem = (cause as Error).message.startsWith("exec: ")
      ? "unable to launch the editor"
      : "there was a problem with the editor";
    throw new Error(`${problem} ${shown}`, { cause });
  }
  if (code !== 0) throw new Error(`there was a problem with the editor ${shown}`);
  const edited = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new Error(fileFault("open", path, cause), { cause });
  });
  return { path, text: edited };
}

interface Editor {
  /** How messages name it. */
  readonly shown: string;
  /** The program and its arguments, with the file to edit. */
  withFile(path: string): readonly string[];
}

/** The editor that the environment names; a shell runs command lines with quotes. */
function editorOf(env: CommandContext["env"]): Editor {
  const line = env.KUBE_EDITOR || env.EDITOR || defaultEditor;
  if (line.includes(" ") && /["'\\]/.test(line)) {
    const shell = env.SHELL || "/bin/bash";
    return {
      shown: `${shell} -c ${line}`,
      withFile: (path) => [shell, "-c", `${line} ${JSON.stringify(path)}`],
    };
  }
  return { shown: line, withFile: (path) => [...line.split(" "), path] };
}

const defaultEditor = process.platform === "win32" ? "notepad" : "vi";
