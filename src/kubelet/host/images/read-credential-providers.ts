import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { quote } from "../../../schema/values/quote.ts";
import type { CredentialProvider } from "../../config/credential-provider/credential-provider-config.ts";
import { parseCredentialProviderConfig } from "../../config/credential-provider/parse-credential-provider-config.ts";

/** Reads the plugins from a file, or from the files of a folder by name; rejects with upstream's messages. */
export async function readCredentialProviders(
  path: string,
  features: ReadonlySet<string>,
): Promise<readonly CredentialProvider[]> {
  const paths = await configFiles(path);
  const files = await Promise.all(
    paths.map(async (file) => ({ path: file, text: await readFile(file, "utf8") })),
  );
  const parsed = parseCredentialProviderConfig(files, features);
  if ("problems" in parsed) throw new Error(parsed.problems.join(", "));
  return parsed.value.providers;
}

async function configFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new Error(`unable to access path ${quote(path)}`, { cause });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter(
    (entry) => !entry.isDirectory() && [".json", ".yaml", ".yml"].includes(extname(entry.name)),
  );
  if (files.length === 0)
    throw new Error(`no configuration files found in directory ${quote(path)}`);
  return files.map(({ name }) => join(path, name)).sort();
}
