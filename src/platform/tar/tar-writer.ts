/** The head of a member of a tar archive. */
export interface TarMember {
  readonly name: string;
  readonly type?: "file" | "folder" | "symlink" | "hardlink" | undefined;
  readonly size?: number | undefined;
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** In seconds since the epoch. */
  readonly mtime?: number | undefined;
  readonly linkName?: string | undefined;
}

/**
 * The blocks before the content of a member; names and sizes that do not fit go into a pax header.
 */
export function tarHeader(member: TarMember): Buffer {
  const { name, linkName = "", size = 0 } = member;
  const records: [string, string][] = [];
  if (!fits(name)) records.push(["path", name]);
  if (!fits(linkName)) records.push(["linkpath", linkName]);
  if (size > largestSize) records.push(["size", String(size)]);
  const own = headerBlock(member);
  if (records.length === 0) return own;
  const body = Buffer.from(records.map(paxRecord).join(""));
  const pax = headerBlock({ name: "pax", size: body.length }, "x");
  return Buffer.concat([pax, body, tarPadding(body.length), own]);
}

/** The zeros after the content of a member. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((512 - (size % 512)) % 512);

/** The end of an archive. */
export const tarEnd: Uint8Array = new Uint8Array(1024);

const types = { file: "0", hardlink: "1", symlink: "2", folder: "5" } as const;
const modes = { file: 0o644, hardlink: 0o644, symlink: 0o777, folder: 0o755 } as const;
const largestSize = 0o77777777777;

const fits = (name: string): boolean => Buffer.byteLength(name) <= 100;

function headerBlock(member: TarMember, typeLetter?: string): Buffer {
  const { type = "file", mode = modes[type], uid = 0, gid = 0, mtime = 0 } = member;
  const block = Buffer.alloc(512);
  const number = (at: number, length: number, value: number): void => {
    block.write(
      value
        .toString(8)
        .padStart(length - 1, "0")
        .slice(1 - length),
      at,
      "latin1",
    );
  };
  block.write(member.name, 0, 100, "utf8");
  number(100, 8, mode);
  number(108, 8, uid);
  number(116, 8, gid);
  number(124, 12, Math.min(member.size ?? 0, largestSize));
  number(136, 12, mtime);
  block.write("        ", 148, "latin1");
  block.write(typeLetter ?? types[type], 156, "latin1");
  block.write(member.linkName ?? "", 157, 100, "utf8");
  block.write("ustar\0" + "00", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function paxRecord([key, value]: [string, string]): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
