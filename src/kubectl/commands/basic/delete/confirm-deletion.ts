import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import type { Input } from "../../../program/io.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import type { Info } from "../../../resource/info.ts";
import type { Result } from "../../../resource/result.ts";
import { typeOf } from "../../shared/delete-objects.ts";

/** Where an object is, as one text. */
export const placeOf = (info: Info): string => `${typeOf(info)} ${info.namespace}/${info.name}`;

/** Lists the objects that would be deleted, and asks; returns their places, or undefined for no. */
export async function confirmDeletion(
  { io }: Pick<CommandContext, "io">,
  found: Result,
  ignoresNotFound: boolean,
): Promise<ReadonlySet<string> | undefined> {
  if (ignoresNotFound) found.ignoreErrors((error) => StatusError.is(error, "NotFound"));
  const infos: Info[] = [];
  await found.visit((info, error) => {
    if (error) throw error;
    infos.push(info);
  });
  if (infos.length === 0) {
    io.stdout.write("No resources found\n");
    return undefined;
  }
  io.stdout.write(`You are about to delete the following ${infos.length} resource(s):\n`);
  for (const info of infos) io.stdout.write(`${typeOf(info)}/${info.name}\n`);
  io.stdout.write("Do you want to continue? (y/N): ");
  if (/^[^\S\n]*y[^\S\n]*\n?$/i.test(await readLine(io.stdin))) return new Set(infos.map(placeOf));
  io.stdout.write("deletion is cancelled\n");
  return undefined;
}

/** Reads up to the end of a line. */
async function readLine(input: Input): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of input) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end + 1);
  }
  return text;
}
