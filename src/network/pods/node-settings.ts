import { readdirSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { replacePrivateFile } from "../../platform/files.ts";

/** Has a node forward packets of its pods. What it changes of the node's settings is recorded in a file. */
export async function enableForwarding(
  families: readonly (4 | 6)[],
  record: string,
): Promise<void> {
  const wanted = new Map<string, string>();
  if (families.includes(4)) wanted.set(`${settings}/ipv4/ip_forward`, "1");
  if (families.includes(6)) {
    // A node that forwards takes its own default route from routers only with this value.
    for (const name of readdirSync(`${settings}/ipv6/conf`)) {
      const path = `${settings}/ipv6/conf/${name}/accept_ra`;
      if (read(path) === "1" && name !== "lo" && !name.startsWith("veth")) wanted.set(path, "2");
    }
    wanted.set(`${settings}/ipv6/conf/all/forwarding`, "1");
  }
  const changes = [...wanted].filter(([path, value]) => read(path) !== value);
  // A node that forwards already has the rest as its owner wants it.
  const isForwarding = !changes.some(
    ([path]) => path.endsWith("forward") || path.endsWith("forwarding"),
  );
  if (isForwarding) return;
  const before = await readFile(record, "utf8").then(
    (text) => JSON.parse(text) as Record<string, string>,
    () => ({}),
  );
  const found = Object.fromEntries(changes.map(([path]) => [path, read(path)]));
  // What an earlier process has found is older.
  await replacePrivateFile(record, `${JSON.stringify({ ...found, ...before }, null, 2)}\n`);
  for (const [path, value] of changes) await writeFile(path, value);
}

/** Restores the settings that `enableForwarding` has changed, as far as nobody else has since. */
export async function restoreForwarding(record: string): Promise<void> {
  const text = await readFile(record, "utf8").catch(() => "{}");
  for (const [path, before] of Object.entries(JSON.parse(text) as Record<string, string>)) {
    const changed = path.endsWith("accept_ra") ? "2" : "1";
    if (path.startsWith(`${settings}/`) && read(path) === changed) await writeFile(path, before);
  }
  await rm(record, { force: true });
}

const settings = "/proc/sys/net";

/** The value of a setting; undefined if the kernel does not have it. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
